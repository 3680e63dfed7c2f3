"""Kernel local calibration error by plain NumPy in double precision: golden numbers for tests/numbers/klce.rs.

Run: python make_klce.py  (writes klce.json beside this file)
"""
import json
import pathlib

import numpy as np


def statistic(kernel, e):
    h = e @ e.T
    off = kernel - np.diag(np.diag(kernel))
    n = len(e)
    return {
        "statistic": float((off * h).sum()),
        "mass": float(off.sum()),
        "absolute": float((off * abs(h)).sum()),
        "normalised": float((off * h).sum() / ((n - 1) / n * kernel.sum())),
        "unbiased": float((off * h).sum() / (n * (n - 1))),
        "null_sd": None,
    }


def squares(x):
    return ((x[:, None, :] - x[None, :, :]) ** 2).sum(2)


def case(seed, n, m, d, width_p, gamma):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, m)) * 1.5
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    y = np.array([rng.choice(m, p=row) for row in p])
    x = rng.normal(size=(n, d))
    x[: n // 5] = np.round(x[: n // 5])
    if m == 2:
        score, target = p[:, 1:], (y == 1).astype(float)[:, None]
    else:
        score, target = p, np.eye(m)[y]
    kernel = np.exp(-squares(score) / width_p**2 - gamma * squares(x))
    out = statistic(kernel, target - score)
    # Var of T under labels drawn from the scores, two classes: 2 sum_{i != j} K^2 v_i v_j.
    if m == 2:
        v = (score * (1 - score))[:, 0]
        off = kernel - np.eye(n)
        out["null_sd"] = float(np.sqrt(2 * (v @ off**2 @ v)))
    return {
        "width_p": width_p, "gamma": gamma, "m": m, "d": d,
        "p": score.ravel().tolist(), "y": y.tolist(), "x": x.ravel().tolist(), **out,
    }


cases = [
    case(1, 57, 2, 3, 0.1, 0.5), case(2, 100, 2, 1, 0.3, 2.0), case(3, 41, 3, 2, 0.2, 0.5),
    case(4, 64, 5, 4, 0.4, 0.25), case(5, 601, 2, 3, 0.1, 0.5),
]
path = pathlib.Path(__file__).with_name("klce.json")
path.write_text(json.dumps(cases) + "\n")
