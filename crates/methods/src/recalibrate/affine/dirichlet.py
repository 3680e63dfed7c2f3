    m = len(c["bias"])
    z = np.log(np.maximum(softmax(z), 2.220446049250313e-16))
    return softmax(z @ np.reshape(c["weights"], (m, m)).T + np.array(c["bias"]))
