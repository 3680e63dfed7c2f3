"""What independent software says about scores, probabilities and labels; used by make_golden.py."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import warnings

import numpy as np


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Empty modules whose every attribute is an empty class, for imports that the functions used here never touch."""

    absent = {n for n in ["torch", "pyro", "gpytorch", "matplotlib", "seaborn"] if importlib.util.find_spec(n) is None}

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.absent:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        def attribute(name):
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {})

        module.__getattr__ = attribute


sys.meta_path.append(StandIns())

import calibration as verified  # noqa: E402  (uncertainty-calibration)
import netcal.binning  # noqa: E402
import netcal.metrics  # noqa: E402
import relplot  # noqa: E402
import statsmodels.api as sm  # noqa: E402
from scipy.optimize import brentq, minimize_scalar, root  # noqa: E402
from scipy.special import expit, log_softmax, logit, softmax  # noqa: E402
from scipy.stats import norm  # noqa: E402
from sklearn.calibration import calibration_curve  # noqa: E402
from sklearn.isotonic import IsotonicRegression  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score  # noqa: E402
from sklearn.preprocessing import KBinsDiscretizer  # noqa: E402
from statsmodels.stats.proportion import proportion_confint  # noqa: E402

EPS = float(np.finfo(float).eps)


def entry(value, by, tolerance=1e-9):
    return {"value": plain(value), "by": by, "tolerance": tolerance}


def plain(value):
    """NumPy values as JSON values; what is undefined is null."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, (np.integer, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return value


# Bins ---------------------------------------------------------------------------------------------------------


def assert_off_edges(s, counts=(5, 10, 15, 20)):
    """No score on an inner edge: left-closed and right-closed, exact and NumPy edges then agree."""
    for b in counts:
        edges = np.arange(1, b) / b
        assert np.abs(np.asarray(s)[:, None] - edges).min() > 1e-12, f"a score lies on an edge of {b} bins"


def bin_table(s, t, count):
    """Left-closed equal-width bins by NumPy's histogram, with Wilson intervals by statsmodels."""
    edges = np.arange(count + 1) / count
    n, _ = np.histogram(s, edges)
    sum_s, _ = np.histogram(s, edges, weights=s)
    sum_t, _ = np.histogram(s, edges, weights=t)
    rows = []
    for b in range(count):
        if n[b]:
            low, high = proportion_confint(sum_t[b], n[b], 0.05, "wilson")
            rows.append(
                {
                    "bin": b,
                    "n": n[b],
                    "mean_score": sum_s[b] / n[b],
                    "mean_target": sum_t[b] / n[b],
                    "wilson_low": low,
                    "wilson_high": high,
                }
            )
    return rows


