"""Write the golden numbers: seeded inputs and the values that independent software gives for them.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 statsmodels==0.15.0 pandas==3.1.1 \
                deprecation==2.1.0 tqdm==4.70.1
    pip install --no-deps netcal==1.4.0 relplot==1.0.3 uncertainty-calibration==0.1.4
    LOCALCAL_DATA=folder/with/public/files python tests/golden/make_golden.py

netcal and relplot import torch, pyro, gpytorch, matplotlib and seaborn at the top, but not for the functions
used here; where these are not installed, empty stand-ins take their place (`StandIns` in reference.py), so
--no-deps is enough.
`cifar10.json` is only rewritten when cifar10-wideresnet-16-4.npz is in the folder named by LOCALCAL_DATA.

Each file holds `versions`, `inputs` and `expected`; an expected entry is `{value, by, tolerance}`, where `by` is
the call that gave the value and `tolerance` the absolute difference that an independent computation may show.
Probability matrices are stored as whole numbers, p = k / units. Entries whose `by` starts with "definition" come
from a few lines of NumPy in these two files, because no package computes the quantity.
"""

import csv
import json
import os
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.special import expit, logit, softmax
from scipy.stats import chi2
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from statsmodels.stats.proportion import proportion_confint

from reference import (
    EPS,
    assert_off_edges,
    bin_table,
    binary_metrics,
    entry,
    multiclass_metrics,
    netcal,
    pair_fits,
    plain,
    quantile_bins,
    relplot,
    temperature,
    weighted_gap,
)

HERE = Path(__file__).parent
SAMPLES = HERE.parent.parent / "www" / "sample"
PACKAGES = ["numpy", "scipy", "scikit-learn", "statsmodels", "netcal", "relplot", "uncertainty-calibration"]


def write(name, source, inputs, expected):
    body = {
        "schema": "localcal-golden/1",
        "made_by": "tests/golden/make_golden.py",
        "python": ".".join(map(str, sys.version_info[:3])),
        "versions": {p: version(p) for p in PACKAGES},
        "source": source,
        "inputs": plain(inputs),
        "expected": expected,
    }
    # One entry per line: a changed number is a visible difference, and long arrays stay small.
    one = lambda v: json.dumps(v, separators=(",", ":"), allow_nan=False)  # noqa: E731
    block = lambda d: "{\n" + ",\n".join(f"    {one(k)}: {one(v)}" for k, v in d.items()) + "\n  }"  # noqa: E731
    lines = [f"  {one(k)}: {block(v) if k in ('inputs', 'expected') else one(v)}" for k, v in body.items()]
    path = HERE / f"{name}.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert json.loads(path.read_text())["expected"] == expected
    print(f"{path.name}: {path.stat().st_size} bytes, {len(expected)} entries")


# Data sets ----------------------------------------------------------------------------------------------------


def whole_units(p, units):
    """Rows as whole multiples of 1/units, each entry at least 1 and each row summing to exactly `units`."""
    k = np.maximum(np.floor(p * units), 1).astype(int)
    k[np.arange(len(k)), k.argmax(axis=1)] += units - k.sum(axis=1)
    assert k.min() >= 1
    return k


def off_edges(k, units):
    """Move one unit between the two largest entries of a row whose entries touch an edge of 5, 10, 15 or 20 bins."""
    touch = lambda v: any(v * b % units == 0 and v not in (0, units) for b in (5, 10, 15, 20))  # noqa: E731
    for row in k:
        first, second = np.argsort(-row, kind="stable")[:2]
        while any(touch(v) for v in row):
            stuck = [j for j in range(len(row)) if touch(row[j])]
            j = stuck[0]
            row[j] += 1
            row[first if j != first else second] -= 1
    assert k.min() >= 1
    return k


