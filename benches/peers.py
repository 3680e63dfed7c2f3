"""The same kernel sums natively: NumPy (chunked broadcasting, f32) and PyTorch on the CPU, beside the browser's times.

    node tests/browser/bench.mjs --json bench.json
    python benches/peers.py bench.json          # needs numpy; torch where it is installed

Every case is the signed local error of all rows in one bin, Laplacian kernel: sum of k times residual over sum of k.
The table gives milliseconds and, in brackets, how many times longer than the page took. See benches/README.md.
"""

import json
import pathlib
import sys
import time

import numpy as np

try:
    import torch
except ImportError:
    torch = None

GAMMA = 0.05


def with_numpy(x, r, h):
    """Rows in chunks against all rows, one coordinate after the other."""
    n = len(x)
    out = np.empty(n, np.float32)
    step = max(1, 4_000_000 // n)
    columns = np.ascontiguousarray(x.T)
    for start in range(0, n, step):
        stop = min(n, start + step)
        t = np.zeros((stop - start, n), np.float32)
        for column in columns:
            t += np.abs(column[start:stop, None] - column[None, :])
        k = np.exp(t * np.float32(-1 / h))
        out[start:stop] = (k @ r) / k.sum(axis=1)
    return out


def with_torch(x, r, h):
    """`torch.cdist(p=1)` in chunks, all cores."""
    x, r = torch.from_numpy(x), torch.from_numpy(r)
    n = len(x)
    out = torch.empty(n)
    step = max(1, 20_000_000 // n)
    for start in range(0, n, step):
        k = torch.exp(torch.cdist(x[start : start + step], x, p=1) * (-1 / h))
        out[start : start + step] = (k @ r) / k.sum(1)
    return out.numpy()


def least(body, times):
    """Shortest of a few runs in milliseconds, and the result."""
    best, found = float("inf"), None
    for _ in range(times):
        start = time.perf_counter()
        found = body()
        best = min(best, (time.perf_counter() - start) * 1e3)
    return best, found


CASES = [
    ("local error, 1,000 rows × 2, one bin, one worker", 1_000, 2, 1),
    ("local error, 10,000 rows × 2, one bin, one worker", 10_000, 2, 1),
    ("local error, 25,000 rows × 2, one bin, one worker", 25_000, 2, 1),
    ("local error, 25,000 rows × 3, one bin, one worker", 25_000, 3, 1),
    ("local error, 5,000 rows × 50, one bin, one worker", 5_000, 50, 1),
    ("local error, 25,000 rows × 50, one bin, two workers, as a whole run", 25_000, 50, 1),
    ("local error, 25,000 rows × 50, 15 bins, two workers, as a whole run", 25_000, 50, 15),
]


def main():
    page = {}
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            page = {row["what"]: row["median"] for row in json.load(file)["rows"]}
    peers = [("NumPy f32", with_numpy)]
    if torch is not None:
        peers.append((f"PyTorch f32, {torch.get_num_threads()} threads", with_torch))
    print("| what | page | " + " | ".join(name for name, _ in peers) + " |")
    print("|---|---:|" + "---:|" * len(peers))
    rng = np.random.default_rng(1)
    for what, n, d, bins in CASES:
        x = rng.random((n, d), np.float32)
        r = (rng.random(n) - 0.5).astype(np.float32)
        h = (0.4 if "run" in what else GAMMA) * d
        parts = np.array_split(np.arange(n), bins)
        cells, answers = [], []
        for _, peer in peers:
            times = 1 if n * n * d > 1e10 else 3

            def body(peer=peer):
                return np.concatenate([peer(x[rows], r[rows], h) for rows in parts])

            took, found = least(body, times)
            answers.append(found)
            ratio = f" ({took / page[what]:.1f}×)" if what in page else ""
            cells.append(f"{took:.0f} ms{ratio}")
        if len(answers) == 2:
            assert np.allclose(answers[0], answers[1], atol=1e-4)
        own = f"{page[what]:.0f} ms" if what in page else ""
        print(f"| {what} | {own} | " + " | ".join(cells) + " |", flush=True)
    trust_tests()


def trust_test_with_numpy(p, y, x, draws):
    """The dense form: K once (f32), then all label draws by one matrix product."""
    z = np.concatenate([p[:, None] / 0.1, np.sqrt(0.5) * x], axis=1).astype(np.float32)
    norm = (z * z).sum(1)
    k = np.exp(-np.maximum(norm[:, None] + norm[None, :] - 2 * (z @ z.T), 0))
    np.fill_diagonal(k, 0)
    e = (np.random.default_rng(1).random((len(p), draws)) < p[:, None]).astype(np.float32) - p[:, None].astype(np.float32)
    null = (e * (k @ e)).sum(0)
    own = y - p
    return own @ (k @ own), null


def trust_tests():
    """KLCE with 1,000 label draws against `cargo bench -p localcal-benches --bench klce`, one thread, where that was run."""
    print("\n| KLCE test, 3 coordinates, 1,000 draws | native, one thread | NumPy f32, dense |")
    print("|---|---:|---:|")
    rng = np.random.default_rng(2)
    folder = pathlib.Path(__file__).parent.parent / "target" / "criterion" / "klce"
    for n in (1_000, 3_000, 10_000):
        p, x = rng.random(n), rng.normal(size=(n, 3))
        y = (rng.random(n) < p).astype(float)
        took, _ = least(lambda: trust_test_with_numpy(p, y, x, 1000), 2)
        own = folder / f"{n}, gamma 0.5, Bernoulli" / "new" / "estimates.json"
        ours = json.loads(own.read_text())["median"]["point_estimate"] / 1e6 if own.exists() else None
        cells = (f"{ours:.0f} ms", f" ({took / ours:.1f}×)") if ours else ("", "")
        print(f"| {n:,} rows | {cells[0]} | {took:.0f} ms{cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
