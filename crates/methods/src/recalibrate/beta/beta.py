    s = np.clip(s, 2.220446049250313e-16, 1 - 2.220446049250313e-16)
    return 1 / (1 + np.exp(-(c["a"] * np.log(s) - c["b"] * np.log1p(-s) + c["c"])))
