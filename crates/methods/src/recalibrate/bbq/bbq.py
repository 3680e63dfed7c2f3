    p = np.zeros(len(s))
    for m in c["models"]:
        p += m["weight"] * np.array(m["values"])[below(m["edges"][1:-1], s, False)]
    return np.clip(p, 0, 1)
