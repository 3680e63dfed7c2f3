def below(edges, s, same=True):  # how many lie below s, or are s, up to rounding
    edges = np.array(edges, float)
    margin = 2**-50 * np.maximum(0, np.minimum(edges, 4 * (1 - edges)))
    low, high = edges - margin, edges + margin  # themselves rounded: at most the margin away
    low = np.where(edges - low > margin, np.nextafter(low, 1), low)
    high = np.where(high - edges > margin, np.nextafter(high, 0), high)
    return np.searchsorted(low, s, "right") if same else np.searchsorted(high, s, "left")


