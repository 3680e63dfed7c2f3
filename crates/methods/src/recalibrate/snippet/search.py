def below(edges, s, same=True):  # how many lie below s, or are s
    # less than 2^-44 apart is the same; near 0 and 1, less than 2^-34 of the way there
    edges = np.array(edges, float)
    end = np.minimum(edges, 1 - edges)
    width = np.where(end < 0, 2**-44, np.minimum(2**-44, 2**-34 * end))
    if same:
        return np.searchsorted(np.minimum(edges - width, np.nextafter(edges, -np.inf)), s, "left")
    return np.searchsorted(np.maximum(edges + width, np.nextafter(edges, np.inf)), s, "right")


