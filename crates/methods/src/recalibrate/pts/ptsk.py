    x, there = projected(c, x), np.reshape(c["x"], (-1, c["dimension"]))
    if c["unit_length"]:
        x, there = (v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-300) for v in (x, there))
    squared = np.array([np.sort(((there - row) ** 2).sum(axis=1))[:5] for row in x])
    near = np.exp(-np.pad(squared, ((0, 0), (0, 5 - squared.shape[1])), "edge"))
    z = np.clip(z, -100, 100)
    top = -np.sort(-z, axis=1)[:, :c["network"]["top"]]
    h = network(c["network"]["network"], np.hstack([top, near]))
    return softmax(z / np.clip(np.abs(h), 1e-12, 1e12))
