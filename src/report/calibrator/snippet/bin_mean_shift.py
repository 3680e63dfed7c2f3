    ln_d, out = nearness(c, x), np.array(s, float)
    for i, b in enumerate(np.searchsorted(c["score_edges"], out, "right")):
        out[i] += c["lambda"] * c["gaps"][b][np.searchsorted(c["log_proximity_edges"][b], ln_d[i], "right")]
    return np.clip(out, 0, 1)
