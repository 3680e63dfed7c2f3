"""Write finding.json: the score of every slice beyond what the score of the rows knows, by dense matrices.

Run (Python 3.11 or later; NumPy): python tests/golden/make_finding.py

600 rows: p, y, ward (text), age (whole numbers, more than 50 of them) and bmi (a tenth missing); ward C is too low by 1.2
logits. For every slice of a column and every pair: rows, u = M r − M W Z A⁻¹ Zᵀ r and V = M W Mᵀ − M W Z A⁻¹ Zᵀ W Mᵀ with
Z = (1, ℓ, (ℓ − q₁)₊², (ℓ − q₂)₊²); then the same with the column of ward C in Z; and with weights. The variance told is
that of the residuals of the slice, M W. Nothing is binned, nothing is summed by cells: M is a dense matrix.
"""

import itertools
import json
from pathlib import Path

import numpy as np

LEAST = 30
BASIS_PRIOR, SLICE_PRIOR = 1e-6, 0.05


def rows():
    draw = np.random.default_rng(17)
    n = 600
    ward = draw.choice(list("ABCD"), n, p=[0.4, 0.3, 0.2, 0.1])
    age = draw.integers(18, 90, n)
    bmi = np.where(draw.random(n) < 0.1, np.nan, np.round(draw.normal(26, 4, n), 1))
    truth = -0.8 + 1.1 * draw.normal(size=n) + 0.01 * (age - 50)
    p = np.round(1 / (1 + np.exp(-truth)), 4)
    y = (draw.random(n) < 1 / (1 + np.exp(-truth - 1.2 * (ward == "C")))).astype(int)
    weight = draw.integers(1, 4, n).astype(float)
    return p, y, weight, ward, age.astype(float), bmi


def cuts(x, parts):
    """Places between different values that are nearest to k / parts of the known ones, as pairs (last below, first above)."""
    known = np.sort(x[~np.isnan(x)])
    n = len(known)
    found = []
    for k in range(1, parts):
        wanted = k * n / parts
        value = known[min(int(np.floor(wanted + 0.5)), n - 1)]
        first, end = np.searchsorted(known, value, "left"), np.searchsorted(known, value, "right")
        place = first if first > 0 and (end == n or wanted - first <= end - wanted) else end
        found.append((known[place - 1], known[place]))
    return sorted(set(found))


def stretches(x, parts, every):
    """Masks of stretches between cuts: of every run of parts, or of single parts."""
    ends = [-np.inf, *[above for _, above in cuts(x, parts)], np.inf]
    for i, j in itertools.combinations(range(len(ends)), 2):
        whole = (i, j) == (0, len(ends) - 1)
        if (every or j == i + 1) and not whole:
            with np.errstate(invalid="ignore"):
                yield (x >= ends[i]) & (x < ends[j])


def slices(ward, age, bmi):
    wards = [ward == name for name in "ABCD"]
    singles = list(wards)
    bands = {"ward": wards}
    for name, x in [("age", age), ("bmi", bmi)]:
        missing = [np.isnan(x)] if np.isnan(x).any() else []
        bands[name] = [*stretches(x, 4, False), *missing]
        own = [*stretches(x, 6, True), *bands[name]]
        for mask in own:
            if not any((mask == known).all() for known in singles):
                singles.append(mask)
    pairs = [a & b for one, other in itertools.combinations(bands, 2) for a in bands[one] for b in bands[other]]
    return np.array([*singles, *pairs], dtype=float)


def basis(p):
    l = np.log(p) - np.log1p(-p)
    q = np.quantile(l, [1 / 3, 2 / 3])
    x = (l - l.mean()) / l.std()
    above = [np.maximum(l - k, 0) ** 2 / l.var() for k in q]
    return np.column_stack([np.ones_like(l), x, *above])


def fit(z, prior, y, w):
    beta = np.zeros(z.shape[1])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-z @ beta))
        a = z.T @ (z * (w * chance * (1 - chance))[:, None]) + np.diag(prior)
        step = np.linalg.solve(a, z.T @ (w * (y - chance)) - prior * beta)
        beta = beta + step
    chance = 1 / (1 + np.exp(-z @ beta))
    return beta, chance, z.T @ (z * (w * chance * (1 - chance))[:, None]) + np.diag(prior)


def scores(m, z, prior, y, w):
    beta, chance, a = fit(z, prior, y, w)
    v, r = chance * (1 - chance), w * (y - chance)
    h = m @ (z * (w * v)[:, None]) @ np.linalg.inv(a)
    own = m - h @ z.T
    u, variance = own @ r, (own**2) @ (w**2 * v)
    if (w == 1).all():
        # the form that knows of A: the two differ by the weak prior only
        variance = m @ v - np.einsum("ij,ij->i", h, m @ (z * v[:, None]))
    says = (m.sum(1) >= LEAST) & (variance >= 0.02 * (m @ (w**2 * v))) & (m @ (w * v) >= 0.25)
    return {
        "beta": beta.tolist(),
        "slices": [
            {"rows": int(n), "z": float(x), "variance": float(s)}
            for n, x, s, keep in zip(m.sum(1), u / np.sqrt(np.abs(variance)), m @ (w**2 * v), says)
            if keep
        ],
    }


def overall(p, y, w):
    x, v = basis(p), p * (1 - p)
    u = x.T @ (w * (y - p))
    return float(u @ np.linalg.solve(x.T @ (x * (w**2 * v)[:, None]), u))


def main():
    p, y, weight, ward, age, bmi = rows()
    m, x = slices(ward, age, bmi), basis(p)
    known = np.column_stack([x, (ward == "C").astype(float)])
    prior = np.full(4, BASIS_PRIOR)
    once = np.ones_like(p)
    text = [
        [f"{p:.4f}", str(y), f"{w:.0f}", ward, f"{age:.0f}", "" if np.isnan(bmi) else f"{bmi:.1f}"]
        for p, y, w, ward, age, bmi in zip(p, y, weight, ward, age, bmi)
    ]
    golden = {
        "numpy": np.__version__,
        "rows": [",".join(row) for row in text],
        "overall": {"once": overall(p, y, once), "weighted": overall(p, y, weight)},
        "first": scores(m, x, prior, y, once),
        "after_ward_c": scores(m, known, np.append(prior, SLICE_PRIOR), y, once),
        "weighted": scores(m, x, prior, y, weight),
    }
    Path(__file__).with_name("finding.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
