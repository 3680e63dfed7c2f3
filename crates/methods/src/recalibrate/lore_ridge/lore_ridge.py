    base = lambda s: c["a"] * logit(np.array(s, float)) + c["b"]
    if c["kappa"] is None:  # the base alone
        return np.array(s, float) if c["baseline"] == "none" else 1 / (1 + np.exp(-base(s)))
    d = c["dimension"] - c.get("within", {}).get("coordinates", 0)  # what follows must be the same
    factor, there, at = np.array(c["factor"]), np.reshape(c["x"], (-1, c["dimension"])), projected(c, x)
    z, g = base(s), 1 / (1 + np.exp(-base(c["score"])))
    residual, information = np.array(c["target"]) - g, g * (1 - g)
    for i, place in enumerate(at):
        k = np.exp(-np.abs((there - place)[:, :d] * factor).sum(axis=1) / (d * c["gamma"]))
        k = k * (there[:, d:] == place[d:]).all(axis=1)
        z[i] += k @ residual / max(k @ information + c["kappa"], 1e-300)
    return 1 / (1 + np.exp(-z))
