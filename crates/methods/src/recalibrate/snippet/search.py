def below(edges, s, same=True):  # how many lie below s, or are s; less than 2^-44 apart is the same
    return np.searchsorted(edges, np.add(s, 2**-44), "left") if same else np.searchsorted(edges, np.subtract(s, 2**-44), "right")


