"""Write calibrators.json: what the packages that introduced beta calibration and the debiased error give.

Run (Python 3.11 or later), beside the other golden files, whose inputs it reads:

    pip install numpy==2.4.6 scikit-learn==1.9.1 betacal==1.1.0
    pip install --no-deps uncertainty-calibration==0.1.4
    python tests/golden/make_calibrators.py

betacal and uncertainty-calibration fit with scikit-learn's LogisticRegression, which stops early: `tolerance` is the
difference that this leaves, on the scale of the value.
"""

import json
import sys
import types
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

# Only needed there for plots and for progress bars.
for name in ("matplotlib", "matplotlib.pyplot", "tqdm"):
    sys.modules.setdefault(name, types.ModuleType(name))

import calibration as verified  # noqa: E402
from betacal import BetaCalibration  # noqa: E402

HERE = Path(__file__).parent


def entry(value, by, tolerance):
    return {"value": value, "by": by, "tolerance": tolerance}


def read(name):
    inputs = json.loads((HERE / f"{name}.json").read_text())["inputs"]
    if name == "binary":
        return np.array(inputs["p"]), np.array(inputs["y"]), None, None
    p = np.array(inputs["probabilities"]) / inputs["units"]
    y = np.array(inputs["y"])
    return p.max(axis=1), (p.argmax(axis=1) == y).astype(int), p, y


def of_pair(s, t):
    """Fits on every row; ninths of the scores as queries."""
    out = {"queries": np.round(np.linspace(0.02, 0.98, 25), 4).tolist()}
    queries = np.array(out["queries"])
    fit = BetaCalibration("abm").fit(s.reshape(-1, 1), t)
    a, b, middle = (float(np.asarray(v).ravel()[0]) for v in fit.calibrator_.map_)
    q = np.clip(fit.predict(s.reshape(-1, 1)), 1e-15, 1 - 1e-15)
    out["beta"] = {
        "map": entry([a, b, middle], 'betacal BetaCalibration("abm").calibrator_.map_', 2e-2),
        "queries": entry(fit.predict(queries.reshape(-1, 1)).tolist(), "its predict", 2e-3),
        "nll": entry(float(-np.mean(np.where(t == 1, np.log(q), np.log(1 - q)))), "of its predictions, NumPy", 1e-5),
    }
    platt = verified.utils.get_platt_scaler(s, t)
    out["platt"] = entry(platt(queries).tolist(), "uncertainty-calibration get_platt_scaler", 2e-4)
    for norm in (1, 2):
        for debias in (False, True):
            if norm == 1 and debias:
                continue  # drawn at random there
            value = verified.lower_bound_scaling_ce(s, t, p=norm, debias=debias, num_bins=15)
            by = f"uncertainty-calibration lower_bound_scaling_ce(p={norm}, debias={debias}, num_bins=15)"
            out[f"error_l{norm}{'_debiased' if debias else ''}"] = entry(float(value), by, 1e-9)
    out["ece_15"] = entry(
        float(verified.get_ece(s, t)), "uncertainty-calibration get_ece: 15 bins of equal width, right-closed", 1e-9
    )
    return out


def of_matrix(p, y):
    return {
        "top_ece_15": entry(float(verified.get_ece(p, y)), "uncertainty-calibration get_ece on the matrix", 1e-9),
        "marginal_l2_debiased": entry(
            float(verified.lower_bound_scaling_ce(p, y, p=2, debias=True, num_bins=15, mode="marginal")),
            "uncertainty-calibration lower_bound_scaling_ce(mode='marginal', num_bins=15)",
            1e-9,
        ),
    }


def main():
    out = {
        "schema": "localcal-golden/1",
        "made_by": "tests/golden/make_calibrators.py",
        "versions": {p: version(p) for p in ("numpy", "scikit-learn", "betacal", "uncertainty-calibration")},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("binary", "digits", "hundred_classes"):
            s, t, p, y = read(name)
            out[name] = of_pair(s, t)
            if p is not None:
                out[name].update(of_matrix(p, y))
    path = HERE / "calibrators.json"
    path.write_text(json.dumps(out, indent=1) + "\n")
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
