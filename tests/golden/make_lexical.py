"""Lexical dimensions and distinctive words, by scikit-learn and by hand: tests/golden/lexical.json.

    pip install numpy scipy scikit-learn
    python tests/golden/make_lexical.py

Texts are made of a few topics. Terms are those of `HashingVectorizer` (words and pairs, 2^20 columns, counts) of which columns
in one text are left out, weights those of `TfidfTransformer`. Singular values and places are those of the full decomposition of
the dense matrix (LAPACK) and of `TruncatedSVD(algorithm="arpack")`, which have to agree. The words are counted with `re`,
nothing of scikit-learn.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

TOPICS = {
    "chemistry": "acid base salt reaction molecule bond oxygen pH titration catalyst solution ion H_2O électron",
    "history": "king queen war treaty empire battle revolution parliament dynasty siege colony emperor crown Tsar",
    "algebra": "equation matrix root polynomial prime integer vector theorem proof group ring field Galois modulus",
    "medicine": "patient dose fever therapy diagnosis infection kidney renal artery vaccine tumor biopsy symptom naïve",
    "music": "sonata chord fugue violin tempo symphony opera melody quartet prelude rhythm clef Dvořák étude",
}
FRAMES = [
    "Which {a} is most often found beside the {b}?",
    "What happens to the {a} when the {b} is removed, and why?",
    "In the theory of {a}, who first described the {b} of a {c}?",
    "How does a {a} depend on {b} and {c}?",
    "Name the {a}; explain the {b}. It's 7-fold in {c}!",
    "If {a} equals {b}, what is the {c} of the {a}?",
]


def texts(rng, n):
    names = list(TOPICS)
    made, topic = [], []
    for _ in range(n):
        which = int(rng.integers(len(names)))
        words = TOPICS[names[which]].split()
        a, b, c = rng.choice(words, 3, replace=False)
        made.append(FRAMES[int(rng.integers(len(FRAMES)))].format(a=a, b=b, c=c))
        topic.append(which)
    return made, topic


def distinctive(made, inside):
    """Monroe, Colaresi and Quinn (2008), a word once a text, prior a tenth of the counts."""
    count = {}
    words, sizes = [0, 0], [0, 0]
    for text, here in zip(made, inside):
        side = 0 if here else 1
        mine = set(re.findall(r"\b\w\w+\b", text.lower()))
        sizes[side] += 1
        words[side] += len(mine)
        for word in mine:
            count.setdefault(word, [0, 0])[side] += 1
    out = []
    for word, (y, other) in count.items():
        prior, all_priors = (y + other) / 10, sum(words) / 10
        a, b = y + prior, other + prior
        delta = math.log(a / (words[0] + all_priors - a)) - math.log(b / (words[1] + all_priors - b))
        z = delta / math.sqrt(1 / a + 1 / b)
        if y >= 2 and z >= 2:
            out.append({"word": word, "texts": y, "here": y / sizes[0], "elsewhere": other / sizes[1], "log_odds": delta, "z": z})
    return sorted(out, key=lambda one: (-one["z"], one["word"]))


def main():
    rng = np.random.default_rng(33)
    made, topic = texts(rng, 240)
    hashed = HashingVectorizer(ngram_range=(1, 2), alternate_sign=False, norm=None, n_features=2**20).fit_transform(made)
    df = np.asarray((hashed > 0).sum(axis=0)).ravel()
    counts = hashed[:, df > 1]
    weighted = TfidfTransformer().fit_transform(counts)
    k = 24
    u, s, vt = np.linalg.svd(weighted.toarray(), full_matrices=False)
    svd = TruncatedSVD(k, algorithm="arpack").fit(weighted)
    assert np.allclose(svd.singular_values_, s[:k], rtol=1e-9)
    signs = np.array([np.sign(row[np.argmax(np.abs(row))]) for row in vt[:k]])
    places = (weighted @ vt[:k].T) * signs
    rows = list(range(0, 240, 12))
    golden = {
        "texts": made,
        "topic": topic,
        "terms": int((df > 1).sum()),
        "singular_values": s[: k + 1].tolist(),
        # of some texts: in the leading dimensions, and their inner products in all 24
        "rows": rows,
        "places": places[rows, :6].round(9).tolist(),
        "products": (places[rows] @ places[rows].T).round(9).tolist(),
        "words": distinctive(made, [one == 3 for one in topic])[:12],
    }
    path = Path(__file__).with_name("lexical.json")
    path.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n")
    print("singular values", s[:10].round(4), "…", s[20:27].round(4))


if __name__ == "__main__":
    main()
