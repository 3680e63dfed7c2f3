    w1, w2, w3 = c["weights"]
    return w1 * softmax(z / c["temperature"]) + w2 * softmax(z) + w3 / z.shape[1]
