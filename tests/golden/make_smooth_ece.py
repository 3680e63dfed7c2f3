"""The smooth calibration error that relplot prints.

    pip install numpy relplot
    LOCALCAL_DATA=folder python make_smooth_ece.py > smooth_ece.json

`rows`: seeded scores with outcomes. `public`: files of the folder, as `tests/numbers/libraries.rs` reads them.
"""

import csv
import json
import os

import numpy as np
import relplot

rng = np.random.default_rng(11)


def of(s, t):
    s, t = np.asarray(s, float), np.asarray(t, float)
    value, width = relplot.smECE(s, t, return_width=True)
    return {"value": float(value), "width": float(width)}


def rows(s, happens):
    t = (rng.uniform(size=len(s)) < happens).astype(int)
    return {"s": s.tolist(), "t": t.tolist(), **of(s, t)}


def table(name):
    with open(os.path.join(os.environ["LOCALCAL_DATA"], name)) as file:
        return list(csv.DictReader(file))


def public():
    file = np.load(os.path.join(os.environ["LOCALCAL_DATA"], "cifar10-wideresnet-16-4.npz"))
    p, y = file["predictions"].astype(float), file["ground_truth"].ravel()
    found = {"cifar10": of(p.max(1), p.argmax(1) == y)}
    file = table("compas-scores-two-years.csv")
    p = [(float(row["decile_score"]) - 0.5) / 10 for row in file]
    found["compas"] = of(p, [int(row["two_year_recid"]) for row in file])
    file = table("heart.csv")
    angina = [row["ExerciseAngina"] == "Y" for row in file]
    z = [0.05 * (float(row["Age"]) - 54) + 1.2 * a + float(row["Oldpeak"]) - 0.6 for row, a in zip(file, angina)]
    p = np.round(1 / (1 + np.exp(-np.array(z))), 12)
    found["heart"] = of(p, [int(row["HeartDisease"]) for row in file])
    return found


confident = 1 - np.round(rng.beta(0.05, 1.0, 300), 6)
uniform = np.round(rng.uniform(size=60), 4)
certain = np.where(rng.uniform(size=120) < 0.5, 0.0, 1.0)
sharp = np.round(np.where(rng.uniform(size=400) < 0.5, 0.002, 0.997) + 0.001 * rng.uniform(size=400), 6)
print(json.dumps({
    "made_by": {"relplot": "1.0.3"},
    "rows": {
        "confident": rows(confident, confident - 0.03),
        "uniform": rows(uniform, uniform**2),
        "certain": rows(certain, 0.05 + 0.9 * certain),
        "sharp": rows(sharp, sharp),
        "few": rows(np.array([0.2, 0.9, 1.0]), np.array([0.5, 0.5, 0.5])),
    },
    "public": public(),
}))
