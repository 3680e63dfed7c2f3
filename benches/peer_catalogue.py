"""Scorecard and fits with the usual Python tools, natively, beside the browser's times.

    node tests/browser/bench.mjs --json bench.json
    python benches/peer_catalogue.py bench.json   # needs numpy, scipy, scikit-learn

One bootstrap replicate of the scorecard is timed and multiplied by the page's 400 (200 intervals, 200 floors). Fits see
12,500 rows of 1,000 logits in f32, as the page's do, and score the other half.
"""

import json
import sys
import time

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import logsumexp
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

SCORECARD = "scorecard with floors and intervals (200 replicates), 1,000,000 binary rows, two workers"
FIT = "{}, 25,000 rows × 1,000 logits, as a whole run, two workers"
REPLICATES = 400


def timed(body, times=1):
    """Shortest of a few runs, in milliseconds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        body()
        best = min(best, (time.perf_counter() - start) * 1e3)
    return best


def binned(p, y):
    """ECE and MCE of 15 bins, and ACE of 15 quantile bins."""
    found = []
    for edges in (np.linspace(0, 1, 16), np.quantile(p, np.linspace(0, 1, 16))):
        k = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, 14)
        count = np.bincount(k, minlength=15)
        gap = np.abs(np.bincount(k, p, 15) - np.bincount(k, y, 15))
        found += [gap.sum() / len(p), (gap / np.maximum(count, 1)).max()]
    return found


def replicate(p, y, rng):
    """The scorecard of one bootstrap sample."""
    rows = rng.integers(len(p), size=len(p))
    p, y = p[rows], y[rows]
    return [*binned(p, y), roc_auc_score(y, p), log_loss(y, p), brier_score_loss(y, p), ((p > 0.5) == y).mean()]


def nll(z, y):
    return (logsumexp(z, axis=1) - z[np.arange(len(y)), y]).mean()


def temperature(z, y):
    found = minimize_scalar(lambda t: nll(z / np.float32(t), y), bounds=(0.05, 20), method="bounded")
    return lambda z: softmax(z / np.float32(found.x))


def ets(z, y):
    """Weights of three terms after the temperature, squared error, as the method's own code does."""
    scaled, plain = temperature(z, y)(z), softmax(z)
    onehot = np.zeros_like(plain)
    onehot[np.arange(len(y)), y] = 1
    flat = np.float32(1 / z.shape[1])
    loss = lambda w: float(((w[0] * scaled + w[1] * plain + w[2] * flat - onehot) ** 2).mean())
    sums = {"type": "eq", "fun": lambda w: w.sum() - 1}
    return minimize(loss, np.ones(3) / 3, method="SLSQP", bounds=[(0, 1)] * 3, constraints=sums, tol=1e-12)


def vector(z, y):
    """Scale and shift of every class by L-BFGS."""
    n, m = z.shape

    def loss(w):
        u = z * w[:m].astype(np.float32) + w[m:].astype(np.float32)
        g = softmax(u)
        value = nll(u, y)
        g[np.arange(n), y] -= 1
        return value, np.concatenate([(g * z).sum(0), g.sum(0)]).astype(float) / n

    return minimize(loss, np.concatenate([np.ones(m), np.zeros(m)]), jac=True, method="L-BFGS-B")


def mir(z, y):
    """One isotonic curve through every probability."""
    p = softmax(z)
    onehot = np.zeros_like(p)
    onehot[np.arange(len(y)), y] = 1
    return IsotonicRegression(out_of_bounds="clip").fit(p.ravel(), onehot.ravel())


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main():
    page = {}
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            page = {row["what"]: row["median"] for row in json.load(file)["rows"]}
    print("| what | page | Python | |\n|---|---:|---:|---:|")

    def line(what, took):
        own = page.get(what)
        cells = (f"{own:.0f} ms", f"{took / own:.1f}×") if own else ("", "")
        print(f"| {what} | {cells[0]} | {took:.0f} ms | {cells[1]} |", flush=True)

    rng = np.random.default_rng(1)
    p = rng.random(1_000_000)
    y = (rng.random(len(p)) < p).astype(int)
    line(SCORECARD, REPLICATES * timed(lambda: replicate(p, y, rng), 3))
    labels = rng.integers(1000, size=12_500)
    z = rng.normal(size=(12_500, 1000)).astype(np.float32)
    z[np.arange(len(labels)), labels] += 4
    for name, fit in (("temperature", temperature), ("ets", ets), ("vector", vector), ("mir", mir)):
        line(FIT.format(name), timed(lambda: fit(z, labels)))


if __name__ == "__main__":
    main()
