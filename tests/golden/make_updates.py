"""Write updates.json: updates for groups with shrinkage, by statsmodels and NumPy.

For a given spread tau: the maximum at which the score of statsmodels' binomial GLM with an offset is the ridge on the
shifts, which its own fit_regularized finds as well. For the spread that the rows say: penalised quasi-likelihood by its
definition, the working response y* = eta + (t - p) / w with covariance V = W^-1 + tau^2 Z Z', tau by restricted likelihood
(dense matrices), repeated until nothing moves.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python tests/golden/make_updates.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

rng = np.random.default_rng(20261125)
n = 240
p = np.clip(np.round(expit(rng.normal(-0.5, 1.5, n)), 3), 0.001, 0.999)
ward = rng.choice(6, n, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
old = rng.uniform(size=n) < 0.3
y = (rng.uniform(size=n) < expit(0.8 * logit(p) + 0.3 + 1.8 * (ward == 2) - 0.8 * (ward == 0) + 1.2 * old)).astype(int)
w = np.round(rng.uniform(0.2, 3.0, n), 2)
wards = np.eye(6)[ward]
slices = np.column_stack([ward == 2, old, (ward == 2) & old, ward <= 1]).astype(float)


def design(slope):
    z, one = logit(p), np.ones(n)
    if slope == "identity":
        return np.zeros((n, 0)), z
    return (np.column_stack([one, z]), np.zeros(n)) if slope == "free" else (one[:, None], z)


def told(slope, beta, shifts, tau):
    a = float(beta[1]) if slope == "free" else 1.0
    b = float(beta[0]) if len(beta) else 0.0
    return {"a": a, "b": b, "shifts": list(map(float, shifts)), "spread": float(tau)}


def penalised(slope, groups, tau, weights):
    """Newton's method on the penalised likelihood, and statsmodels' ridge, which must agree."""
    fixed, offset = design(slope)
    x = np.column_stack([fixed, groups])
    ridge = np.r_[np.zeros(fixed.shape[1]), np.full(groups.shape[1], tau**-2)]
    theta = np.zeros(x.shape[1])
    for _ in range(50):
        q = expit(offset + x @ theta)
        theta += np.linalg.solve((x.T * (weights * q * (1 - q))) @ x + np.diag(ridge), x.T @ (weights * (y - q)) - ridge * theta)
    model = sm.GLM(y, x, family=sm.families.Binomial(), offset=offset, freq_weights=weights)
    assert np.max(np.abs(model.score(theta) - ridge * theta)) < 1e-8
    if np.all(weights == 1):  # coordinate descent, which takes its time
        theirs = model.fit_regularized(alpha=ridge / n, L1_wt=0.0, cnvrg_tol=1e-13, maxiter=5000).params
        assert np.max(np.abs(theirs - theta)) < 1e-3, np.max(np.abs(theirs - theta))
    return theta[: fixed.shape[1]], theta[fixed.shape[1] :]


def restricted(slope, groups, weights):
    fixed, offset = design(slope)
    beta, shifts, tau = np.zeros(fixed.shape[1]), np.zeros(groups.shape[1]), 0.5
    for step in range(100):
        eta = offset + fixed @ beta + groups @ shifts
        q = expit(eta)
        working = weights * q * (1 - q)
        star = eta - offset + (y - q) * weights / working

        def minus(log_tau, star=star, working=working):
            v = np.diag(1 / working) + np.exp(2 * log_tau) * groups @ groups.T
            vx = np.linalg.solve(v, fixed)
            information = fixed.T @ vx
            r = star - fixed @ np.linalg.solve(information, vx.T @ star)
            return np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + r @ np.linalg.solve(v, r)

        grid = np.linspace(-6, 2, 33)
        best = np.log(tau) if step else grid[np.argmin([minus(g) for g in grid])]
        tau_new = np.exp(minimize_scalar(minus, bounds=(best - 0.3, best + 0.3), method="bounded", options={"xatol": 1e-10}).x)
        v = np.diag(1 / working) + tau_new**2 * groups @ groups.T
        vx = np.linalg.solve(v, fixed)
        beta_new = np.linalg.solve(fixed.T @ vx, vx.T @ star)
        shifts_new = tau_new**2 * groups.T @ np.linalg.solve(v, star - fixed @ beta_new)
        moved = max(abs(tau_new - tau), np.max(np.abs(beta_new - beta), initial=0.0), np.max(np.abs(shifts_new - shifts)))
        beta, shifts, tau = beta_new, shifts_new, tau_new
        if moved < 3e-8:
            break
    return beta, shifts, tau


fits = []
for name, groups in (("wards", wards), ("slices", slices)):
    for slope in ("fixed", "free", "identity"):
        for weighted in (False, True):
            weights = w * n / w.sum() if weighted else np.ones(n)
            beta, shifts = penalised(slope, groups, 0.5, weights)
            given = told(slope, beta, shifts, 0.5)
            beta, shifts, tau = restricted(slope, groups, weights)
            fits.append({"groups": name, "slope": slope, "weighted": weighted, "given": given,
                         "likeliest": told(slope, beta, shifts, tau)})

out = {
    "by": f"statsmodels {statsmodels.__version__}, GLM(Binomial).score and .fit_regularized; NumPy {np.__version__}",
    "p": p.tolist(),
    "y": y.tolist(),
    "w": (w * n / w.sum()).tolist(),
    "ward": ward.tolist(),
    "old": old.astype(int).tolist(),
    "fits": fits,
}
Path(__file__).with_name("updates.json").write_text(json.dumps(out) + "\n")