def binary():
    """A logistic truth and a model that is too sure and shifted; two covariates and one group."""
    rng = np.random.default_rng(20240501)
    n = 1000
    x = rng.normal(size=(n, 2))
    truth = expit(0.9 * x[:, 0] - 0.6 * x[:, 1] - 0.4)
    y = (rng.random(n) < truth).astype(int)
    p = np.clip(np.round(expit(1.9 * x[:, 0] - 0.9 * x[:, 1] + 0.2), 6), 1e-6, 1 - 1e-6)
    touching = np.abs(p[:, None] * 60 - np.round(p[:, None] * 60)).min(axis=1) < 1e-9
    p[touching] = np.round(p[touching] + 1e-6, 6)
    expected = binary_metrics(p, y)
    expected.update(pair_fits(p, y.astype(float)))
    u = logit(p)
    offset = sm.GLM(y, np.ones(n), family=sm.families.Binomial(), offset=u).fit(tol=1e-14, maxiter=200)
    joint = sm.GLM(y, sm.add_constant(u), family=sm.families.Binomial()).fit(tol=1e-14, maxiter=200)
    expected["intercept_large"] = entry(offset.params[0], "statsmodels GLM(binomial), logit(p) as offset", 1e-7)
    expected["intercept_joint"] = entry(joint.params[0], "statsmodels GLM(binomial) on logit(p)", 1e-7)
    expected["slope"] = entry(joint.params[1], "statsmodels GLM(binomial) on logit(p)", 1e-7)
    order = np.argsort(p, kind="stable")
    groups = np.arange(n) * 10 // n
    statistic = sum(
        (y[order][groups == g].sum() - p[order][groups == g].sum()) ** 2
        / ((groups == g).sum() * p[order][groups == g].mean() * (1 - p[order][groups == g].mean()))
        for g in range(10)
    )
    expected["hosmer_lemeshow_10"] = entry(
        {"statistic": statistic, "p_value_8": chi2.sf(statistic, 8), "p_value_10": chi2.sf(statistic, 10)},
        "definition, ten groups of equal size by rank; p-values by scipy chi2 with 8 and with 10 degrees of freedom",
    )
    write("binary", "seeded logistic model, NumPy default_rng(20240501)", {"p": p, "y": y}, expected)


def digits():
    """Out-of-fold Gaussian naive Bayes with class variances widened, on a third of scikit-learn's digits."""
    pixels, y = load_digits(return_X_y=True)
    keep = np.random.default_rng(7).permutation(len(y))[:600]
    pixels, y = pixels[keep], y[keep]
    p = cross_val_predict(GaussianNB(var_smoothing=0.02), pixels, y, cv=StratifiedKFold(5), method="predict_proba")
    p = softmax(0.35 * np.log(np.maximum(p, 1e-300)), axis=1)
    units = 1_000_000
    k = off_edges(whole_units(p, units), units)
    p = k / units
    expected = multiclass_metrics(p, y)
    c, a = p.max(axis=1), (p.argmax(axis=1) == y).astype(float)
    expected.update({f"{name}_top_label": v for name, v in pair_fits(c, a).items()})
    fit = netcal.binning.HistogramBinning(10).fit(p, y)
    rows = fit.transform(p)
    expected["histogram_one_vs_all_10"] = entry(
        {
            "first_rows": rows[:5],
            "nll": log_loss(y, np.clip(rows, 1e-15, 1), labels=np.arange(10)),
            "row_sum": rows.sum(axis=1)[:5],
        },
        "netcal HistogramBinning(bins=10) on the matrix, rows renormalised; NLL clipped at 1e-15",
        1e-8,
    )
    write(
        "digits",
        "scikit-learn digits, 600 rows, out-of-fold Gaussian naive Bayes",
        {"units": units, "probabilities": k, "y": y},
        expected,
    )


