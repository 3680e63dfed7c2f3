"""Intervals of AUROC, calibration in the large, calibration intercept and slope, observed : expected and scaled Brier.

NumPy alone, each from its definition: DeLong by comparing every event with every non-event (O(n m), no ranks), robust
(HC0) standard errors of logistic fits by Newton's method and explicit inverses, the delta method by gradients.

    python tests/golden/make_intervals.py   # writes intervals.json
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
Z = 1.959963984540054


def delong(s, t, w):
    events, others = t == 1, t == 0
    x, y, wx, wy = s[events], s[others], w[events], w[others]
    psi = (x[:, None] > y[None, :]) + 0.5 * (x[:, None] == y[None, :])
    v1 = psi @ wy / wy.sum()
    v0 = wx @ psi / wx.sum()
    area = wx @ v1 / wx.sum()
    variance = 0.0
    for v, own in ((v1, wx), (v0, wy)):
        m = own.sum() ** 2 / (own**2).sum()
        variance += m / (m - 1) * (own**2 * (v - area) ** 2).sum() / own.sum() ** 2
    return area, np.sqrt(variance)


def logistic(columns, offset, t, w):
    x = np.column_stack([np.ones(len(t)), *columns])
    beta = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-(x @ beta + offset)))
        information = (x * (w * p * (1 - p))[:, None]).T @ x
        beta = beta + np.linalg.solve(information, x.T @ (w * (t - p)))
    p = 1 / (1 + np.exp(-(x @ beta + offset)))
    inverse = np.linalg.inv((x * (w * p * (1 - p))[:, None]).T @ x)
    meat = (x * ((w * (t - p)) ** 2)[:, None]).T @ x
    return beta, np.sqrt(np.diag(inverse @ meat @ inverse))


def of(s, t, w):
    logit = np.log(s / (1 - s))
    large, large_error = logistic([], logit, t, w)
    joint, joint_error = logistic([logit], np.zeros(len(t)), t, w)
    area, error = delong(s, t, w)
    total = w.sum()
    # log O - log E: gradient (1 / O, -1 / E) on the covariance of both sums
    o, e = w @ t / total, w @ s / total
    rows = w[:, None] * np.column_stack([t - o, s - e]) / total
    gradient = np.array([1 / o, -1 / e])
    ratio_error = np.sqrt(gradient @ (rows.T @ rows) @ gradient)
    # 1 - B / (t (1 - t)): gradient (-1 / U, B (1 - 2 t) / U^2)
    b = w @ (s - t) ** 2 / total
    u = o * (1 - o)
    rows = w[:, None] * np.column_stack([(s - t) ** 2 - b, t - o]) / total
    gradient = np.array([-1 / u, b * (1 - 2 * o) / u**2])
    scaled_error = np.sqrt(gradient @ (rows.T @ rows) @ gradient)
    return {
        "auroc": [area, error],
        "intercept_large": [large[0], large_error[0]],
        "intercept_joint": [joint[0], joint_error[0]],
        "slope": [joint[1], joint_error[1]],
        "observed_expected": [o / e * np.exp(-Z * ratio_error), o / e * np.exp(Z * ratio_error)],
        "scaled_brier": [1 - b / u - Z * scaled_error, 1 - b / u + Z * scaled_error],
    }


def main():
    rng = np.random.default_rng(28)
    files = {}
    for name, n, ties in (("small", 24, 1), ("ties", 120, 1), ("plain", 300, 6)):
        s = np.clip(np.round(1 / (1 + np.exp(-1.5 * rng.normal(size=n) + 0.5)), ties), 0.05, 0.95)
        t = (rng.random(n) < 1 / (1 + np.exp(-0.6 * np.log(s / (1 - s)) - 0.2))).astype(int)
        w = np.round(np.exp(0.7 * rng.normal(size=n)), 3)
        files[name] = {
            "s": s.tolist(),
            "t": t.tolist(),
            "w": w.tolist(),
            "once": {k: [float(v) for v in vs] for k, vs in of(s, t, np.ones(n)).items()},
            "weighted": {k: [float(v) for v in vs] for k, vs in of(s, t, w).items()},
        }
    # the twelve rows of the unit tests
    s = np.array([0.05, 0.15, 0.20, 0.30, 0.35, 0.45, 0.50, 0.60, 0.65, 0.75, 0.85, 0.95])
    t = np.array([0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1])
    twelve = {k: [float(v) for v in vs] for k, vs in of(s, t, np.ones(12)).items()}
    files["twelve"] = {"s": s.tolist(), "t": t.tolist(), "w": [1.0] * 12, "once": twelve, "weighted": twelve}
    (HERE / "intervals.json").write_text(json.dumps(files, indent=1) + "\n")


if __name__ == "__main__":
    main()
