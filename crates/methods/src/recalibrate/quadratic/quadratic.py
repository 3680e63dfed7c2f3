    z = logit(s)
    return 1 / (1 + np.exp(-(c["a"] + z * (c["b"] + c["c"] * z))))