def hundred_classes():
    """A hundred classes, 600 rows: labels from softmax(z), scores from softmax(1.8 z)."""
    rng = np.random.default_rng(100)
    n, m = 600, 100
    z = rng.normal(size=(n, m)) + 4.5 * (rng.random((n, m)) < 0.02)
    z[np.arange(n), rng.integers(0, m, n)] += 2.0 + 2.5 * rng.random(n)
    truth = softmax(z, axis=1)
    y = np.array([rng.choice(m, p=row) for row in truth])
    units = 100_000
    k = off_edges(whole_units(softmax(1.8 * z, axis=1), units), units)
    expected = multiclass_metrics(k / units, y)
    write(
        "hundred_classes",
        "seeded softmax model, NumPy default_rng(100)",
        {"units": units, "probabilities": k, "y": y},
        expected,
    )


def wilson():
    pairs = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (5, 8), (17, 40), (999, 1000), (1, 1_000_000)]
    expected = {
        f"level_{level}": entry(
            [proportion_confint(k, n, 1 - level, "wilson") for k, n in pairs],
            f"statsmodels proportion_confint(alpha={1 - level:.2f}, method='wilson'): [low, high]",
        )
        for level in (0.95, 0.9)
    }
    write("wilson", "counts written here", {"pairs_of_events_and_rows": pairs}, expected)


# Local calibration, from the definitions ------------------------------------------------------------------------


def local_errors(queries, query_bins, sources, source_bins, c, a, gamma, skip_self=False):
    """Signed local error and kernel mean of outcomes, one pair at a time: the definition and nothing else."""
    signed, accuracy, mass, n_eff = [], [], [], []
    d = sources.shape[1]
    for i in range(len(queries)):
        weights, errors, hits = [], [], []
        for j in range(len(sources)):
            if query_bins[i] == source_bins[j] and not (skip_self and i == j):
                weights.append(np.exp(-np.abs(queries[i] - sources[j]).sum() / (d * gamma)))
                errors.append(c[j] - a[j])
                hits.append(a[j])
        weights = np.array(weights)
        total = weights.sum()
        mass.append(total)
        signed.append(weights @ errors / total if total > 0 else np.nan)
        accuracy.append(weights @ hits / total if total > 0 else np.nan)
        n_eff.append(total**2 / (weights**2).sum() if total > 0 else np.nan)
    return np.array(signed), np.array(accuracy), np.array(mass), np.array(n_eff)


def local():
    rng = np.random.default_rng(60)
    n, count = 60, 5
    x = np.round(rng.normal(size=(n, 2)), 6)
    c = np.round(0.4 + 0.6 * rng.random(n), 6)
    a = (rng.random(n) < np.clip(c - 0.25 * np.tanh(x[:, 0]), 0, 1)).astype(float)
    assert_off_edges(c)
    query_x = np.round(rng.normal(size=(20, 2)), 6)
    query_c = np.round(0.3 + 0.7 * rng.random(20), 6)
    bins, query_bins = (c * count).astype(int), (query_c * count).astype(int)
    expected = {}
    for gamma in (0.05, 0.4, 3.0):
        signed, _, mass, n_eff = local_errors(x, bins, x, bins, c, a, gamma)
        by = f"definition: pairs in the same of {count} equal-width bins, exp(-|dx|_1/(2*{gamma})), own row counted"
        expected[f"slce_{gamma}"] = entry(signed, by)
        expected[f"mass_{gamma}"] = entry(mass, "definition: sum of kernel weights in the bin (not divided by n)")
        expected[f"n_eff_{gamma}"] = entry(n_eff, "definition: (sum k)^2 / sum k^2")
        expected[f"mlce_{gamma}"] = entry(np.abs(signed).max(), "largest |slce|")
        expected[f"mean_lce_{gamma}"] = entry(np.abs(signed).mean(), "mean |slce|")
        signed, _, _, _ = local_errors(x, bins, x, bins, c, a, gamma, skip_self=True)
        expected[f"slce_leave_one_out_{gamma}"] = entry(
            signed, "definition, own row left out; null where nothing else is in the bin"
        )
        _, recalibrated, _, _ = local_errors(query_x, query_bins, x, bins, c, a, gamma)
        kept = np.where(np.isnan(recalibrated), query_c, recalibrated)
        expected[f"lore_{gamma}"] = entry(
            kept,
            "definition: kernel mean of outcomes in the query's bin; an empty bin keeps the confidence",
        )
    expected["empty_query_bins"] = entry(
        np.flatnonzero(~np.isin(query_bins, bins)), "queries whose bin holds no calibration row"
    )
    inputs = {
        "bins": count,
        "features": x,
        "confidence": c,
        "correct": a.astype(int),
        "query_features": query_x,
        "query_confidence": query_c,
    }
    write("local", "seeded, NumPy default_rng(60)", inputs, expected)


