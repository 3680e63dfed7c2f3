    ln_d, out = nearness(c, x), np.array(s, float)
    for i, b in enumerate(below(c["score_edges"], out)):
        out[i] += c["lambda"] * c["gaps"][b][below(c["log_proximity_edges"][b], ln_d[i])]
    return np.clip(out, 0, 1)
