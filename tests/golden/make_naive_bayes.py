"""Write naive_bayes.json: scores of a naive Bayes classifier, many of them within rounding of 0 and 1, and what
scikit-learn makes of their order.

Gaussian naive Bayes multiplies the densities of 30 correlated features, so that of the breast-cancer data more than half
of the scores lie within 1e-12 of 0 or 1. They are distinct doubles all the same, and scikit-learn ranks them as such.
`auroc` is that of P(y = 1), `auroc_other` that of the other class as 1 − p; `auroc_confidence` ranks max(p, 1 − p) against
whether the class predicted is right, and the prediction rejection ratio is 2 · AUROC − 1 of it, ties averaged. `merged` is
the AUROC of scores that count as tied within 2^-44: what a tolerance would make of them.

Run (Python 3.11 or later):

    pip install numpy scikit-learn==1.9.1
    python tests/golden/make_naive_bayes.py
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

x, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(5)
p = cross_val_predict(GaussianNB(), x, y, cv=folds, method="predict_proba")[:, 1]
confidence = np.maximum(p, 1 - p)
right = (p > 0.5) == (y == 1)

merged, first = np.empty(len(p)), -1.0
for i in np.argsort(p, kind="stable"):
    first = p[i] if p[i] - first >= 2.0**-44 else first
    merged[i] = first

golden = {
    "p": [float(v) for v in p],
    "y": [int(v) for v in y],
    "auroc": roc_auc_score(y, p),
    "auroc_other": roc_auc_score(1 - y, 1 - p),
    "auroc_confidence": roc_auc_score(right, confidence),
    "prr": 2 * roc_auc_score(right, confidence) - 1,
    "brier": brier_score_loss(y, p),
    "merged": roc_auc_score(y, merged),
}
Path(__file__).with_name("naive_bayes.json").write_text(json.dumps(golden) + "\n")