def quantile_bins(s, count):
    """Bin of each row by scikit-learn's quantile discretiser with linear interpolation, and the edges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KBinsDiscretizer(count, encode="ordinal", strategy="quantile", quantile_method="linear", subsample=None)
        return model.fit_transform(np.asarray(s)[:, None])[:, 0].astype(int), model.bin_edges_[0]


def weighted_gap(bins, s, t):
    return sum((bins == b).mean() * abs(s[bins == b].mean() - t[bins == b].mean()) for b in np.unique(bins))


def pair_metrics(s, t):
    """What is defined on scores `s` in [0, 1] and outcomes `t` in {0, 1}."""
    assert_off_edges(s)
    out = {}
    for b in (5, 10, 15):
        ece = netcal.metrics.ECE(b).measure(s, t)
        mce = netcal.metrics.MCE(b).measure(s, t)
        out[f"ece_{b}"] = entry(ece, f"netcal ECE(bins={b}), left-closed equal width")
        out[f"mce_{b}"] = entry(mce, f"netcal MCE(bins={b}), unweighted maximum")
        out[f"ece_unweighted_{b}"] = entry(
            netcal.metrics.ACE(b).measure(s, t),
            f"netcal ACE(bins={b}): unweighted mean over non-empty equal-width bins",
        )
        table = bin_table(s, t, b)
        assert abs(ece - sum(r["n"] * abs(r["mean_score"] - r["mean_target"]) for r in table) / len(s)) < 1e-12
        out[f"bins_{b}"] = entry(
            table,
            "numpy histogram, left-closed equal width; statsmodels proportion_confint(method='wilson', alpha=0.05)",
        )
        gap2 = sum(r["n"] * (r["mean_score"] - r["mean_target"]) ** 2 for r in table) / len(s)
        out[f"ece_rms_{b}"] = entry(np.sqrt(gap2), "definition: root of the weighted mean squared gap of bins")
        bins, edges = quantile_bins(s, b)
        ace = weighted_gap(bins, s, t)
        if len(edges) == b + 1:
            other = netcal.metrics.ECE(b, equal_intervals=False).measure(s, t)
            assert abs(ace - other) < 1e-12, (ace, other)
        out[f"ace_{b}"] = entry(
            ace,
            f"scikit-learn KBinsDiscretizer({b}, quantile, linear), weighted by count; "
            f"equal to netcal ECE(bins={b}, equal_intervals=False)",
        )
        out[f"ace_edges_{b}"] = entry(edges, "scikit-learn KBinsDiscretizer bin_edges_")
    for strategy in ("uniform", "quantile"):
        frac, mean = calibration_curve(t, s, n_bins=10, strategy=strategy)
        out[f"calibration_curve_{strategy}_10"] = entry(
            {"mean_score": mean, "mean_target": frac},
            f"scikit-learn calibration_curve(n_bins=10, strategy='{strategy}'), non-empty bins",
        )
    out["auroc"] = entry(roc_auc_score(t, s), "scikit-learn roc_auc_score")
    out["brier_pair"] = entry(brier_score_loss(t, s), "scikit-learn brier_score_loss of the pair (score, outcome)")
    out["mean_gap"] = entry(np.mean(s) - np.mean(t), "numpy mean(score) - mean(outcome)")
    order = np.argsort(s, kind="stable")
    partial = np.cumsum(s[order] - t[order]) / len(s)
    block_end = np.append(np.diff(s[order]) > 0, True)
    out["ks"] = entry(
        np.abs(partial[block_end]).max(),
        "definition: largest absolute partial sum of (score - outcome)/n in score order, at ends of ties",
    )
    value, width = relplot.smECE(s, t, return_width=True)
    out["smece"] = entry(
        {"value": value, "sigma": width}, "relplot smECE(return_width=True); scores rounded to a grid there", 5e-4
    )
    for sigma in (0.05, 0.1, 0.2):
        out[f"smece_sigma_{sigma}"] = entry(
            relplot.smECE_sigma(s, t, sigma), f"relplot smECE_sigma(sigma={sigma})", 5e-4
        )
    outcomes = t.astype(int)
    for debias, name in ((True, "debiased_ece_l2"), (False, "plugin_ece_l2")):
        value = verified.lower_bound_scaling_ce(s, outcomes, p=2, debias=debias, num_bins=15)
        out[name] = entry(
            value,
            f"uncertainty-calibration lower_bound_scaling_ce(p=2, debias={debias}, num_bins=15), "
            "right-closed equal mass; 0 when negative",
        )
    inside = (s > 0) & (s < 1)
    if inside.all():
        z = np.sum((t - s) * (1 - 2 * s)) / np.sqrt(np.sum((1 - 2 * s) ** 2 * s * (1 - s)))
        out["spiegelhalter_z"] = entry(
            {"z": z, "p_value": 2 * norm.sf(abs(z))}, "definition (Spiegelhalter 1986); two-sided p-value by scipy norm"
        )
    return out


# Fits ---------------------------------------------------------------------------------------------------------


def temperature(log_p, y):
    """Temperature that minimises the NLL: bounded scalar search in ln T, then the root of the derivative in 1/T."""
    rows = np.arange(len(y))
    nll = lambda beta: -log_softmax(beta * log_p, axis=1)[rows, y].mean()  # noqa: E731
    search = minimize_scalar(
        lambda s: nll(np.exp(-s)), bounds=(np.log(0.01), np.log(100)), method="bounded", options={"xatol": 1e-10}
    )
    slope = lambda beta: (np.sum(softmax(beta * log_p, axis=1) * log_p, axis=1) - log_p[rows, y]).mean()  # noqa: E731
    beta = brentq(slope, 0.01, 100, xtol=1e-15)
    assert abs(search.x + np.log(beta)) < 1e-5
    return {"temperature": 1 / beta, "nll_before": nll(1.0), "nll_after": nll(beta)}


def minimum(gradient, hessian):
    """Where the gradient of a convex smooth function of two numbers vanishes."""
    fit = root(gradient, [1.0, 0.0], jac=hessian, method="hybr", options={"xtol": 1e-14})
    assert np.abs(fit.fun).max() < 1e-11, fit
    return fit.x


def platt(u, t):
    """sigma(a u + b): maximum likelihood by scikit-learn, and with Platt's smoothed targets by SciPy."""
    fit = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky", max_iter=1000).fit(u[:, None], t)
    a, b = fit.coef_[0, 0], fit.intercept_[0]
    glm = sm.Logit(t, sm.add_constant(u)).fit(disp=0, tol=1e-14, maxiter=200)
    assert np.allclose([b, a], glm.params, atol=1e-7), (a, b, glm.params)
    exact = {"a": a, "b": b, "nll": log_loss(t, expit(a * u + b))}
    positive = t.sum()
    target = np.where(t == 1, (positive + 1) / (positive + 2), 1 / (len(t) - positive + 2))

    def gradient(w):
        r = expit(w[0] * u + w[1]) - target
        return np.array([np.mean(r * u), np.mean(r)])

    def curvature(w):
        q = expit(w[0] * u + w[1])
        return np.array(
            [[np.mean(q * (1 - q) * u * u), np.mean(q * (1 - q) * u)], [np.mean(q * (1 - q) * u), np.mean(q * (1 - q))]]
        )

    a, b = minimum(gradient, curvature)
    v = a * u + b
    smoothed = {"a": a, "b": b, "objective": np.mean(np.logaddexp(0, v) - target * v)}
    return exact, smoothed


