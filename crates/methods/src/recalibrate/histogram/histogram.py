    value = np.array(c["values"], float)[below(c["edges"][1:-1], s, c.get("closed") != "right")]
    return np.where(np.isnan(value), s, value)  # an empty bin keeps the score
