    u = s if c.get("input") == "raw_prob" else logit(s)
    return 1 / (1 + np.exp(-(c["a"] * u + c["b"])))
