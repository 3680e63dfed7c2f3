    p = np.zeros(len(s))
    for m in c["models"]:
        p += m["weight"] * np.array(m["values"])[np.searchsorted(m["edges"][1:-1], s, "left")]
    return np.clip(p, 0, 1)
