    m = len(c["bias"])
    u = np.log((1 - c["mixture"]) * softmax(z / c["temperature"]) + c["mixture"] / m)
    return softmax(u @ np.reshape(c["weights"], (m, m)).T + np.array(c["bias"]))
