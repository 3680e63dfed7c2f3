"""Detectable differences in standard errors: noncentral t, SciPy. Writes detectable.json beside it."""

import json
from pathlib import Path

from scipy.optimize import brentq
from scipy.stats import nct, t

cases = []
for freedom in (1, 2, 4, 9, 19, 199):
    for alpha in (0.05, 0.05 / 8, 0.05 / 120):
        for power in (0.8, 0.9):
            critical = t.isf(alpha / 2, freedom)
            delta = brentq(lambda d: nct.sf(critical, freedom, d) - power, 0.0, 20 * critical + 20, xtol=1e-12)
            cases.append({"freedom": freedom, "alpha": alpha, "power": power, "delta": delta})
Path(__file__).with_name("detectable.json").write_text(json.dumps(cases, indent=1) + "\n")
