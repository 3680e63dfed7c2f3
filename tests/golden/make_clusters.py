"""Write clusters.json: calibration in the large, intercept and slope with cluster-robust standard errors, by statsmodels.

The rows are 60 clusters of 1 to 12 rows whose outcomes share an effect. Standard errors are those of a binomial GLM fitted
with `cov_type="cluster"`: once without its small-sample factor (`plain`), and once with it (`corrected`), which is
G/(G − 1) · (n − 1)/(n − d) for G clusters, n rows and d parameters. LoCal multiplies variances by G/(G − 1) alone.
The O:E interval is exp(ln O:E ± 1.96 SE) with SE² = Σ_c (Σ_{i∈c} e_i)² / n², e = t/mean(t) − s/mean(s), times G/(G − 1).

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python tests/golden/make_clusters.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.special import expit, logit

rng = np.random.default_rng(20261124)
sizes = rng.integers(1, 13, 60)
of = np.repeat(np.arange(60), sizes)
order = rng.permutation(len(of))
of = of[order]
effect = rng.normal(0, 1, 60)
s = np.round(expit(-0.8 + 0.9 * rng.normal(size=len(of)) + 0.5 * effect[of]), 6)
t = (rng.random(len(of)) < expit(0.7 * logit(s) + 0.8 * effect[of])).astype(int)


def fit(x, offset=None):
    model = sm.GLM(t, x, family=sm.families.Binomial(), offset=offset)
    found = {"value": [], "plain": [], "corrected": []}
    for name, correction in [("plain", False), ("corrected", True)]:
        result = model.fit(cov_type="cluster", cov_kwds={"groups": of, "use_correction": correction}, tol=1e-12)
        found["value"] = list(result.params)
        found[name] = list(result.bse)
    return found


n, groups = len(of), len(np.unique(of))
e = t / t.mean() - s / s.mean()
sums = np.bincount(of, weights=e)
se = np.sqrt(groups / (groups - 1) * (sums**2).sum()) / n
ratio = t.mean() / s.mean()
golden = {
    "s": list(s),
    "t": [int(v) for v in t],
    "cluster": [int(v) for v in of],
    "large": fit(np.ones((n, 1)), logit(s)),
    "joint": fit(sm.add_constant(logit(s))),
    "observed_expected": [ratio, ratio * np.exp(-1.959963984540054 * se), ratio * np.exp(1.959963984540054 * se)],
}
Path(__file__).with_name("clusters.json").write_text(json.dumps(golden) + "\n")
