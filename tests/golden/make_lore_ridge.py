"""Write lore_ridge.json: ridge-local recalibration by its definition, with NumPy. Inner folds are handed over, sums are plain
double loops.

Run (Python 3.11 or later):

    pip install numpy==2.4.6
    python tests/golden/make_lore_ridge.py
"""

import json
from pathlib import Path

import numpy as np

GAMMAS = [0.1, 0.2, 0.4, 0.8, 1.6]
KAPPAS = [1.0, 3.0, 10.0, 30.0]
CLIP = 2.0**-52


def logit(s):
    s = np.clip(s, CLIP, 1 - CLIP)
    return np.log(s / (1 - s))


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def platt(s, t):
    """Slope and intercept of the likelihood's maximum, by Newton's method on centred log-odds."""
    u = logit(s)
    m, d = u.mean(), u.std()
    v = np.column_stack([(u - m) / d, np.ones(len(u))])
    b = np.zeros(2)
    for _ in range(100):
        p = sigmoid(v @ b)
        step = np.linalg.solve((v * (p * (1 - p))[:, None]).T @ v, v.T @ (t - p))
        b += step
        if np.abs(step).max() < 1e-14:
            break
    return b[0] / d, b[1] - b[0] * m / d


def base_of(name, s, t):
    return (1.0, 0.0) if name == "none" else platt(s, t)


def shift(places, known, a, b, s, t, gamma, kappa):
    """delta at some places: places are standardised."""
    g = sigmoid(a * logit(s) + b)
    r, w = t - g, g * (1 - g)
    out = np.empty(len(places))
    for i, x in enumerate(places):
        k = np.exp(-np.abs(known - x).sum(axis=1) / (known.shape[1] * gamma))
        out[i] = k @ r / (k @ w + kappa)
    return out


def loss(z, s, untouched, t):
    p = s if untouched else sigmoid(z)
    return -np.log(np.maximum(np.where(t == 1, p, 1 - p), 1e-15))


def settings():
    """The smoothest first."""
    yield from (("none", None, np.inf), ("platt", None, np.inf))
    for kappa in KAPPAS[::-1]:
        for gamma in GAMMAS[::-1]:
            for base in ("none", "platt"):
                yield base, gamma, kappa


def standardised(x):
    sd = x.std(axis=0)
    return x.mean(axis=0), np.where(sd > 0, sd, 1.0)


def fit(s, t, x, fold):
    mean, sd = standardised(x)
    at = (x - mean) / sd
    table = list(settings())
    losses = np.full((len(table), len(s)), np.nan)
    for f in np.unique(fold):
        fit, held = fold != f, fold == f
        bases = {name: base_of(name, s[fit], t[fit]) for name in ("none", "platt")}
        sums = {}
        for k, (name, gamma, kappa) in enumerate(table):
            a, b = bases[name]
            z = a * logit(s[held]) + b
            if gamma is not None:
                if (name, gamma) not in sums:
                    g = sigmoid(a * logit(s[fit]) + b)
                    r, w = t[fit] - g, g * (1 - g)
                    both = np.empty((held.sum(), 2))
                    for i, place in enumerate(at[held]):
                        q = np.exp(-np.abs(at[fit] - place).sum(axis=1) / (x.shape[1] * gamma))
                        both[i] = q @ r, q @ w
                    sums[name, gamma] = both
                both = sums[name, gamma]
                z = z + both[:, 0] / (both[:, 1] + kappa)
            losses[k, held] = loss(z, s[held], gamma is None and name == "none", t[held])
    nll = losses.mean(axis=1)
    best = int(nll.argmin())
    more = losses - losses[best]
    error = np.sqrt(((more - more.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)) / len(s)
    chosen = next(k for k in range(len(table)) if more[k].mean() <= error[k] or k == best)
    name, gamma, kappa = table[chosen]
    a, b = base_of(name, s, t)
    return dict(table=table, nll=nll, more=more.mean(axis=1), error=error, best=best, chosen=chosen,
                base=name, gamma=gamma, kappa=kappa, a=a, b=b, mean=mean, sd=sd)


def apply(found, s, t, x, s_new, x_new):
    a, b = found["a"], found["b"]
    if found["gamma"] is None:
        return s_new if found["base"] == "none" else sigmoid(a * logit(s_new) + b)
    places = (x_new - found["mean"]) / found["sd"]
    known = (x - found["mean"]) / found["sd"]
    return sigmoid(a * logit(s_new) + b + shift(places, known, a, b, s, t, found["gamma"], found["kappa"]))


def written(values):
    return [float(v) for v in np.ravel(values)]


def world(kind, n, d, rng):
    x = np.round(rng.normal(size=(n, d)) * np.arange(1, d + 1) + 3, 3)
    z = rng.normal(size=n)
    off = {
        "alike": np.zeros(n),
        "regions": np.where(x[:, 0] > 3.5, 1.6, np.where(x[:, 0] < 2.5, -1.6, 0.0)),
        "sharp": z * 1.5,
    }[kind]
    s = np.round(sigmoid(z), 4)
    t = (rng.uniform(size=n) < sigmoid(logit(s) + off)).astype(int)
    return s, t, x


def main():
    rng = np.random.default_rng(20260613)
    cases = []
    for kind, n, d in (("alike", 240, 2), ("regions", 400, 1), ("regions", 500, 2), ("regions", 400, 3), ("sharp", 300, 2)):
        s, t, x = world(kind, n, d, rng)
        fold = rng.permutation(np.arange(n) % 5)
        new = world(kind, 12, d, rng)
        found = fit(s, t, x, fold)
        fixed = {}
        for base in ("none", "platt"):
            a, b = base_of(base, s, t)
            known, places = ((v - found["mean"]) / found["sd"] for v in (x, new[2]))
            z = a * logit(new[0]) + b + shift(places, known, a, b, s, t, 0.4, 3.0)
            fixed[base] = written(sigmoid(z))
        tried = [
            dict(base=b, gamma=g, kappa=None if k == np.inf else k, nll=found["nll"][i], more=found["more"][i],
                 standard_error=found["error"][i])
            for i, (b, g, k) in enumerate(found["table"])
        ]
        cases.append(dict(
            kind=kind, d=d, score=written(s), target=t.tolist(), x=written(x), fold=fold.tolist(),
            mean=written(found["mean"]), sd=written(found["sd"]), tried=tried, best=found["best"],
            chosen=found["chosen"], a=found["a"], b=found["b"],
            new_score=written(new[0]), new_x=written(new[2]),
            found=written(apply(found, s, t, x, new[0], new[2])), fixed=fixed,
        ))
    # The worked example of the documentation: the eight rows that the tests share.
    c = np.array([0.9, 0.8, 0.85, 0.55, 0.45, 0.6, 0.4, 0.95])
    a = np.array([1, 1, 0, 1, 1, 0, 1, 1])
    phi = np.array([(0, 0), (1, 0), (0, 1), (2, 2), (2, 3), (3, 2), (0.5, 0.5), (3, 3)], float)
    mean, sd = standardised(phi)
    at = (phi - mean) / sd
    eight = {}
    for name in ("none", "platt"):
        p, q = base_of(name, c, a)
        eight[name] = written(sigmoid(p * logit(c) + q + shift(at, at, p, q, c, a, 0.4, 3.0)))
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = '{"cases": [\n' + lines + '\n], "eight": ' + json.dumps(eight) + "}\n"
    (Path(__file__).parent / "lore_ridge.json").write_text(text)


if __name__ == "__main__":
    main()
