    group = below(c["log_proximity_edges"], nearness(c, x))
    out = np.zeros(len(group))
    for k in np.unique(group):
        mine, parameters = group == k, c["groups"][k]
        out[mine] = METHOD
    return np.clip(out, 0, 1)
