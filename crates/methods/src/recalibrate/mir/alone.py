    p = softmax(z)
    p = np.clip(np.interp(p, c["x"], c["y"]) + 1e-9 * p, 0, 1)
    return p / p.sum(axis=1, keepdims=True)  # the curve knows nothing of the sum of a row
