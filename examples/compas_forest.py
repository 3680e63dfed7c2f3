"""A random forest's probabilities for the public COMPAS file, for `cargo run --example local_recalibration`.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python examples/compas_forest.py compas-scores-two-years.csv forest.csv

A third of the rows (seed 1864) trains 100 trees on age, priors, degree of the charge, sex and race; the other rows are
written with p = the share of trees, what happened, age and number of priors.
"""

import csv
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier

source, target = sys.argv[1:]
with open(source, newline="") as file:
    rows = list(csv.DictReader(file))
races = sorted({row["race"] for row in rows})
x = np.array(
    [
        [
            float(row["age"]),
            float(row["priors_count"]),
            float(row["juv_fel_count"]),
            float(row["juv_misd_count"]),
            float(row["juv_other_count"]),
            float(row["c_charge_degree"] == "F"),
            float(row["sex"] == "Male"),
            *(float(row["race"] == race) for race in races),
        ]
        for row in rows
    ]
)
y = np.array([int(row["two_year_recid"]) for row in rows])
order = np.random.default_rng(1864).permutation(len(rows))
train, rest = order[: len(rows) // 3], np.sort(order[len(rows) // 3 :])
forest = RandomForestClassifier(100, random_state=1864).fit(x[train], y[train])
p = forest.predict_proba(x[rest])[:, 1]
with open(target, "w") as file:
    file.write("p,y,age,priors_count\n")
    for i, p in zip(rest, p):
        file.write(f"{p:.6f},{y[i]},{x[i, 0]:.0f},{x[i, 1]:.0f}\n")
