"""Write intercept.json: recalibration in the large by statsmodels, a binomial GLM of a constant with offset logit(p).

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python tests/golden/make_intercept.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm
from scipy.special import expit, logit

rng = np.random.default_rng(20261123)
n = 200
p = np.clip(np.round(expit(rng.normal(-0.5, 1.5, n)), 3), 0.001, 0.999)
y = (rng.uniform(size=n) < expit(logit(p) + 0.8)).astype(int)
w = np.round(rng.uniform(0.2, 3.0, n), 2)


def fitted(weights):
    family = sm.families.Binomial()
    model = sm.GLM(y, np.ones((n, 1)), family=family, offset=logit(p), freq_weights=weights)
    b = float(model.fit(tol=1e-15, maxiter=100).params[0])
    q = expit(logit(p) + b)
    return {"b": b, "nll": float(-np.average(np.where(y == 1, np.log(q), np.log1p(-q)), weights=weights))}


out = {
    "by": f"statsmodels {statsmodels.__version__}, GLM(Binomial, offset=logit(p), freq_weights=w)",
    "p": p.tolist(),
    "y": y.tolist(),
    "w": w.tolist(),
    "plain": fitted(np.ones(n)),
    "weighted": fitted(w),
}
Path(__file__).with_name("intercept.json").write_text(json.dumps(out) + "\n")
