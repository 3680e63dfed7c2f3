"""Makes the input files of the corpus, once: python3 tests/corpus/make_files.py. Python alone, no packages.

The files are committed; to change one changes answers.
"""
import gzip, io, math, random, struct, zipfile
from pathlib import Path

HERE = Path(__file__).parent / "files"


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


def write(name, rows, header):
    lines = [",".join(header)] + [",".join(str(cell) for cell in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def people(seed, n):
    """Covariates and a binary score that promises too much in the north, of the old more so."""
    rng = random.Random(seed)
    for i in range(n):
        site = rng.choice(["north", "north", "south", "west"])
        sex = rng.choice(["f", "m"])
        age = rng.randrange(18, 90)
        x1, x2, x3 = (rng.gauss(0, 1) for _ in range(3))
        z = 1.3 * x1 - 0.7 * x2 + 0.4 * rng.gauss(0, 1)
        heat = 2.6 if site == "north" else 1.4
        p = sigmoid(heat * z)
        y = int(rng.random() < sigmoid(z + 0.3 * (x3 > 0.5) - (0.8 if age > 60 and site == "north" else 0)))
        yield rng, i, p, y, (f"{x1:.4f}", f"{x2:.4f}", f"{x3:.4f}"), site, sex, age


def binary():
    rows = [[f"r{i}", f"{p:.6f}", *x, site, sex, age, y] for _, i, p, y, x, site, sex, age in people(1, 120)]
    write("binary.csv", rows, ["id", "prob_1", "x1", "x2", "x3", "site", "sex", "age", "y"])
    rows = [row[:-1] for row in rows[:40]]
    write("unlabelled.csv", rows, ["id", "prob_1", "x1", "x2", "x3", "site", "sex", "age"])


def split():
    rows = []
    for rng, i, p, y, x, site, sex, age in people(2, 180):
        part = ["calibration", "calibration", "test", "test", "test", "train"][i % 6]
        rows.append([f"{p:.5f}", *x, site, sex, age, "yes" if y else "no", part])
    write("split.csv", rows, ["p_yes", "x1", "x2", "x3", "site", "sex", "age", "label", "split"])


def weighted():
    rows = []
    for rng, i, p, y, x, site, sex, age in people(3, 120):
        weight = rng.choice([1, 1, 2, 3, 0.5]) if i % 15 else 0
        rows.append([f"{p:.4f}", *x, site, sex, age, y, weight])
    write("weighted.csv", rows, ["p", "x1", "x2", "x3", "site", "sex", "age", "y", "weight"])
    write("counted.csv", [row[:-1] + [1 + i % 3] for i, row in enumerate(rows[:80])],
          ["p", "x1", "x2", "x3", "site", "sex", "age", "y", "weight"])


def vector(rng, m, heat):
    z = [rng.gauss(0, 1) for _ in range(m)]
    truth = [math.exp(v) for v in z]
    shown = [math.exp(heat * v) for v in z]
    return z, [v / sum(truth) for v in truth], [v / sum(shown) for v in shown]


def drawn(rng, shares):
    left = rng.random()
    for k, share in enumerate(shares):
        left -= share
        if left < 0:
            return k
    return len(shares) - 1


def classes():
    rng = random.Random(4)
    probabilities, logits = [], []
    names = ["cat", "dog", "owl"]
    for i in range(150):
        site = rng.choice(["north", "south"])
        x = [f"{rng.gauss(0, 1):.3f}" for _ in range(2)]
        _, truth, shown = vector(rng, 3, 2.5 if site == "north" else 1.5)
        rounded = [round(v, 6) for v in shown]
        rounded[2] = round(1 - rounded[0] - rounded[1], 6)
        probabilities.append([*rounded, *x, site, names[drawn(rng, truth)], ["calibration", "test"][i % 2]])
    write("classes.csv", probabilities, ["prob_cat", "prob_dog", "prob_owl", "x1", "x2", "site", "label", "split"])
    for i in range(120):
        x = [f"{rng.gauss(0, 1):.3f}" for _ in range(2)]
        z, truth, _ = vector(rng, 4, 1)
        logits.append([*[f"{2 * v:.5f}" for v in z], *x, rng.choice(["a", "b"]), drawn(rng, truth), rng.choice([1, 2])])
    header = ["logit_0", "logit_1", "logit_2", "logit_3", "x1", "x2", "group", "label"]
    write("logits.csv", [row[:-1] for row in logits], header)
    write("weighted_logits.csv", logits, header + ["weight"])


def confidence():
    rng = random.Random(5)
    rows = []
    for _ in range(100):
        c = round(0.4 + 0.6 * rng.random(), 4)
        x = [f"{rng.gauss(0, 1):.3f}" for _ in range(2)]
        rows.append([c, int(rng.random() < c - 0.1), *x, rng.choice(["g1", "g2", "g3"])])
    write("confidence.csv", rows, ["confidence", "correct", "x1", "x2", "group"])


def tied():
    rng = random.Random(6)
    rows = []
    for _ in range(60):
        p = rng.choice([0, 0.1, 0.5, 0.5, 0.9, 1])
        rows.append([p, int(rng.random() < p), rng.choice([0, 1]), rng.choice([0, 1]), rng.choice(["a", "b"])])
    write("tied.csv", rows, ["p", "y", "x1", "x2", "group"])


def repeats():
    rng = random.Random(7)
    rows = []
    for seed in range(3):
        for _, i, p, y, x, site, sex, age in people(70 + seed, 60):
            rows.append([f"{p:.4f}", x[0], x[1], site, y, ["val", "test"][i % 2], seed])
    write("repeats.csv", rows, ["p", "x1", "x2", "site", "y", "split", "seed"])


def models():
    rows = []
    for rng, i, p, y, x, site, sex, age in people(8, 120):
        other = sigmoid(0.8 * math.log(p / (1 - p)) + 0.5 * rng.gauss(0, 1)) if 0 < p < 1 else p
        third = 0.5 + 0.4 * (other - 0.5)
        rows.append([f"{p:.4f}", f"{other:.4f}", f"{third:.4f}", x[0], x[1], site, y])
    write("models.csv", rows, ["pred_forest", "pred_logistic", "pred_small", "x1", "x2", "site", "y"])
    for name, at in [("model_one.csv", 0), ("model_two.csv", 1)]:
        write(name, [[row[at], *row[3:]] for row in rows], ["p", "x1", "x2", "site", "y"])


def npy(shape, kind, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"<f8": "d", "<f4": "f", "<i8": "q"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def archive(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in parts:
            zipped.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def arrays():
    rng = random.Random(9)
    n, m, d = 90, 3, 10
    probs, labels, embeddings = [], [], []
    for _ in range(n):
        _, truth, shown = vector(rng, m, 2)
        probs += shown
        k = drawn(rng, truth)
        labels.append(k)
        embeddings += [rng.gauss(0, 1) + (k == c % m) for c in range(d)]
    parts = {"probs": npy((n, m), "<f4", probs), "labels": npy((n,), "<i8", labels), "embeddings": npy((n, d), "<f8", embeddings)}
    (HERE / "arrays.npz").write_bytes(archive([(f"{name}.npy", body) for name, body in parts.items()]))
    (HERE / "probs.npy").write_bytes(parts["probs"])
    (HERE / "labels.npy").write_bytes(parts["labels"])
    (HERE / "pickled.npy").write_bytes(parts["labels"].replace(b"'<i8'", b"'|O' "))
    (HERE / "cut.npy").write_bytes(parts["probs"][:300])
    (HERE / "cut.npz").write_bytes((HERE / "arrays.npz").read_bytes()[:1000])
    table = (HERE / "binary.csv").read_bytes()
    (HERE / "binary.csv.gz").write_bytes(gzip.compress(table, mtime=0))
    (HERE / "binary.zip").write_bytes(archive([("binary.csv", table)]))



def new():
    """Rows without labels, for stored calibrators; with places and groups that no fit knew."""
    rng = random.Random(10)
    near = lambda: [f"{rng.gauss(0, 1.5):.3f}" for _ in range(3)]
    scores = ["0", "1", "0.5", "1e-300", "0.9999999999999999"]
    rows = [[scores[i] if i < 5 else f"{rng.random():.5f}", *near(), rng.choice(["north", "south", "west", "east"]),
             rng.choice("fm"), rng.randrange(18, 90)] for i in range(30)]
    write("new_binary.csv", rows, ["p_yes", "x1", "x2", "x3", "site", "sex", "age"])
    rows = []
    for _ in range(30):
        shown = [round(v, 6) for v in vector(rng, 3, 2)[2]]
        rows.append([shown[0], shown[1], round(1 - shown[0] - shown[1], 6), *near()[:2], rng.choice(["north", "east"])])
    write("new_classes.csv", rows, ["prob_cat", "prob_dog", "prob_owl", "x1", "x2", "site"])
    rows = [[*[f"{3 * rng.gauss(0, 1):.4f}" for _ in range(4)], *near()[:2], rng.choice("abc")] for _ in range(30)]
    write("new_logits.csv", rows, ["logit_0", "logit_1", "logit_2", "logit_3", "x1", "x2", "group"])
    rows = [[f"{rng.random():.4f}", *near()[:2], rng.choice(["g1", "g3", "g9"])] for _ in range(30)]
    write("new_confidence.csv", rows, ["confidence", "x1", "x2", "group"])


HERE.mkdir(exist_ok=True)
for make in (binary, split, weighted, classes, confidence, tied, repeats, models, arrays, new):
    make()
