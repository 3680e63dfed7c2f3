    x, there = projected(c, x), np.reshape(c["x"], (-1, c["dimension"]))
    score, out, krr = np.array(c["score"]), np.array(s, float), c["form"] == "krr"
    of_score = 1 / c["width_p"] ** 2 if c["form"] == "product" else c["gamma"]
    weight = np.array(c["alpha"]) if krr else np.array(c["target"]) - score
    for i, row in enumerate(x):
        u = c["gamma"] * ((there - row) ** 2).sum(axis=1) + of_score * (score - out[i]) ** 2
        k = np.exp(-u if krr else u.min() - u)
        out[i] += k @ weight / (1 if krr else k.sum())
    return np.clip(out, 0, 1)
