"""Write weights.json: what scikit-learn and statsmodels say about rows with sample weights.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 statsmodels==0.15.0 pandas
    python tests/golden/make_weights.py

The first `calibrate` rows fit, the rest are scored; some weights are 0. Entries whose `by` starts with "definition" come
from a few lines of NumPy in this file, because no package computes the quantity. The form of the file is that of
make_golden.py.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit, softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

HERE = Path(__file__).parent
PACKAGES = ["numpy", "scipy", "scikit-learn", "statsmodels"]
BINS = 15
expected = {}


def plain(value):
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    return float(value)


def entry(key, value, by, tolerance=1e-12):
    expected[key] = {"value": plain(value), "by": by, "tolerance": tolerance}


def bins_of(s):
    # far enough from the edges that every rounding of them gives the same bins
    assert np.abs(s * BINS - np.round(s * BINS)).min() > 1e-9
    return np.minimum((s * BINS).astype(int), BINS - 1)


def gaps(s, t, w):
    b = bins_of(s)
    some = [b == k for k in range(BINS) if (b == k).any()]
    return np.array([[w[r].sum(), np.average(s[r], weights=w[r]), np.average(t[r], weights=w[r])] for r in some])


def ece(s, t, w):
    g = gaps(s, t, w)
    return (g[:, 0] * np.abs(g[:, 1] - g[:, 2])).sum() / g[:, 0].sum()


rng = np.random.default_rng(22)

# Two classes --------------------------------------------------------------------------------------------------------
n, calibrate = 240, 140
z = rng.normal(0, 1.6, n)
y = (rng.random(n) < expit(0.7 * z - 0.3)).astype(int)
p = np.round(np.round(expit(z), 2) * 0.98 + 0.0103, 4)  # many ties
w = np.round(rng.gamma(1.2, 2.0, n), 2)
w[rng.random(n) < 0.05] = 0.0
fit, test = np.arange(n) < calibrate, np.arange(n) >= calibrate
fit, test = fit & (w > 0), test & (w > 0)

s, t, v = p[test], y[test], w[test]
entry("accuracy", accuracy_score(t, s > 0.5, sample_weight=v), "sklearn.metrics.accuracy_score")
entry("nll", log_loss(t, s, sample_weight=v), "sklearn.metrics.log_loss")
entry("brier", brier_score_loss(t, s, sample_weight=v), "sklearn.metrics.brier_score_loss")
entry("auroc", roc_auc_score(t, s, sample_weight=v), "sklearn.metrics.roc_auc_score")
entry("mean_gap", np.average(s - t, weights=v), "numpy.average")
table = gaps(s, t, v)
share, gap = table[:, 0] / table[:, 0].sum(), np.abs(table[:, 1] - table[:, 2])
by = "definition: numpy.average in each of 15 bins"
entry("ece", (share * gap).sum(), by)
entry("mce", gap.max(), by)
entry("ece_rms", np.sqrt((share * gap**2).sum()), by)
entry("ece_unweighted", gap.mean(), by)
entry("mce_weighted", (share * gap).max(), by)
entry("table", table / [[v.sum(), 1, 1]], by + ", weights as shares")
order = np.argsort(s, kind="stable")
steps = np.cumsum((v * (s - t))[order])[np.append(np.diff(s[order]) > 0, True)]
entry("ks", np.abs(steps).max() / v.sum(), "definition: largest |cumulated w (s - t)| where ties end")
iso = IsotonicRegression().fit(s, t, sample_weight=v).predict(s)
base = np.average(t, weights=v)
score = lambda q: np.average((q - t) ** 2, weights=v)  # noqa: E731
by = "sklearn.isotonic.IsotonicRegression, numpy.average of squared errors"
entry("miscalibration", score(s) - score(iso), by)
entry("discrimination", score(base) - score(iso), by)
entry("uncertainty", score(base), by)
glm = sm.GLM(t, sm.add_constant(logit(s)), sm.families.Binomial(), freq_weights=v).fit(tol=1e-14)
entry("intercept_joint", glm.params[0], "statsmodels GLM(Binomial, freq_weights)", 1e-8)
entry("slope", glm.params[1], "statsmodels GLM(Binomial, freq_weights)", 1e-8)
glm = sm.GLM(t, np.ones(len(t)), sm.families.Binomial(), freq_weights=v, offset=logit(s)).fit(tol=1e-14)
entry("intercept_large", glm.params[0], "statsmodels GLM(Binomial, freq_weights, offset)", 1e-8)
r, k = v * (t - s), np.exp(-np.abs(s[:, None] - s[None]) / 0.4)
entry("mmce", np.sqrt(r @ k @ r) / v.sum(), "definition: all pairs in NumPy")
r = r / np.where(t == 1, v[t == 1].sum(), v[t == 0].sum())
entry("mmce_w", np.sqrt(r @ k @ r), "definition: all pairs in NumPy", 1e-10)
entry("effective_rows", w.sum() ** 2 / (w**2).sum(), "definition: Kish's effective sample size")

# Fits
s, t, v = p[fit], y[fit], w[fit]
new = p[test]
one = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(logit(s)[:, None], t, sample_weight=v)
by = "sklearn.linear_model.LogisticRegression(C=inf) of the log-odds"
entry("platt", one.predict_proba(logit(new)[:, None])[:, 1], by, 1e-6)
found = IsotonicRegression(out_of_bounds="clip").fit(s, t, sample_weight=v)
entry("isotonic", found.predict(new), "sklearn.isotonic.IsotonicRegression")
loss = lambda slope: np.average(np.logaddexp(0, np.where(t == 1, -1, 1) * slope * logit(s)), weights=v)  # noqa: E731
slope = minimize_scalar(loss, bounds=(0.01, 10), method="bounded", options={"xatol": 1e-12}).x
entry("temperature", 1 / slope, "scipy.optimize.minimize_scalar", 1e-6)
b, c = bins_of(s), bins_of(new)
values = [np.average(t[b == k], weights=v[b == k]) if (b == k).any() else np.nan for k in range(BINS)]
values = np.array(values)[c]
entry("histogram", np.where(np.isnan(values), new, values), "definition: numpy.average in each of 15 bins")
x = sm.add_constant(np.column_stack([np.log(s), -np.log1p(-s)]))
beta = sm.GLM(t, x, sm.families.Binomial(), freq_weights=v).fit(tol=1e-14)
assert (beta.params[1:] >= 0).all()
x = sm.add_constant(np.column_stack([np.log(new), -np.log1p(-new)]))
entry("beta", beta.predict(x), "statsmodels GLM(Binomial, freq_weights) of ln p and -ln(1 - p)", 1e-8)

# Three classes ------------------------------------------------------------------------------------------------------
many, calibrate_many = 180, 100
units = 10_000
logits = rng.normal(0, 1.5, (many, 3))
label = np.array([rng.choice(3, p=q) for q in softmax(0.6 * logits, axis=1)])
k = np.maximum(np.floor(softmax(logits, axis=1) * units), 1).astype(int)
k[np.arange(many), k.argmax(axis=1)] += units - k.sum(axis=1)
q = k / units
u = np.round(rng.gamma(1.5, 1.0, many), 2)
u[::17] = 0.0
test = (np.arange(many) >= calibrate_many) & (u > 0)
fit = (np.arange(many) < calibrate_many) & (u > 0)
s, t, v = q[test], label[test], u[test]
hit = np.eye(3)[t]
top, right = s.max(axis=1), (s.argmax(axis=1) == t).astype(int)
entry("many_accuracy", accuracy_score(t, s.argmax(axis=1), sample_weight=v), "sklearn.metrics.accuracy_score")
entry("many_nll", log_loss(t, s, sample_weight=v), "sklearn.metrics.log_loss")
entry("many_brier", np.average(((s - hit) ** 2).sum(axis=1), weights=v), "numpy.average")
entry("many_brier_mean", np.average(((s - hit) ** 2).mean(axis=1), weights=v), "numpy.average")
entry("many_brier_top", brier_score_loss(right, top, sample_weight=v), "sklearn.metrics.brier_score_loss")
entry("many_auroc", roc_auc_score(right, top, sample_weight=v), "sklearn.metrics.roc_auc_score")
entry("many_ece", ece(top, right, v), "definition: numpy.average in each of 15 bins")
by = "definition: numpy.average in each of 15 bins, mean over classes"
entry("many_classwise_ece", np.mean([ece(s[:, j], hit[:, j], v) for j in range(3)]), by)
s, t, v = q[fit], label[fit], u[fit]


def loss_many(slope):
    scaled = np.log(s) * slope
    return np.average(np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(t)), t], weights=v)


slope = minimize_scalar(loss_many, bounds=(0.01, 10), method="bounded", options={"xatol": 1e-12}).x
entry("many_temperature", 1 / slope, "scipy.optimize.minimize_scalar", 1e-6)

body = {
    "schema": "localcal-golden/1",
    "made_by": "tests/golden/make_weights.py",
    "python": ".".join(map(str, sys.version_info[:3])),
    "versions": {name: version(name) for name in PACKAGES},
    "source": "seeded draws; weights of a gamma distribution, some of them 0",
    "inputs": {
        "calibrate": calibrate,
        "p": p.tolist(),
        "y": y.tolist(),
        "w": w.tolist(),
        "units": units,
        "probabilities": k.tolist(),
        "label": label.tolist(),
        "u": u.tolist(),
        "calibrate_many": calibrate_many,
    },
    "expected": expected,
}
one = lambda v: json.dumps(v, separators=(",", ":"), allow_nan=False)  # noqa: E731
block = lambda d: "{\n" + ",\n".join(f"    {one(k)}: {one(v)}" for k, v in d.items()) + "\n  }"  # noqa: E731
lines = [f"  {one(k)}: {block(v) if k in ('inputs', 'expected') else one(v)}" for k, v in body.items()]
path = HERE / "weights.json"
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
assert json.loads(path.read_text()) == body
print(f"{path.name}: {path.stat().st_size} bytes, {len(expected)} entries")
