    out = np.array(s, float)
    for i, row in enumerate(g):
        fit = c["fits"].get(row[0], c["pooled"])  # a group that was not seen, or small, takes the fit to all rows
        side = "left" if fit.get("closed") == "right" else "right"
        value = fit["values"][np.searchsorted(fit["edges"][1:-1], out[i], side)]
        out[i] = out[i] if value is None else value  # an empty bin keeps the score
    return out
