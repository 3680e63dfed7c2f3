def below(edges, s, same=True):  # how many lie below s, or are s, up to rounding
    edges = np.array(edges, float)
    margin = 2**-50 * np.maximum(0, np.minimum(edges, 1 - edges))
    return np.searchsorted(edges - margin, s, "right") if same else np.searchsorted(edges + margin, s, "left")


