    fit, p, start = c["fit"], np.array(s, float), 0
    names = [[f"{column} = {value}" for column, value in zip(c["columns"], row)] for row in g]
    own = [np.array([name in (*each, " and ".join(each)) for each in names]) for name in c["groups"]]
    bins = lambda: below(fit["edges"][1:-1], p, fit["closed"] != "right")
    if "rounds" not in fit:
        for group, b, shift in fit["steps"]:
            here = own[group] & (bins() == b)
            p[here] = np.clip(p[here] + shift, 0, 1)
        return p
    for end in fit["rounds"]:
        now = bins()
        for group, b, shift in fit["steps"][start:end]:
            p[own[group] & (now == b)] += shift
        p, start = np.clip(p, 0, 1), end
    return p
