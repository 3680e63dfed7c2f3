"""t-SNE by scikit-learn on blobs and on the digits example: affinities, divergence and trustworthiness, for tests/numbers/tsne.rs.

    python tests/golden/make_tsne.py        writes tests/golden/tsne.json
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from scipy.sparse import csr_matrix
from sklearn.manifold import TSNE, trustworthiness
from sklearn.manifold._t_sne import _joint_probabilities_nn
from sklearn.neighbors import NearestNeighbors


HERE = Path(__file__).parent


def points(n, d, clusters):
    """Blobs from a linear congruential generator that the test repeats in integers: no file of numbers is needed."""
    state = 12345
    out = np.empty((n, d))
    centres = np.empty((clusters, d))

    def uniform():
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return state / 2**31

    for a in range(clusters):
        for b in range(d):
            centres[a, b] = 6 * uniform()
    for i in range(n):
        for b in range(d):
            out[i, b] = centres[i % clusters, b] + sum(uniform() for _ in range(4)) - 2
    return out


def affinities(x, perplexity):
    k = min(len(x) - 1, int(3 * perplexity + 1))
    graph = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(x).kneighbors_graph(mode="distance")
    graph.data **= 2
    return _joint_probabilities_nn(graph, perplexity, 0)


def divergence(p: csr_matrix, y):
    """Sum over the stored pairs of p log(p / q), q normalised over all pairs."""
    y = y.astype(float)
    q = 1 / (1 + ((y[:, None] - y[None]) ** 2).sum(-1))
    np.fill_diagonal(q, 0)
    q /= q.sum()
    i, j = p.nonzero()
    v = np.asarray(p[i, j]).ravel()
    return float((v * np.log(v / q[i, j])).sum())


def case(x, perplexity):
    p = affinities(x, perplexity)
    found = {}
    for q in (2,) if x.shape[1] == 3 else (2, 3):
        y = TSNE(q, perplexity=perplexity, init="pca", learning_rate="auto", random_state=0).fit_transform(x)
        found[f"trustworthiness_{q}"] = float(trustworthiness(x, y, n_neighbors=10))
        if q == 2:
            found["divergence"] = divergence(p, y)
    rows = np.unique(np.linspace(0, len(x) - 1, 40).astype(int))
    dense = p.toarray()[rows]
    found["affinities"] = [
        {"row": int(r), "sum": float(row.sum()), "largest": sorted(map(float, row))[-5:][::-1], "stored": int((row > 0).sum())}
        for r, row in zip(rows, dense)
    ]
    return found


blobs = points(600, 10, 6)
digits = np.load(HERE.parent.parent / "www/sample/digits.npz")["features"].astype(float)
out = {
    "made_by": f"scikit-learn {sklearn.__version__}, tests/golden/make_tsne.py",
    "blobs": {"n": 600, "d": 10, "clusters": 6, "perplexity": 30, "first": blobs[0].tolist(), **case(blobs, 30)},
    "digits": {"perplexity": 30, **case(digits, 30)},
}
(HERE / "tsne.json").write_text(json.dumps(out, indent=1) + "\n")
