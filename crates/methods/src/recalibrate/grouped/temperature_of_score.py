    t = np.array([c["fits"].get(row[0], c["pooled"])["temperature"] for row in g])
    return 1 / (1 + np.exp(-logit(s) / t))
