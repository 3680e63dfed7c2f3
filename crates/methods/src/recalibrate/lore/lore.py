    x, there = projected(c, x), np.reshape(c["x"], (-1, c["dimension"]))
    d = c["dimension"] - c.get("within", {}).get("coordinates", 0)  # what follows must be the same
    bins, target, out = np.array(c["bin"]), np.array(c["target"]), np.array(s, float)
    for i, b in enumerate(below(c["edges"][1:-1], s, c.get("closed") != "right")):
        in_bin = (bins == b) & (there[:, d:] == x[i, d:]).all(axis=1)
        if not in_bin.any():
            continue  # an empty bin keeps the score
        gap = np.abs(there[in_bin, :d] - x[i, :d])
        if c["kernel"] == "laplacian":
            u = gap.sum(axis=1) / (d * c["gamma"])
        elif c["kernel"] == "gaussian":
            u = (gap**2).sum(axis=1) / (2 * c["gamma"] ** 2)
        elif c["kernel"] == "rbf":
            u = c["gamma"] * (gap**2).sum(axis=1)
        else:  # group: rows at the same place, or the whole bin; constant: the whole bin
            u = np.where((c["kernel"] == "constant") | (gap == 0).all(axis=1), 0, np.inf)
            u = u if np.isfinite(u).any() else np.zeros(len(u))
        k = np.exp(u.min() - u)
        out[i] = k @ target[in_bin] / k.sum()
    return np.clip(out, 0, 1)