# Files ----------------------------------------------------------------------------------------------------------


def cifar10():
    path = Path(os.environ.get("LOCALCAL_DATA", "")) / "cifar10-wideresnet-16-4.npz"
    if not path.is_file():
        print(f"skipped: {path.name} not found (set LOCALCAL_DATA)")
        return
    with np.load(path) as file:
        p, y = file["predictions"].astype(float), file["ground_truth"].ravel().astype(int)
    rows = np.arange(len(y))
    c, a = p.max(axis=1), (p.argmax(axis=1) == y).astype(float)
    out = {}
    for b in (10, 15):
        out[f"ece_{b}"] = entry(netcal.metrics.ECE(b).measure(p, y), f"netcal ECE(bins={b}) on the matrix, left-closed")
        assert abs(out[f"ece_{b}"]["value"] - netcal.metrics.ECE(b).measure(c, a)) < 1e-12
        out[f"mce_{b}"] = entry(netcal.metrics.MCE(b).measure(c, a), f"netcal MCE(bins={b})")
        parts = [
            netcal.metrics.ECE(b).measure(np.ascontiguousarray(p[:, k]), (y == k).astype(float)) for k in range(10)
        ]
        out[f"classwise_ece_{b}"] = entry(
            np.mean(parts), f"netcal ECE(bins={b}) of each class against the rest, mean over classes"
        )
    out["bins_15"] = entry(
        bin_table(c, a, 15),
        "numpy histogram, left-closed equal width; statsmodels proportion_confint(method='wilson', alpha=0.05)",
    )
    bins, edges = quantile_bins(c, 15)
    out["ace_15"] = entry(
        weighted_gap(bins, c, a),
        f"scikit-learn KBinsDiscretizer(15, quantile, linear): ties at 1.0 leave {len(edges) - 1} bins",
    )
    out["accuracy"] = entry(accuracy_score(y, p.argmax(axis=1)), "scikit-learn accuracy_score of argmax")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # float32 rows sum to 1 within 3e-7
        out["nll"] = entry(log_loss(y, p), "scikit-learn log_loss of the rows as they stand")
        out["brier"] = entry(
            brier_score_loss(y, p, labels=np.arange(10), scale_by_half=False),
            "scikit-learn brier_score_loss(scale_by_half=False)",
            1e-8,
        )
    assert abs(out["nll"]["value"] + np.log(p[rows, y]).mean()) < 1e-12
    assert abs(out["brier"]["value"] - ((p - (y[:, None] == np.arange(10))) ** 2).sum(axis=1).mean()) < 1e-9
    out["auroc"] = entry(roc_auc_score(a, c), "scikit-learn roc_auc_score of correct against confidence")
    out["mean_gap"] = entry(c.mean() - a.mean(), "numpy")
    value, width = relplot.smECE(c, a, return_width=True)
    out["smece"] = entry({"value": value, "sigma": width}, "relplot smECE(return_width=True)", 5e-4)
    out["temperature"] = entry(
        temperature(np.log(np.clip(p, EPS, 1)), y),
        "scipy minimize_scalar and brentq on the NLL of softmax(ln max(p, 2.2e-16) / T)",
        1e-7,
    )
    out["temperature_unclipped"] = entry(temperature(np.log(p), y), "the same on ln p without a floor", 1e-7)
    scaled = softmax(np.log(np.clip(p, EPS, 1)) / out["temperature"]["value"]["temperature"], axis=1)
    out["ece_15_after_temperature"] = entry(
        netcal.metrics.ECE(15).measure(scaled, y),
        "netcal ECE(bins=15) after the temperature above, fitted on the same rows",
        1e-6,
    )
    write(
        "cifar10",
        "public file cifar10-wideresnet-16-4.npz (10,000 rows, float32, not part of the project)",
        {"rows": len(y), "classes": 10, "file": path.name},
        out,
    )


