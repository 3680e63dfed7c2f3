    out = np.array(s, float)
    for i, row in enumerate(g):
        fit = c["fits"].get(row[0], c["pooled"])  # a group that was not seen, or small, takes the fit to all rows
        value = fit["values"][below(fit["edges"][1:-1], out[i], fit.get("closed") != "right")]
        out[i] = out[i] if value is None else value  # an empty bin keeps the score
    return out
