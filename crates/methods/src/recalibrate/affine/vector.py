    return softmax(z * np.array(c["weights"]) + np.array(c["bias"]))
