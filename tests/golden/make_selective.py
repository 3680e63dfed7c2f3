"""AURC, E-AURC and AUGRC of 23 stated confidences, by numpy from their definitions; the numbers of risk_coverage.rs.

    python tests/golden/make_selective.py
"""

import numpy as np

stated = "95,1 80,1 80,0 50,1 90,0 70,1 100,1 30,0 75,0 60,0 90,1 0,0 70,0 100,0 85,1 20,1 80,0 50,0 95,1 60,1 10,0 90,1 70,1"
p, right = np.array([[float(x) for x in row.split(",")] for row in stated.split()]).T
n = len(p)


def areas(order):
    errors = np.cumsum(1 - right[order])
    return np.mean(errors / np.arange(1, n + 1)), np.trapezoid(np.r_[0, errors] / n, dx=1 / n)


# the expected value over the orders of tied rows, by drawing them, and exactly by expected errors in each block
rng = np.random.default_rng(1)
drawn = np.mean([areas(np.lexsort((rng.random(n), -p))) for _ in range(200_000)], axis=0)
expected = np.zeros(n)
for value in np.unique(p):
    block = p == value
    expected[np.argsort(-p, kind="stable")[np.searchsorted(np.sort(-p), -value) + np.arange(block.sum())]] = 1 - right[block].mean()
errors = np.cumsum(expected[np.argsort(-p, kind="stable")])
aurc = np.mean(errors / np.arange(1, n + 1))
ideal = np.cumsum(np.sort(1 - right))
print("AURC", aurc, "drawn", drawn[0])
print("E-AURC", aurc - np.mean(ideal / np.arange(1, n + 1)))
print("AUGRC", np.trapezoid(np.r_[0, errors] / n, dx=1 / n), "drawn", drawn[1])

# selective.rs: exact binomial tests of risk > 0.4 for these rows, 20 times, and Clopper–Pearson intervals
from scipy.stats import binom, binomtest

for value in np.unique(p)[::-1]:
    above = p >= value
    answered, wrong = 20 * above.sum(), 20 * (1 - right[above]).sum()
    print(value, answered, wrong, binom.cdf(wrong, answered, 0.4))
print(*(binomtest(k, m).proportion_ci(method="exact") for k, m in [(8, 23), (1, 8), (5, 5), (160, 460)]))
