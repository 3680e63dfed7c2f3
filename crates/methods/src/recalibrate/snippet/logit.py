def logit(s):
    s = np.clip(s, 2.220446049250313e-16, 1 - 2.220446049250313e-16)
    return np.log(s / (1 - s))


