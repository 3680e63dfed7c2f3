    return 1 / (1 + np.exp(-(logit(s) + c["b"])))