def samples():
    """Values for the two built-in examples as they stand in www/sample."""
    with np.load(SAMPLES / "digits.npz") as file:
        p, y = file["probs"].astype(float), file["labels"].astype(int)
    c, a = p.max(axis=1), (p.argmax(axis=1) == y).astype(float)
    out = {
        "accuracy": entry(a.mean(), "numpy"),
        "nll": entry(-np.log(p[np.arange(len(y)), y]).mean(), "definition"),
        "brier": entry(((p - (y[:, None] == np.arange(10))) ** 2).sum(axis=1).mean(), "definition, sum over classes"),
        "ece_15": entry(netcal.metrics.ECE(15).measure(c, a), "netcal ECE(bins=15)"),
        "mce_15": entry(netcal.metrics.MCE(15).measure(c, a), "netcal MCE(bins=15)"),
        "ace_15": entry(
            weighted_gap(quantile_bins(c, 15)[0], c, a), "scikit-learn KBinsDiscretizer(15, quantile, linear)"
        ),
        "auroc": entry(roc_auc_score(a, c), "scikit-learn roc_auc_score of correct against confidence"),
        "mean_gap": entry(c.mean() - a.mean(), "numpy"),
        "temperature": entry(temperature(np.log(p), y), "scipy minimize_scalar and brentq", 1e-7),
    }
    write("sample_digits", "www/sample/digits.npz", {"rows": len(y), "classes": 10, "file": "digits.npz"}, out)
    with open(SAMPLES / "breast_cancer.csv", newline="") as file:
        table = list(csv.DictReader(file))
    p = np.array([float(row["p_malignant"]) for row in table])
    y = np.array([row["diagnosis"] == "malignant" for row in table]).astype(int)
    t = y.astype(float)
    size = np.array([row["size"] for row in table])
    out = {
        "accuracy": entry(accuracy_score(y, p > 0.5), "scikit-learn accuracy_score"),
        "nll": entry(log_loss(y, p), "scikit-learn log_loss"),
        "brier": entry(brier_score_loss(y, p), "scikit-learn brier_score_loss"),
        "ece_15": entry(netcal.metrics.ECE(15).measure(p, t), "netcal ECE(bins=15), left-closed"),
        "mce_15": entry(netcal.metrics.MCE(15).measure(p, t), "netcal MCE(bins=15)"),
        "ace_15": entry(
            weighted_gap(quantile_bins(p, 15)[0], p, t), "scikit-learn KBinsDiscretizer(15, quantile, linear)"
        ),
        "auroc": entry(roc_auc_score(y, p), "scikit-learn roc_auc_score"),
        "mean_gap": entry(p.mean() - t.mean(), "numpy"),
        "mean_gap_by_size": entry({g: (p - t)[size == g].mean() for g in ("small", "medium", "large")}, "numpy"),
        "temperature": entry(
            temperature(np.stack([np.zeros_like(p), logit(p)], axis=1), y), "scipy minimize_scalar and brentq", 1e-7
        ),
    }
    write(
        "sample_breast_cancer",
        "www/sample/breast_cancer.csv",
        {"rows": len(y), "positive": "malignant", "file": "breast_cancer.csv"},
        out,
    )


if __name__ == "__main__":
    binary()
    digits()
    hundred_classes()
    wilson()
    local()
    cifar10()
    samples()
