"""Write experiment.json: what the cells of an experiment say, by SciPy.

Run (Python 3.11 or later, `pip install scipy`): python tests/golden/make_experiment.py

Cells are made up: values of a few methods under divisions of one data set that share rows, and on independent data sets.
The corrected resampled t-test is written out from Nadeau and Bengio (2003); Holm's test from Holm (1979), the levels of the
intervals from Serlin (1993); ranks, Friedman's test, signed-rank, sign and t-tests and the studentised range are SciPy's.
"""

import json
import math
import platform
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy
from scipy import stats


def holm(p, alpha=0.05):
    """Corrected p-values, and the level of the interval of each."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    m = len(p)
    corrected, levels = [0.0] * m, [0.0] * m
    most, still, level = 0.0, True, alpha
    for rank, i in enumerate(order):
        most = max(most, min(1.0, (m - rank) * p[i]))
        corrected[i] = most
        if still:
            level = alpha / (m - rank)
            still = p[i] < level
        levels[i] = level
    return corrected, levels


def resampled(differences, shared):
    d = np.array(differences)
    j = len(d)
    error = math.sqrt((1 / j + shared) * d.var(ddof=1))
    t = d.mean() / error
    return d.mean(), error, 2 * stats.t.sf(abs(t), j - 1)


def divisions():
    """Four methods, ten divisions, two metrics; the second is better where it is higher."""
    draw = random.Random(3)
    methods = ["none", "temperature", "platt", "isotonic"]
    scored, fitted = 400, 600
    table = {}
    for metric, level, effect in [("nll", 0.45, [0.0, -0.05, -0.0505, -0.02]), ("auroc", 0.8, [0.0, 0.0, 0.0, -0.004])]:
        easy = [draw.gauss(0, 0.02) for _ in range(10)]
        table[metric] = {
            method: [round(level + shift + ease + draw.gauss(0, 0.004), 6) for ease in easy]
            for method, shift in zip(methods, effect)
        }
    table["auroc"]["temperature"] = table["auroc"]["none"]  # ranks are kept
    found = {}
    for metric, values in table.items():
        sign = 1 if metric == "nll" else -1
        means = {m: float(np.mean(v)) for m, v in values.items()}
        pairs = [(a, b) for a, b in combinations(methods, 2)]
        tested = [(a, b) for a, b in pairs if values[a] != values[b]]
        tests = [resampled(np.subtract(values[b], values[a]), scored / fitted) for a, b in tested]
        corrected, levels = holm([t[2] for t in tests])
        found[metric] = {
            "mean": means,
            "sd": {m: float(np.std(v, ddof=1)) for m, v in values.items()},
            "best": min(methods, key=lambda m: sign * means[m]),
            "pairs": [
                {
                    "method": b, "to": a, "difference": float(mean), "p_alone": float(p), "p": c,
                    "low": float(mean - stats.t.ppf(1 - level / 2, 9) * error),
                    "high": float(mean + stats.t.ppf(1 - level / 2, 9) * error),
                }
                for (a, b), (mean, error, p), c, level in zip(tested, tests, corrected, levels)
            ],
        }
    return {"scored": scored, "fitted": fitted, "values": table, "found": found}


def data_sets():
    """Five methods on twelve data sets, with ties."""
    draw = random.Random(8)
    methods = ["none", "temperature", "platt", "isotonic", "beta"]
    shift = [0.03, 0.0, 0.002, 0.012, -0.004]
    hard = [draw.uniform(0.2, 0.6) for _ in range(12)]
    values = {m: [round(h + s + draw.gauss(0, 0.01), 4) for h in hard] for m, s in zip(methods, shift)}
    for k in (1, 5):  # ties
        values["platt"][k] = values["temperature"][k]
    table = np.array([values[m] for m in methods])
    ranks = stats.rankdata(table, axis=0).mean(axis=1)
    chi2, p = stats.friedmanchisquare(*table)
    k, n = table.shape
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    pairs = []
    for i, j in combinations(range(k), 2):
        d = np.round(table[j] - table[i], 4)
        kept = d[d != 0]
        # every choice of signs is counted, with ties as without
        signed = stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
        pairs.append({
            "method": methods[j], "to": methods[i],
            "t": float(stats.ttest_rel(table[j], table[i]).pvalue),
            "signed_rank": float(signed),
            "sign": float(stats.binomtest(int((kept > 0).sum()), len(kept)).pvalue),
        })
    for name in ("t", "signed_rank", "sign"):
        for pair, corrected in zip(pairs, holm([pair[name] for pair in pairs])[0]):
            pair[f"{name}_corrected"] = corrected
    q = [float(stats.studentized_range.ppf(1 - a, k, np.inf)) for a in (0.05, 0.1)]
    return {
        "values": values, "ranks": dict(zip(methods, map(float, ranks))),
        "chi2": float(chi2), "p": float(p), "f": float(f), "p_f": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        "critical": [x / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n)) for x in q],
        "pairs": pairs,
    }


def signed_ranks():
    """Differences without ties or zeros: SciPy's exact distribution; and more than fifty, with ties: its normal one."""
    draw = random.Random(21)
    lists = [[round(draw.gauss(0.3, 1), 6) for _ in range(n)] for n in (1, 2, 5, 9, 20, 50)]
    exact = [{"differences": d, "p": float(stats.wilcoxon(d, method="exact").pvalue)} for d in lists]
    many = [round(draw.gauss(0.2, 1), 1) for _ in range(90)]
    kept = [d for d in many if d]
    return exact + [{"differences": many, "p": float(stats.wilcoxon(kept, method="asymptotic", correction=False).pvalue)}]


def ranges():
    return [
        {"methods": k, "alpha": a, "q": float(stats.studentized_range.ppf(1 - a, k, np.inf))}
        for k in [*range(2, 11), 15, 20, 30, 40, 50] for a in (0.05, 0.1)
    ]


def quantiles():
    """Student's t far out: intervals of many comparisons over few divisions."""
    return [
        {"freedom": f, "level": a, "t": float(stats.t.isf(a / 2, f))}
        for f in (1, 2, 4, 9, 29, 99) for a in (0.5, 0.05, 0.05 / 66, 0.05 / 2080, 1e-9)
    ]


golden = {
    "made_with": f"Python {platform.python_version()}, SciPy {scipy.__version__}",
    "divisions": divisions(), "data_sets": data_sets(), "signed_ranks": signed_ranks(), "ranges": ranges(),
    "quantiles": quantiles(),
}
Path(__file__).with_name("experiment.json").write_text(json.dumps(golden, indent=1) + "\n")
