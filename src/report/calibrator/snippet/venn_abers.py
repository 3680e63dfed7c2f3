    low, high = c["lower"], c["upper"]
    p0 = np.array([0] + low["y"])[np.searchsorted(low["x"], s, "right")]
    p1 = np.array(high["y"] + [1])[np.searchsorted(high["x"], s, "left")]
    return p1 / (1 - p0 + p1)
