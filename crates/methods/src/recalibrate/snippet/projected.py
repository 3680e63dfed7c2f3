def projected(c, x):  # where the coordinates were principal components or another linear map
    if "projection" not in c:
        return x
    mean = np.array(c["projection"]["mean"])
    return (x - mean) @ np.reshape(c["projection"]["components"], (-1, len(mean))).T


