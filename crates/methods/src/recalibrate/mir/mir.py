    p = softmax(z)
    return np.interp(p, c["x"], c["y"]) + 1e-9 * p  # rows need not sum to 1
