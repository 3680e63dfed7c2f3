"""Write curves.json: calibration curves and their pointwise bands, by statsmodels and a few lines of NumPy.

Run (Python 3.11 or later; pip install numpy scipy statsmodels): python tests/golden/make_curves.py

loess: statsmodels.nonparametric.lowess(frac=2/3, it=0). spline: statsmodels GLM (binomial) on Harrell's restricted cubic
basis, knots where the weighted distribution function of the rows first reaches a quantile.
Bands: the curve +- 1.96 sqrt v, v(x) = sum of l^2 p (1 - p) over the rows, l what the smoother makes of one event alone, p
moved as if two of four more rows were events. Of the spline: Wald's on the scale of the log-odds, from the covariance of GLM.
"""

import json
import platform
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm
from statsmodels.nonparametric.smoothers_lowess import lowess

Z = 1.959963984540054


def loess(s, y):
    return lowess(y, s, frac=2 / 3, it=0, delta=0.0, is_sorted=True, return_sorted=False)


def basis(s):
    x = np.log(s) - np.log1p(-s)
    rank = np.arange(1, len(s) + 1)
    quantiles = (0.1, 0.5, 0.9)
    if len(s) >= 300:
        quantiles = (0.05, 0.35, 0.65, 0.95)
    if len(s) >= 500:
        quantiles = (0.05, 0.275, 0.5, 0.725, 0.95)
    t = [x[np.argmax(rank >= q * len(s))] for q in quantiles]
    cube = lambda v: np.maximum(v, 0) ** 3
    columns = [np.ones_like(x), x]
    for knot in t[:-2]:
        a, b = (t[-1] - knot) / (t[-1] - t[-2]), (t[-2] - knot) / (t[-1] - t[-2])
        columns.append((cube(x - knot) - a * cube(x - t[-2]) + b * cube(x - t[-1])) / (t[-1] - t[0]) ** 2)
    return np.column_stack(columns)


def spline(s, y):
    design = basis(s)
    fit = sm.GLM(y, design, family=sm.families.Binomial()).fit(tol=1e-12, maxiter=200)
    return fit.predict(design), np.asarray(fit.cov_params()), design




def band(value, operator):
    n0 = 1 / (operator**2).sum(axis=1)
    p = (value * n0 + Z * Z / 2) / (n0 + Z * Z)
    half = Z * np.sqrt((operator**2) @ (p * (1 - p)))
    return np.maximum(value - half, 0), np.minimum(value + half, 1)


def case(n, shape, seed):
    rng = np.random.default_rng(seed)
    s = np.sort(np.unique(np.round(rng.beta(*shape, n), 6)))
    s = s[(s > 0) & (s < 1)]
    y = (rng.random(len(s)) < s**1.3).astype(float)
    found = {"score": s.tolist(), "outcome": y.astype(int).tolist()}
    value = loess(s, y)
    # a linear smoother: its weights are what it makes of unit outcomes
    operator = np.column_stack([loess(s, unit) for unit in np.eye(len(s))])
    inside = np.clip(value, 0, 1)
    low, high = band(inside, operator)
    found["loess"] = {"value": inside.tolist(), "low": low.tolist(), "high": high.tolist()}
    value, covariance, design = spline(s, y)
    eta = np.log(value) - np.log1p(-value)
    half = Z * np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    low, high = 1 / (1 + np.exp(half - eta)), 1 / (1 + np.exp(-half - eta))
    found["spline"] = {"value": value.tolist(), "low": low.tolist(), "high": high.tolist()}
    return found


def main():
    cases = [case(240, (2, 5), 1), case(400, (1, 1), 2), case(180, (5, 2), 3), case(505, (2, 3), 4)]
    versions = {"python": platform.python_version(), "numpy": np.__version__, "statsmodels": statsmodels.__version__}
    golden = {"versions": versions, "cases": cases}
    Path(__file__).with_name("curves.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
