    t = np.array([c["fits"].get(row[0], c["pooled"])["temperature"] for row in g])
    return softmax(z / t[:, None])
