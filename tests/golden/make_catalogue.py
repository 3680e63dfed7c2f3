"""Reference values for metrics and recalibrators, by NumPy, SciPy, scikit-learn and statsmodels.

    python make_catalogue.py > catalogue.json

Seeded; the scores have three decimals and many ties. Each value is named by what computed it.
"""

import json

import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.optimize import brentq, minimize
from scipy.special import expit, log_softmax, logit, softmax
from scipy.stats import chi2
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.preprocessing import KBinsDiscretizer

rng = np.random.default_rng(20240611)

# Two classes -----------------------------------------------------------------------------------------------------
n = 400
p = np.clip(np.round(expit(rng.normal(0.3, 1.8, n)), 3), 0.001, 0.999)
y = (rng.uniform(size=n) < expit(0.6 * logit(p) - 0.3)).astype(int)
u = logit(p)


def nll(q):
    return float(-np.mean(np.where(y == 1, np.log(q), np.log1p(-q))))


curve_true, curve_pred = calibration_curve(y, p, n_bins=10)
edges = KBinsDiscretizer(15, encode="ordinal", strategy="quantile", quantile_method="linear")
bins = edges.fit_transform(p[:, None]).ravel()
ace = sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in np.unique(bins)) / n
ece15 = sum(abs(p[b == i].sum() - y[b == i].sum()) for b in [np.digitize(p, np.arange(1, 15) / 15)] for i in range(15)) / n

slope = brentq(lambda b: np.mean((expit(b * u) - y) * u), 0.01, 100, xtol=1e-15)
joint = sm.Logit(y, sm.add_constant(u)).fit(disp=0, tol=1e-14, maxiter=100)
large = sm.GLM(y, np.ones((n, 1)), family=sm.families.Binomial(), offset=u).fit(tol=1e-14)
beta = sm.Logit(y, np.c_[np.ones(n), np.log(p), -np.log1p(-p)]).fit(disp=0, tol=1e-14, maxiter=100)
raw = LogisticRegression(C=1.0, tol=1e-12, max_iter=10000).fit(p[:, None], y)

isotonic = IsotonicRegression(out_of_bounds="clip").fit(p, y)
fitted = isotonic.predict(p)
queries = np.linspace(0, 1, 41)

smooth = np.abs(np.clip(sm.nonparametric.lowess(y, p, frac=2 / 3, it=0, return_sorted=False), 0, 1) - p)

order = np.argsort(p, kind="stable")
ends = np.append(np.flatnonzero(np.diff(p[order]) > 0), n - 1)
ks = np.max(np.abs(np.cumsum(p[order] - y[order]))[ends]) / n

r = y - p
mmce2 = r @ np.exp(-np.abs(p[:, None] - p[None]) / 0.4) @ r / n**2

z_spiegelhalter = np.sum(r * (1 - 2 * p)) / np.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p)))


def venn_abers(s, label):
    xs, ys = np.append(p, s), np.append(y, label)
    return float(IsotonicRegression().fit(xs, ys).predict([s])[0])


# Three classes ---------------------------------------------------------------------------------------------------
m, n3 = 3, 300
z3 = np.round(rng.normal(0, 1.5, (n3, m)), 3)
truth = softmax(0.6 * z3 + np.array([0.4, 0.0, -0.3]), axis=1)
y3 = np.array([rng.choice(m, p=row) for row in truth])
p3 = softmax(z3, axis=1)
hot = np.eye(m)[y3]


def nll3(z):
    return float(-np.mean(log_softmax(z, axis=1)[np.arange(n3), y3]))


def temperature_slope(b):
    q = softmax(b * z3, axis=1)
    return np.mean((q * z3).sum(1) - z3[np.arange(n3), y3])


def mse(b):
    return float(np.mean((softmax(b * z3, axis=1) - hot) ** 2))


def mse_slope(b):
    q = softmax(b * z3, axis=1)
    return np.mean((q - hot) * q * (z3 - (q * z3).sum(1, keepdims=True)))


