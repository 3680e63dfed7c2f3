"""The world of the calibration lab by an independent computation, for the numbers in lab.rs. Run: python3 lab_world.py"""

import math
import struct

MASK = (1 << 64) - 1


def mixed(counter):
    z = (counter + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def uniform(seed, draw, row, purpose):
    stream = mixed(seed << 32 | draw)
    return (mixed((stream + 32 * row + purpose) & MASK) >> 11) / (1 << 53)


def bits(x):
    return f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016x}"


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


seed, draw, n, share = 7, 1, 1000, 0.25
print("row, x1, x2 (bits), in group B of share .25, outcome")
for row in (0, 1, 999):
    x = [6 * uniform(seed, 0, row, k) - 3 for k in (0, 1)]
    q = sigmoid(x[0])
    print(row, bits(x[0]), bits(x[1]), uniform(seed, 0, row, 2) < share, int(uniform(seed, draw, row, 3) < q))
events = [int(uniform(seed, d, row, 3) < sigmoid(6 * uniform(seed, 0, row, 0) - 3)) for d in (1, 2) for row in range(n)]
print("events of draws 1 and 2:", sum(events[:n]), sum(events[n:]))
in_b = [uniform(seed, 0, row, 2) < share for row in range(n)]
print("rows of group B:", sum(in_b))
for k in range(1, 6):
    h = mixed(mixed(7 << 16 | k << 4 | 3)) >> 32
    print("real panel of student", k, "at level 3 of lesson 7:", 20 * h >> 32)
for m in (3, 4):
    right = 0
    for row in range(n):
        x = [6 * uniform(seed, 0, row, k) - 3 for k in (0, 1)]
        f = [x[0] * math.cos(2 * math.pi * k / m) + x[1] * math.sin(2 * math.pi * k / m) for k in range(m)]
        e = [math.exp(z - max(f)) for z in f]
        u, label = uniform(seed, draw, row, 3), 0
        while label < m - 1 and u >= sum(e[: label + 1]) / sum(e):
            label += 1
        right += label == f.index(max(f))
    print("rows of", m, "classes whose most probable class happened:", right)
