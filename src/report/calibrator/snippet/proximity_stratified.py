    group = np.searchsorted(c["log_proximity_edges"], nearness(c, x), "right")
    out = np.zeros(len(group))
    for k in np.unique(group):
        mine, parameters = group == k, c["groups"][k]
        out[mine] = METHOD
    return out