beta3 = brentq(temperature_slope, 0.01, 100, xtol=1e-15)
beta3_mse = brentq(mse_slope, 0.2, 5, xtol=1e-15)
vector = minimize(lambda x: nll3(z3 * x[:3] + x[3:]), np.r_[np.ones(3), np.zeros(3)], method="BFGS", options={"gtol": 1e-10})
full = minimize(lambda x: nll3(z3 @ x[:9].reshape(3, 3).T + x[9:]), np.r_[np.eye(3).ravel(), np.zeros(3)], method="BFGS", options={"gtol": 1e-10})
components = np.stack([softmax(beta3_mse * z3, axis=1), p3, np.full_like(p3, 1 / m)])
ets = minimize(
    lambda w: np.mean((np.tensordot(w, components, 1) - hot) ** 2),
    np.ones(3) / 3,
    method="SLSQP",
    bounds=[(0, 1)] * 3,
    constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    options={"ftol": 1e-15, "maxiter": 1000},
)
pooled = IsotonicRegression(out_of_bounds="clip").fit(p3.ravel(), hot.ravel())

residual = hot - p3
distance = np.sqrt(((p3[:, None] - p3[None]) ** 2).sum(-1))
h = np.exp(-distance) * (residual @ residual.T)

out = {
    "made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "statsmodels": statsmodels.__version__},
    "binary": {
        "p": p.tolist(),
        "y": y.tolist(),
        "brier": brier_score_loss(y, p),
        "nll": log_loss(y, p),
        "auroc": roc_auc_score(y, p),
        "ece15": ece15,
        "ace15": ace,
        "curve10_true_right_closed_numpy": curve_true.tolist(),
        "curve10_pred_right_closed_numpy": curve_pred.tolist(),
        "ks": ks,
        "mmce_squared": mmce2,
        "miscalibration": float(np.mean((p - y) ** 2) - np.mean((fitted - y) ** 2)),
        "discrimination": float(y.mean() * (1 - y.mean()) - np.mean((fitted - y) ** 2)),
        "intercept_large": [float(large.params[0]), float(large.bse[0])],
        "intercept_joint": [float(joint.params[0]), float(joint.bse[0])],
        "slope": [float(joint.params[1]), float(joint.bse[1])],
        "ici_e50_e90_emax": [smooth.mean(), np.median(smooth), np.percentile(smooth, 90), smooth.max()],
        "spiegelhalter_z": z_spiegelhalter,
        "temperature": 1 / slope,
        "temperature_nll": nll(expit(slope * u)),
        "platt_ml": [float(joint.params[1]), float(joint.params[0])],
        "platt_raw_ridge": [float(raw.coef_[0, 0]), float(raw.intercept_[0])],
        "beta": [float(beta.params[1]), float(beta.params[2]), float(beta.params[0])],
        "queries": queries.tolist(),
        "isotonic": isotonic.predict(queries).tolist(),
        "venn_abers_p0": [venn_abers(s, 0) for s in queries],
        "venn_abers_p1": [venn_abers(s, 1) for s in queries],
        "chi2_sf_12.3_9": float(chi2.sf(12.3, 9)),
    },
    "three": {
        "z": z3.ravel().tolist(),
        "y": y3.tolist(),
        "nll": log_loss(y3, p3),
        "brier_sum": float(np.mean(((p3 - hot) ** 2).sum(1))),
        "temperature": 1 / beta3,
        "temperature_nll": nll3(beta3 * z3),
        "temperature_mse": 1 / beta3_mse,
        "mse": mse(beta3_mse),
        "ets_weights": ets.x.tolist(),
        "ets_mse": float(ets.fun),
        "vector_nll": float(vector.fun),
        "matrix_nll": float(full.fun),
        "mir": pooled.predict(p3[:20].ravel()).tolist(),
        "kce_biased": float(h.mean()),
        "kce_unbiased": float((h.sum() - np.trace(h)) / (n3 * (n3 - 1))),
        "median_distance": float(np.median(distance[np.tril_indices(n3, -1)])),
    },
}
# One line a value.
sections = (f"{json.dumps(name)}: {{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in part.items()) + "\n}" for name, part in out.items())
print("{\n" + ",\n".join(sections) + "\n}")
