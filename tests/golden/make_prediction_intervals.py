"""Write prediction_intervals.json: 95% prediction intervals of the data sets in random_effects.json, by SciPy.

The generalized pivot of the variance between studies: Q(tau2) = sum (y - mu)² / (v + tau2), mu weighted by 1 / (v + tau2), has
a chi-squared distribution with k − 1 degrees of freedom at the true tau2 and falls with it. For each of 20,000 evenly spaced
quantiles c of that distribution, Q(tau2) = c is solved for tau2 (0 where Q(0) < c); the mean of a new study is then
N(mu, 1 / sum(1 / (v + tau2)) + tau2), and the interval has the 2.5% and 97.5% quantiles of the mixture of these. It is
extended to the interval of the mean (as in random_effects.json) where that is wider.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1
    python tests/golden/make_prediction_intervals.py
"""

import json
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, norm

HERE = Path(__file__).parent
QUANTILES = 20_000


def at(y, v, tau2):
    w = 1 / (v + tau2)
    mu = (w * y).sum() / w.sum()
    return mu, w.sum(), (w * (y - mu) ** 2).sum()


def interval(y, v, of_mean):
    k = len(y)
    none = at(y, v, 0.0)[2]
    parts = []
    for c in chi2.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES, k - 1):
        tau2 = 0.0
        if none > c:
            high = v.max()
            while at(y, v, high)[2] > c:
                high *= 2
            tau2 = brentq(lambda x: at(y, v, x)[2] - c, 0.0, high, xtol=1e-14)
        mu, total, _ = at(y, v, tau2)
        parts.append((mu, np.sqrt(1 / total + tau2)))
    mu, sd = np.array(parts).T
    quantile = lambda p: brentq(lambda x: norm.cdf((x - mu) / sd).mean() - p, (mu - 9 * sd).min(), (mu + 9 * sd).max())
    return [min(quantile(0.025), of_mean[0]), max(quantile(0.975), of_mean[1])]


sets = json.loads((HERE / "random_effects.json").read_text())
found = {name: interval(np.array(s["y"]), np.array(s["v"]), s["interval"]) for name, s in sets.items()}
(HERE / "prediction_intervals.json").write_text(json.dumps(found, indent=1) + "\n")
