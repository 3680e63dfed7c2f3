"""Write over_time.json: calibration along dates, and one file held against an earlier one, by statsmodels and NumPy.

Along dates: what scores mean over all times is statsmodels' binomial GLM of the outcome on logit p and squares of it
beyond its terciles. Windows are runs of
whole pieces of rows in the order of time, none of which divides the rows of a date. Their spread without drift is found by drawing outcomes from that fit: as they
are, and with the GLM fitted again to each draw by Newton's method until nothing moves. The draws are others than ours. The
half-width of a window is its standard error times the quantile of the largest deviation of the draws; no outcome is rare.

Then and now: two independent samples; z of each difference, p of both sides, corrected by statsmodels' multipletests
(Holm). A stored Platt scaling is judged by the paired difference of squared errors.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python tests/golden/make_over_time.py
"""

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

rng = np.random.default_rng(20261123)
SITES, WINDOW, STEPS, DRAWS = ["a", "b", "c"], 120, 12, 6000
PLATT = {"a": 0.8, "b": -0.3}


def made(n, first, drift, site_b):
    p = np.round(expit(rng.normal(-0.8, 1.2, n)), 4)
    site = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    at = np.arange(n) / n
    truth = expit(0.2 + 0.9 * logit(p) + drift * (at > 0.75) + site_b * (site == 1))
    y = (rng.uniform(size=n) < truth).astype(int)
    day = [first + timedelta(days=int(k)) for k in np.arange(n) * 360 // n]
    return p, y, site, day


def lines(p, y, site, day):
    return [f"{d.isoformat()},{SITES[s]},{q},{t}" for q, t, s, d in zip(p, y, site, day)]


def curve(l):
    """A smooth function of the score: its log-odds, and squares beyond their terciles."""
    spread = l.std()
    bends = [np.maximum((l - q) / spread, 0) ** 2 for q in np.quantile(l, [1 / 3, 2 / 3])]
    return np.column_stack([np.ones_like(l), (l - l.mean()) / spread, *bends])


def along(p, y, day):
    n, x = len(p), curve(logit(p))
    fitted = sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-12).fittedvalues
    pieces = n * STEPS // WINDOW
    dates = [i for i in range(n) if i == 0 or day[i] != day[i - 1]] + [n]
    bound = [min(dates, key=lambda b: (abs(b - k * n // pieces), b)) for k in range(pieces + 1)]
    windows = [(bound[k], bound[k + STEPS]) for k in range(pieces - STEPS + 1)]
    least = n * STEPS // pieces // 2
    windows = sorted({(begin, end) for begin, end in windows if end - begin >= max(least, 1)})
    member = np.zeros((len(windows), n))
    for k, (begin, end) in enumerate(windows):
        member[k, begin:end] = 1
    rows = member.sum(1)
    drawn = (rng.uniform(size=(DRAWS, n)) < fitted).astype(float)
    again = np.empty_like(drawn)
    start = np.linalg.lstsq(x, logit(fitted), rcond=None)[0]
    for k, t in enumerate(drawn):
        beta = start.copy()
        for _ in range(30):
            q = expit(x @ beta)
            step = np.linalg.solve(x.T * (q * (1 - q)) @ x, x.T @ (t - q))
            beta += step
            if np.abs(step).max() < 1e-11:
                break
        again[k] = t - expit(x @ beta)
    plain, again = (drawn - fitted) @ member.T, again @ member.T
    error, beyond_error = plain.std(0), again.std(0)
    band = np.quantile(np.abs(plain / error).max(1), 0.95)
    # a window's mean error has the variance of its rows, or the one that their scores promise
    half = lambda r, q: band * np.sqrt(max(r.var(ddof=1), (q * (1 - q)).mean()) / len(r))
    largest = np.abs(again / beyond_error).max(1)
    beyond = member @ (fitted - y)
    seen = np.abs(beyond / beyond_error).max()
    # in the window with the median error: of the difference from the other dates, the fit to all takes the share of its rows
    middle = np.argsort(beyond_error / rows, kind="stable")[len(rows) // 2]
    share, variance = y.mean(), y.mean() * (1 - y.mean())
    detectable = 0.0
    for _ in range(30):
        there = max(variance, variance + detectable * abs(1 - 2 * share) - detectable**2)
        needed = np.quantile(largest, 0.95) + norm.ppf(0.8) * np.sqrt(there / variance)
        detectable = needed * beyond_error[middle] / rows[middle] / (1 - rows[middle] / n)
    return {
        "window": WINDOW,
        "windows": [
            {
                "rows": int(m),
                "says": float(p[b:e].mean()),
                "happened": float(y[b:e].mean()),
                "half": float(half(p[b:e] - y[b:e], p[b:e])),
                "beyond": float(d / m),
            }
            for (b, e), m, d in zip(windows, rows, beyond)
        ],
        "p": float((largest >= seen).mean()),
        "detectable": float(detectable),
        "draws": DRAWS,
    }


def tally(p, y):
    n, r = len(p), p - y
    variance = max(((r - r.mean()) ** 2).sum(), (p * (1 - p)).sum()) / n**2
    return {
        "rows": n,
        "says": float(p.mean()),
        "happened": float(y.mean()),
        "variance": float(variance),
        "share_variance": float(((y - y.mean()) ** 2).sum() / n**2),
    }


def difference(name, then, now, of):
    (a, va), (b, vb) = of(then), of(now)
    error = np.sqrt(va + vb)
    low, high = b - a + error * norm.ppf([0.025, 0.975])
    p = 2 * norm.sf(abs(b - a) / error)
    rows = [then["rows"], now["rows"]]
    return {"name": name, "rows": rows, "last": a, "now": b, "change": b - a, "low": low, "high": high, "p": p}


def of_shares(then, now):
    """Newcombe's interval of a difference of rates, and the level at which it ends at 0."""
    (k0, n0), (k1, n1) = [(round(t["happened"] * t["rows"]), t["rows"]) for t in (then, now)]
    ends = lambda alpha: confint_proportions_2indep(k1, n1, k0, n0, method="newcomb", compare="diff", alpha=alpha)
    change = k1 / n1 - k0 / n0
    p = brentq(lambda alpha: ends(alpha)[0 if change > 0 else 1], 1e-15, 1 - 1e-12, xtol=1e-15)
    low, high = ends(0.05)
    return {"name": "share", "rows": [n0, n1], "last": k0 / n0, "now": k1 / n1, "change": change, "low": low, "high": high, "p": p}


def changed(then, now):
    gap = lambda t: (t["says"] - t["happened"], t["variance"])
    (p0, y0, s0, _), (p1, y1, s1, _) = then, now
    last, here = tally(p0, y0), tally(p1, y1)
    groups = [(SITES[k], tally(p0[s0 == k], y0[s0 == k]), tally(p1[s1 == k], y1[s1 == k])) for k in range(3)]
    changes = [of_shares(last, here), difference("gap", last, here, gap)]
    changes += [difference(f"site = {name}", a, b, gap) for name, a, b in groups]
    for change, p in zip(changes, multipletests([c["p"] for c in changes], method="holm")[1]):
        change["p_holm"] = p
    q1 = expit(PLATT["a"] * logit(p1) + PLATT["b"])
    less = (q1 - y1) ** 2 - (p1 - y1) ** 2
    half = norm.ppf(0.975) * less.std() / np.sqrt(len(less))
    after = tally(q1, y1)
    # as of every mean error: the sample variance, or what the scores promise where that is larger
    around = norm.ppf(0.975) * np.sqrt(max((q1 - y1).var(ddof=1), (q1 * (1 - q1)).mean()) / len(q1))
    return {
        "numbers": {"overall": last, "metrics": {}, "groups": [{"column": "site", "value": g, **t} for g, t, _ in groups]},
        "platt": PLATT,
        "changes": changes,
        "repair": {
            "gap_before": gap(here)[0],
            "gap_after": gap(after)[0],
            "gap_after_interval": [gap(after)[0] - around, gap(after)[0] + around],
            "brier_before": ((p1 - y1) ** 2).mean(),
            "brier_after": ((q1 - y1) ** 2).mean(),
            "difference": less.mean(),
            "interval": [less.mean() - half, less.mean() + half],
        },
    }


then = made(900, date(2023, 1, 1), 0.2, 0.0)
now = made(400, date(2024, 1, 1), 0.0, 1.0)
golden = {
    "head": "when,site,p,y",
    "then": lines(*then),
    "now": lines(*now),
    "over_time": along(then[0], then[1], then[3]),
    "changed": changed(then, now),
}
path = Path(__file__).with_name("over_time.json")
path.write_text(json.dumps(golden, indent=1, default=float) + "\n")
print(golden["over_time"]["p"], [round(c["p_holm"], 4) for c in golden["changed"]["changes"]])
