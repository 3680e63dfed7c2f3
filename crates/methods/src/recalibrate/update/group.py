    shift = np.array([c["shifts"].get(row[0], 0.0) for row in g])  # a group that was not seen takes the update of all
    return 1 / (1 + np.exp(-(c["a"] * logit(s) + c["b"] + shift)))
