def nearness(c, x):  # ln D: how near the nearest calibration rows are
    x, there = projected(c, x), np.reshape(c["x"], (-1, c["dimension"]))
    cosine, out = c["distance"] == "cosine", []
    if cosine or c["row_normalise"]:
        x, there = (v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-300) for v in (x, there))
    for row in x:
        squared = np.sort(((there - row) ** 2).sum(axis=1))[:c["neighbours"]]
        far = squared / 2 if cosine else np.sqrt(squared)
        u = -far if cosine else -squared
        code = u.max() + np.log(np.exp(u - u.max()).mean())
        out.append(code if c["form"] == "code" else -far.mean())
    return np.array(out)