def pair_fits(s, t):
    """One-dimensional repairs of scores `s` (strictly inside (0, 1)) fitted to outcomes `t`."""
    out = {}
    u = logit(s)
    exact, smoothed = platt(u, t)
    out["platt_likelihood"] = entry(
        exact, "scikit-learn LogisticRegression(C=inf) on logit(score), equal to statsmodels Logit", 1e-6
    )
    out["platt_smoothed"] = entry(
        smoothed, "scipy root of the gradient, Platt's smoothed targets, on logit(score)", 1e-6
    )
    queries = np.array([0.0, 0.001, 0.02, 0.1, 0.123, 0.25, 0.333, 0.5, 0.61, 0.75, 0.87, 0.9, 0.99, 0.9999, 1.0])
    for name, x in (("isotonic", s), ("isotonic_ties", np.round(s, 2))):
        fit = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(x, t)
        value = {
            "x": fit.X_thresholds_,
            "y": fit.y_thresholds_,
            "queries": queries,
            "predictions": fit.predict(queries),
            "nothing_below": x.min(),
            "nothing_above": x.max(),
        }
        by = "scikit-learn IsotonicRegression(out_of_bounds='clip')" + (
            ", scores rounded to two decimals (ties)" if x is not s else ""
        )
        out[name] = entry(value, by)
    for b in (10, 15):
        fit = netcal.binning.HistogramBinning(b).fit(s, t)
        n, _ = np.histogram(s, np.arange(b + 1) / b)
        value = {
            "counts": n,
            "values": [v if k else None for v, k in zip(fit._bin_map, n)],
            "empty_in_netcal": [v for v, k in zip(fit._bin_map, n) if not k],
        }
        out[f"histogram_{b}"] = entry(
            value, f"netcal HistogramBinning(bins={b}); null where no row fell (netcal then gives the bin's middle)"
        )
    return out


def binary_metrics(p, y):
    out = pair_metrics(p, y.astype(float))
    out["accuracy"] = entry(accuracy_score(y, p > 0.5), "scikit-learn accuracy_score, 1 if p > 0.5")
    out["nll"] = entry(log_loss(y, p), "scikit-learn log_loss")
    out["brier"] = entry(brier_score_loss(y, p), "scikit-learn brier_score_loss")
    c, a = np.maximum(p, 1 - p), ((p > 0.5) == y).astype(float)
    out["top_label"] = {
        "value": {k: v["value"] for k, v in pair_metrics(c, a).items() if "curve" not in k},
        "by": "as the entries of the same names, on (confidence, correct)",
        "tolerance": 1e-9,
        "tolerance_smece": 5e-4,
    }
    u = logit(np.clip(p, EPS, 1 - EPS))
    out["temperature"] = entry(
        temperature(np.stack([np.zeros_like(u), u], axis=1), y.astype(int)),
        "scipy minimize_scalar and brentq on the NLL of sigma(logit(p)/T)",
        1e-8,
    )
    return out


def multiclass_metrics(p, y):
    n, m = p.shape
    labels = np.arange(m)
    predicted = p.argmax(axis=1)
    c, a = p.max(axis=1), (predicted == y).astype(float)
    out = pair_metrics(c, a)
    out["accuracy"] = entry(accuracy_score(y, predicted), "scikit-learn accuracy_score of argmax")
    out["nll"] = entry(log_loss(y, p, labels=labels), "scikit-learn log_loss")
    out["brier"] = entry(
        brier_score_loss(y, p, labels=labels, scale_by_half=False),
        "scikit-learn brier_score_loss(scale_by_half=False): sum over classes, range 0 to 2",
    )
    one_hot = y[:, None] == labels
    for b in (10, 15):
        parts = [
            netcal.metrics.ECE(b).measure(np.ascontiguousarray(p[:, k]), one_hot[:, k].astype(float)) for k in labels
        ]
        by = f"netcal ECE(bins={b}) of each class against the rest, mean over {m} classes"
        out[f"classwise_ece_{b}"] = entry({"mean": np.mean(parts), "per_class": parts}, by)
    parts = [weighted_gap(quantile_bins(p[:, k], 15)[0], p[:, k], one_hot[:, k].astype(float)) for k in labels]
    out["classwise_ace_15"] = entry(
        np.mean(parts), "scikit-learn KBinsDiscretizer(15, quantile, linear) of each class, mean over classes"
    )
    out["temperature"] = entry(
        temperature(np.log(np.clip(p, EPS, 1)), y),
        "scipy minimize_scalar and brentq on the NLL of softmax(ln p / T)",
        1e-8,
    )
    return out
