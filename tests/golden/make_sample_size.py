"""Write sample_size.json: interval widths and numbers of rows, by other ways than the program's.

Run (Python 3.11 or later, nothing to install): python tests/golden/make_sample_size.py

The information about the slope comes from the 2 × 2 Fisher information of logit P = α + β LP, which is inverted; the
AUROC from all pairs; the number of rows from counting upwards, one by one (the slope: from the closed form, then
checked). z is SciPy's norm.ppf(0.975), written out.
"""

import json
import math
import platform
import random
from fractions import Fraction
from pathlib import Path

Z = 1.959963984540054


def scores(seed, n, mean, spread):
    """n scores with normal log-odds to four decimals, and outcomes drawn from them."""
    draw = random.Random(seed)
    s, t = [], []
    for _ in range(n):
        score = round(1 / (1 + math.exp(-draw.gauss(mean, spread))), 4)
        s.append(min(max(score, 0.0001), 0.9999))
        t.append(int(draw.random() < s[-1]))
    return s, t


def slope_variance(s):
    """Var(β) · n: the entry of β in the inverse of the mean Fisher information."""
    a = ab = b = 0.0
    for score in s:
        lp, w = math.log(score) - math.log1p(-score), score * (1 - score)
        a += w / len(s)
        ab += lp * w / len(s)
        b += lp * lp * w / len(s)
    return a / (a * b - ab * ab)


def auroc(s, t):
    """Over all pairs, ties by half, exactly."""
    ones = [x for x, y in zip(s, t) if y]
    zeros = [x for x, y in zip(s, t) if not y]
    wins = sum((x > y) + Fraction(x == y, 2) for x in ones for y in zeros)
    return float(Fraction(wins) / (len(ones) * len(zeros)))


def ratio_width(n, share):
    se = math.sqrt((1 - share) / (n * share))
    return math.exp(Z * se) - math.exp(-Z * se)


def auroc_width(n, share, c):
    inner = 1 + (n / 2 - 1) * (1 - c) / (2 - c) + (n / 2 - 1) * c / (1 + c)
    return 2 * Z * math.sqrt(c * (1 - c) * inner / (n**2 * share * (1 - share)))


def counted(width, target):
    n = 2
    while width(n) > target:
        n += 1
    return n


def case(seed, n, mean, spread, targets):
    s, t = scores(seed, n, mean, spread)
    share, c, variance = sum(t) / n, auroc(s, t), slope_variance(s)
    widths = [lambda n: ratio_width(n, share), lambda n: 2 * Z * math.sqrt(variance / n), lambda n: auroc_width(n, share, c)]
    rows = [counted(width, target) for width, target in zip(widths, targets)]
    assert rows[1] == math.ceil(variance * (2 * Z / targets[1]) ** 2)
    return {
        "scores": s,
        "targets": t,
        "asked": targets,
        "auroc": c,
        "widths": [width(n) for width in widths],
        "rows": rows,
    }


made = {
    "schema": "localcal-golden/1",
    "made_by": "tests/golden/make_sample_size.py",
    "python": platform.python_version(),
    "by": "Riley et al. (2021); Newcombe (2006); tolerance 1e-9 of widths, rows exactly",
    "cases": [
        case(1, 200, 0.0, 1.0, [0.2, 0.2, 0.1]),
        case(2, 300, -1.5, 2.0, [0.5, 0.3, 0.05]),
        case(3, 120, 2.0, 0.4, [0.1, 1.0, 0.2]),
    ],
}
Path(__file__).with_name("sample_size.json").write_text(json.dumps(made, separators=(",", ":")).replace('{"scores"', '\n{"scores"') + "\n")
