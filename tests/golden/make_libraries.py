"""What other libraries print for the same rows, by the libraries themselves.

    pip install mapie netcal probmetrics relplot scikit-learn statsmodels torchmetrics uncertainty-calibration
    python make_libraries.py > libraries.json

Seeded; scores lie on bin edges, at 0 and at 1. The two libraries written in R are represented by the logistic fits of
statsmodels.
"""

import json
import warnings

import calibration
import mapie
import netcal
import numpy as np
import relplot
import sklearn
import statsmodels.api as sm
import torch
import torchmetrics
from mapie.metrics.calibration import expected_calibration_error
from netcal.metrics import ECE, MCE
from scipy.special import expit, logit
from sklearn.metrics import brier_score_loss, log_loss
from torchmetrics.functional.classification import binary_calibration_error

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)


def printed(s, t):
    def of_torchmetrics(norm):
        return binary_calibration_error(torch.tensor(s), torch.tensor(t), n_bins=15, norm=norm).item()

    return {
        "torchmetrics CalibrationError(l1)": of_torchmetrics("l1"),
        "torchmetrics CalibrationError(max)": of_torchmetrics("max"),
        "netcal ECE": float(ECE(10).measure(s, t)),
        "netcal MCE": float(MCE(10).measure(s, t)),
        "relplot smECE": float(relplot.smECE(s, t)),
        "verified_calibration get_ece": float(calibration.get_ece(s, t)),
        "verified_calibration get_calibration_error": float(calibration.get_calibration_error(s, t)),
        "MAPIE expected_calibration_error": float(expected_calibration_error(t, s)),
        "scikit-learn brier_score_loss": brier_score_loss(t, s),
        "scikit-learn log_loss": log_loss(t, s),
    }


def of_probmetrics(p, y):
    try:
        from probmetrics.distributions import CategoricalDistribution, CategoricalProbs
        from probmetrics.metrics import Metrics
    except ImportError:
        return {}
    del CategoricalDistribution
    names = ["ece-15", "brier"]
    truth = CategoricalProbs(torch.eye(2, dtype=torch.float64)[torch.tensor(y)])
    given = CategoricalProbs(torch.tensor(np.c_[1 - p, p]))
    found = Metrics.from_names(names).compute_all(truth, given)
    return {f"probmetrics {name}": float(found[name]) for name in names}


def positive(p, y):
    inside = (p > 0) & (p < 1)
    u, kept = logit(p[inside]), y[inside]
    joint = sm.Logit(kept, sm.add_constant(u)).fit(disp=0, tol=1e-14, maxiter=100)
    values = printed(p, y) | of_probmetrics(p, y)
    values |= {
        "rms val.prob Intercept": joint.params[0],
        "rms val.prob Slope": joint.params[1],
    }
    if inside.all():
        family = sm.families.Binomial()
        large = sm.GLM(y, np.ones((len(y), 1)), family=family, offset=u).fit(tol=1e-14)
        values |= {"CalibrationCurves Intercept": large.params[0], "CalibrationCurves Slope": joint.params[1]}
    return {"s": p.tolist(), "t": y.tolist(), "values": values}


n = 500
smooth = np.clip(np.round(expit(rng.normal(0.3, 1.8, n)), 3), 0.001, 0.999)
y_smooth = (rng.uniform(size=n) < expit(0.6 * logit(smooth) - 0.3)).astype(int)
votes = np.clip(np.round(expit(rng.normal(0.2, 2.5, n)) * 1.1 - 0.05, 2), 0, 1)
y_votes = (rng.uniform(size=n) < 0.1 + 0.8 * votes).astype(int)
# What is given as 0 or 1 happens so, or the logarithmic losses would only measure how they are clipped.
y_votes = np.where(votes == 0, 0, np.where(votes == 1, 1, y_votes))
confidence = np.clip(np.round(rng.beta(6, 1.5, n), 3), 0.2, 1.0)
right = (rng.uniform(size=n) < confidence - 0.1).astype(int)

print(json.dumps({
    "made_by": {
        "mapie": mapie.__version__, "netcal": netcal.__version__, "relplot": getattr(relplot, "__version__", "1.0.3"),
        "scikit-learn": sklearn.__version__, "torchmetrics": torchmetrics.__version__,
    },
    "smooth": positive(smooth, y_smooth),
    "votes": positive(votes, y_votes),
    "confidence": {"s": confidence.tolist(), "t": right.tolist(), "values": printed(confidence, right)},
}))
