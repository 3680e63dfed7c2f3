"""Recalibrators as probmetrics 1.3 has them, with cir-model and splinecalib.

    pip install probmetrics==1.3.0 torch torchmetrics pytorch-minimize numba cir-model splinecalib scikit-learn scipy
    python make_probmetrics.py > probmetrics.json

probmetrics works in single precision and stops its searches early. What is compared is the minimum that it searches for:
its own features, losses and penalties, in double precision and with tight tolerances. `as_it_comes` is the largest
difference between the probabilities of that minimum and those of the package untouched.
"""

import json
import sys

import numpy as np
import probmetrics.calibrators.logistic as logistic
import torchmin
from cir_model import CenteredIsotonicRegression
from loss_fun_c import pen_ll_fun_grad
from probmetrics.calibrators import get_calibrator
from sklearn.linear_model import LogisticRegression
from splinecalib import SplineCalib
from splinecalib.calib_utils import _natural_cubic_spline_basis_expansion as basis

rng = np.random.default_rng(20260528)
golden = {}


def binary(n):
    z = rng.normal(-0.4, 1.6, n)
    p = np.float64(np.float32(1 / (1 + np.exp(-z))))
    y = (rng.random(n) < 1 / (1 + np.exp(-(0.3 + 0.7 * z - 0.12 * z * z)))).astype(int)
    return p, y


p, y = binary(240)
queries = np.float64(np.float32(np.concatenate([np.linspace(0.002, 0.998, 41), p[:20]])))
two = lambda s: np.stack([1 - s, s], axis=1)
golden["binary"] = {"p": p, "y": y, "queries": queries}


def apart(ours, cal, x):
    return float(np.abs(ours - cal.predict_proba(x)).max())


# quadratic scaling: the features of the package, its unpenalised logistic regression to the end
cal = get_calibrator("quadratic-scaling")
cal.fit(two(p), y)
features = lambda s: np.stack([np.ones_like(s), np.log(s / (1 - s)), np.log(s / (1 - s)) ** 2], axis=1)
assert np.allclose(features(p), cal._get_logits(two(p)), atol=1e-5)
full = LogisticRegression(penalty=None, fit_intercept=False, solver="newton-cholesky", tol=1e-13, max_iter=1000)
full.fit(features(p), y)
fitted = full.predict_proba(features(queries))
golden["quadratic"] = {
    "coefficients": full.coef_[0],
    "fitted": fitted[:, 1],
    "as_it_comes": apart(fitted, cal, two(queries)),
}

# centered isotonic regression, as it comes
cal = get_calibrator("cir")
cal.fit(two(p), y)
low, high = p.min(), p.max()
fitted = CenteredIsotonicRegression().fit(p, y.astype(float)).transform(np.clip(queries, low, high))
golden["centered_isotonic"] = {"fitted": fitted, "as_it_comes": apart(two(fitted), cal, two(queries))}

# the smoothing spline: splinecalib's basis, prior and loss on all rows at given knots and λ, by Newton's method
knots_p = np.quantile(p, np.linspace(0, 1, 11), method="nearest")
golden["spline"] = []
for strength in (1e-3, 0.1, 1.0, 30.0):
    cal = SplineCalib(knot_sample_size=0, add_knots=knots_p, reg_param_vec=[strength], logodds_eps=2.0**-28)
    cal.fit(p.copy(), y)
    x, w = cal.X_mat_used, cal.final_weightvec
    t = np.concatenate([y, np.unique(cal.unity_prior_gridpts)]).astype(float)
    size = np.abs(x).max(axis=0)
    scaled, penalty, beta = x / size, strength / x.shape[1] / size**2, np.zeros(x.shape[1])
    for _ in range(200):
        q = 1 / (1 + np.exp(-scaled @ beta))
        gradient = scaled.T @ (w * (q - t)) / len(t) + 2 * penalty * beta
        hessian = (scaled.T * (w * q * (1 - q))) @ scaled / len(t) + 2 * np.diag(penalty)
        beta -= np.linalg.solve(hessian, gradient)
    loss, gradient = pen_ll_fun_grad(beta / size, x, t, strength, w)
    assert np.abs(gradient / size).max() < 1e-10, gradient
    z = np.log(queries / (1 - queries))
    golden["spline"].append({
        "knots": cal.knot_vec_tr,
        "strength": strength,
        "fitted": 1 / (1 + np.exp(-basis(z, cal.knot_vec_tr) @ (beta / size))),
    })

# structured scaling: the losses of the package in double precision, to a gradient of 1e-9
m, n = 4, 300
z = np.float64(np.float32(rng.normal(0, 1.5, (n, m)) + 2.0 * np.eye(m)[rng.integers(0, m, n)]))
scores = np.exp(0.6 * z @ (np.eye(m) + 0.1 * rng.normal(size=(m, m))).T + [0.4, -0.3, 0, 0.1])
classes = np.array([rng.choice(m, p=row / row.sum()) for row in scores])
softmax = lambda z: np.exp(z - z.max(1, keepdims=True)) / np.exp(z - z.max(1, keepdims=True)).sum(1, keepdims=True)
probabilities = softmax(z)
golden["classes"] = {"m": m, "z": z.ravel(), "y": classes}
single, search = logistic.multiclass_probs_to_logits, torchmin.minimize
for name, key in (("svs", "structured_vector"), ("sms", "structured_matrix")):
    untouched = get_calibrator(name)
    untouched.fit(probabilities, classes)
    logistic.multiclass_probs_to_logits = np.log
    torchmin.minimize = lambda loss, start, method: search(
        loss, start, method="newton-exact", tol=1e-14, max_iter=200)
    cal = get_calibrator(name)
    cal.fit(probabilities, classes)
    fitted = cal.predict_proba(probabilities)
    logistic.multiclass_probs_to_logits, torchmin.minimize = single, search
    golden[key] = {"fitted": fitted[:40].ravel(), "as_it_comes": apart(fitted, untouched, probabilities)}

for key in ("quadratic", "centered_isotonic", "structured_vector", "structured_matrix"):
    print(f"{key}: {golden[key]['as_it_comes']:.1e} from the package as it comes", file=sys.stderr)
plain = lambda value: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
print(json.dumps(golden, default=plain))
