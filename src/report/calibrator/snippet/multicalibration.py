    fit, p, start = c["fit"], np.array(s, float), 0
    names = [[f"{column} = {value}" for column, value in zip(c["columns"], row)] for row in g]
    own = [np.array([name in (*each, " and ".join(each)) for each in names]) for name in c["groups"]]
    bins = lambda: below(fit["edges"][1:-1], p, fit["closed"] != "right")
    if "shares" not in fit:
        for group, b, shift in fit["steps"]:
            here = own[group] & (bins() == b)
            p[here] = np.clip(p[here] + shift, 0, 1)
        return p
    of_group, of_cell = fit["shares"]  # in the published form cells that are too small among these cases stay
    for end in fit.get("rounds", []):
        now = bins()
        for group, b, shift in fit["steps"][start:end]:
            here = own[group] & (now == b)
            if own[group].mean() > of_group and here.sum() > of_cell * len(p):
                p[here] += shift
        p, start = np.clip(p, 0, 1), end
    return p
