"""What published evaluation scripts print for 23 stated confidences, and for each of them 15 times.

    pip install numpy scikit-learn uncertainty-calibration netcal torch torchmetrics
    python tests/golden/make_published.py > tests/golden/published.json

The root mean squares over blocks are written here from their definition (Hendrycks et al. 2021, `calib_err`; Humanity's Last
Exam; inspect-evals `hle/cerr`), with a stable sort: the scripts call `numpy.argsort`, whose order of equal values depends on the
processor. The other numbers are those of the libraries that the scripts call. HELM's `get_*` are functions of
uncertainty-calibration. A library that is not installed gives no number, and the file keeps the one that stands in it.
"""

import json
import sys
from pathlib import Path

import calibration
import numpy as np
from sklearn.calibration import calibration_curve

STATED = "95,1 80,1 80,0 50,1 90,0 70,1 100,1 30,0 75,0 60,0 90,1 0,0 70,0 100,0 85,1 20,1 80,0 50,0 95,1 60,1 10,0 90,1 70,1"


def block_rms(p, y, size, omit_last):
    order = np.argsort(p, kind="stable")
    p, y = p[order], y[order]
    ends = [size * (k + 1) for k in range(len(p) // size)]
    if not ends:
        return None
    ends[-1] = len(p)
    total = 0
    for start, end in zip([0, *ends], ends[:-1] if omit_last else ends):
        total += (end - start) / len(p) * np.square(np.abs(np.nanmean(p[start:end]) - np.nanmean(y[start:end])))
    return float(np.sqrt(total))



def printed(times):
    stated = np.array([[int(x) for x in row.split(",")] for row in STATED.split()] * times)
    p, y = stated[:, 0] / 100, stated[:, 1]
    omitted = block_rms(p, y, 100, True)
    descending = np.argsort(-p, kind="stable")
    accuracy = np.cumsum(y[descending]) / np.arange(1, len(y) + 1)
    reversed_ = np.argsort(p, kind="stable")[::-1]
    scale = calibration.get_platt_scaler(p, y)
    true, predicted = calibration_curve(y, p, n_bins=5)
    values = {
        "HLE calibration error": None if omitted is None else repr(100 * round(omitted, 2)),
        "natural-adv-examples RMS calibration error": None if omitted is None else f"{100 * omitted:.2f}",
        "natural-adv-examples AURRA": float(np.mean(np.cumsum(y[reversed_]) / np.arange(1, len(y) + 1))),
        "simple-evals BrowseComp": None,
        "inspect-evals hle/cerr": block_rms(p, y, min(100, len(y)), False),
        "HELM ece_10_bin": float(calibration.get_ece_em(p, y, num_bins=10)),
        "HELM ece_1_bin": float(calibration.get_ece(p, y, num_bins=1)),
        "HELM platt_ece_10_bin": float(calibration.get_ece_em(scale(p), y, num_bins=10)),
        "HELM platt_ece_1_bin": float(calibration.get_ece(scale(p), y, num_bins=1)),
        "HELM selective_cov_acc_area": float(np.mean(accuracy)),
        "HELM selective_acc@10": float(accuracy[int(0.1 * len(y))]),
        "scikit-learn calibration_curve, mean gap": float(np.abs(true - predicted).mean()),
    }
    try:
        from netcal.metrics import ECE

        values["netcal ECE(15)"] = float(ECE(15).measure(p, y))
    except ImportError:
        pass
    try:
        import torch
        from torchmetrics.functional.classification import binary_calibration_error

        error = binary_calibration_error(torch.tensor(p, dtype=torch.float32), torch.tensor(y), n_bins=15)
        values["torchmetrics CalibrationError(l1), float32"] = error.item()
    except ImportError:
        pass
    return values


kept = Path(__file__).with_name("published.json")
before = json.loads(kept.read_text()) if kept.exists() and kept.stat().st_size else {}
found = {str(times): before.get(str(times), {}) | printed(times) for times in (1, 15)}
print(json.dumps(found, indent=1), file=sys.stdout)
