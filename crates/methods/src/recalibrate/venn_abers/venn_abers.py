    low, high = c["lower"], c["upper"]
    p0 = np.array([0] + low["y"])[below(low["x"], s)]
    p1 = np.array(high["y"] + [1])[below(high["x"], s, False)]
    return p1 / (1 - p0 + p1)
