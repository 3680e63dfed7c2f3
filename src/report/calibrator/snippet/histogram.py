    side = "left" if c.get("closed") == "right" else "right"
    value = np.array(c["values"], float)[np.searchsorted(c["edges"][1:-1], s, side)]
    return np.where(np.isnan(value), s, value)  # an empty bin keeps the score
