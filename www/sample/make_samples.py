"""Make the two built-in examples that come from public data: digits.npz and breast_cancer.csv.

Run (Python 3.11 or later):

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    python www/sample/make_samples.py

Both files are written beside this script. Every probability is out of fold: the model that gives it was
fitted on other rows. Both models are badly calibrated on purpose, see README.md.
The third example, a synthetic set with known truth, is made by `crates/numerics/src/sample/synthetic.rs`.
"""

import csv
import lzma
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
SEED = 0


def rounded_rows(p, units):
    """Rows of `p` as whole multiples of 1/units, each at least one unit, each row summing to exactly 1.

    Largest-remainder rounding; the leftover goes to the largest entries.
    """
    k = np.maximum(np.floor(p * units), 1).astype(int)
    for row, exact in zip(k, p * units):
        missing = units - row.sum()
        if missing >= 0:
            order = np.argsort(row - exact, kind="stable")[:missing]
            row[order] += 1
        else:
            row[np.argmax(row)] += missing
    assert (k.sum(axis=1) == units).all() and k.min() >= 1
    return k


def digits():
    """A small network that sees three numbers per image and was trained on 360 images until it overfits."""
    pixels, y = load_digits(return_X_y=True)
    components = PCA(n_components=3, random_state=SEED).fit_transform(pixels)
    components /= components[:, 0].std()
    folds = [rows for _, rows in StratifiedKFold(5, shuffle=True, random_state=SEED).split(pixels, y)]
    p = np.zeros((len(y), 10))
    for fitted, unseen in zip(folds, folds[1:] + folds[:1]):
        model = MLPClassifier((64, 64), alpha=0.0, max_iter=600, tol=0.0, n_iter_no_change=600, random_state=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(components[fitted], y[fitted])
        p[unseen] = model.predict_proba(components[unseen])
    return rounded_rows(p, 10_000) / 10_000, y, components


def breast_cancer():
    """A logistic model that never sees the size of the nuclei, and whose log-odds are multiplied by three."""
    data = load_breast_cancer(as_frame=True)
    seen = ["mean texture", "mean smoothness", "mean compactness"]
    x, malignant = data.data[["mean radius", *seen]], 1 - data.target.to_numpy()
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(10, shuffle=True, random_state=SEED)
    p = cross_val_predict(model, x[seen], malignant, cv=folds, method="predict_proba")[:, 1]
    p = np.clip(np.round(expit(3 * logit(p)), 4), 0.0001, 0.9999)
    lower, upper = np.quantile(x["mean radius"], [1 / 3, 2 / 3])
    size = np.where(x["mean radius"] < lower, "small", np.where(x["mean radius"] < upper, "medium", "large"))
    return x, p, malignant, size


def main():
    p, y, components = digits()
    np.savez(
        HERE / "digits.npz",
        probs=p.astype(np.float32),
        labels=y.astype(np.uint8),
        features=np.round(components, 3).astype(np.float32),
    )
    x, p, malignant, size = breast_cancer()
    with open(HERE / "breast_cancer.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["id", "p_malignant", "diagnosis", *(name.replace(" ", "_") for name in x.columns), "size"])
        for i in range(len(p)):
            diagnosis = "malignant" if malignant[i] else "benign"
            out.writerow([i + 1, f"{p[i]:.4f}", diagnosis, *(f"{v:g}" for v in x.iloc[i]), size[i]])
    for name in ["digits.npz", "breast_cancer.csv"]:
        raw = (HERE / name).read_bytes()
        print(f"{name}: {len(raw)} bytes, {len(lzma.compress(raw))} packed")


if __name__ == "__main__":
    main()
