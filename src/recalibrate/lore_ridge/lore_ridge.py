    base = lambda s: c["a"] * logit(np.array(s, float)) + c["b"]
    if c["kappa"] is None:  # the base alone
        return np.array(s, float) if c["baseline"] == "none" else 1 / (1 + np.exp(-base(s)))
    factor, there = np.array(c["factor"]), np.reshape(c["x"], (-1, c["dimension"]))
    at, there = projected(c, x) * factor, there * factor
    z, g = base(s), 1 / (1 + np.exp(-base(c["score"])))
    residual, information = np.array(c["target"]) - g, g * (1 - g)
    for i, place in enumerate(at):
        k = np.exp(-np.abs(there - place).sum(axis=1) / (c["dimension"] * c["gamma"]))
        z[i] += k @ residual / max(k @ information + c["kappa"], 1e-300)
    return 1 / (1 + np.exp(-z))
