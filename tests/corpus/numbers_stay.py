#!/usr/bin/env python3
"""Whether two versions of the corpus's answers hold the same numbers: numbers_stay.py BEFORE AFTER

Every numeric field must be equal, bit for bit. Of texts, the numbers in them are compared as a multiset, with these
differences of style put aside: a space before a percent sign, thin and fixed spaces, how an interval is written ("…", "to",
"–"), the constants of phrases ("95 %", "19 of 20", "four times in five"), and a value that was rounded to fewer decimals.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?")
# What phrases hold, whatever the data.
CONSTANTS = {"95", "80", "97.5", "5", "19", "20", "100", "39", "40", "1", "0", "99", "2", "4", "8", "1.0", "0.001"}


def numbers(text):
    text = re.sub("[\u00a0\u202f\u2009]", " ", text)
    found = (n.rstrip(",").replace(",", "").replace("−", "-") for n in NUMBER.findall(text))
    return Counter(n.lstrip("-+") for n in found if n.lstrip("-+") not in CONSTANTS)


def rounds(before, after):
    """Whether each number that is new is one that went, with fewer decimals or as a share instead of points."""
    gone, new = list((before - after).elements()), list((after - before).elements())
    for value in new:
        places = len(value.partition(".")[2])
        known = next((g for g in gone if _near(g, value, places)), None)
        if known is None:
            return False
        gone.remove(known)
    return True


def _near(gone, value, places):
    try:
        a, b = float(gone), float(value)
    except ValueError:
        return False
    unit = 10.0**-places
    return abs(a - b) <= 0.51 * unit or abs(a / 100 - b) <= 0.0051


def compare(path, a, b, out):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            compare(f"{path}.{key}", a.get(key), b.get(key), out)
    elif isinstance(a, list) and isinstance(b, list):
        if all(isinstance(v, str) for v in a + b):
            compare(path, "\n".join(a), "\n".join(b), out)
        elif len(a) != len(b):
            out.append(("length", path, str(len(a)), str(len(b))))
        else:
            for i, (x, y) in enumerate(zip(a, b)):
                compare(f"{path}[{i}]", x, y, out)
    elif isinstance(a, str) and isinstance(b, str):
        before, after = numbers(a), numbers(b)
        if before != after:
            kind = "rounded" if rounds(before, after) else "text"
            out.append((kind, path, a, b))
    elif a != b or type(a) is not type(b):
        out.append(("field", path, json.dumps(a), json.dumps(b)))


def main():
    before, after = map(Path, sys.argv[1:3])
    counts, files = Counter(), 0
    for file in sorted(after.rglob("*.json")):
        old = before / file.relative_to(after)
        if not old.exists():
            continue
        files += 1
        out = []
        compare(str(file.relative_to(after)), json.loads(old.read_text()), json.loads(file.read_text()), out)
        for kind, path, a, b in out:
            counts[kind] += 1
            if kind != "rounded":
                print(f"{kind} {path}\n  - {a[:300]}\n  + {b[:300]}")
    print(f"{files} answers: {dict(counts) or 'all numbers are as they were'}")
    return 1 if counts["field"] else 0


if __name__ == "__main__":
    sys.exit(main())
