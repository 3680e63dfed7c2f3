    s, d, score, near = np.array(s, float), np.exp(nearness(c, x)), np.array(c["score"]), np.array(c["proximity"])
    if not c["bandwidth_happened"]:
        return s  # too little to go by
    def log_density(outcome, h):
        own = np.array(c["target"]) == outcome
        u = ((s[:, None] - score[own]) / h[0]) ** 2 / 2 + ((d[:, None] - near[own]) / h[1]) ** 2 / 2
        least = u.min(axis=1)
        return np.log(np.exp(least[:, None] - u).sum(axis=1)) - least - np.log(own.sum() * h[0] * h[1] * 2 * np.pi)
    happened, missed = log_density(1, c["bandwidth_happened"]), log_density(0, c["bandwidth_missed"])
    if c["floor"]:
        return np.clip(np.exp(happened) / np.maximum(np.exp(happened) + c["ratio"] * np.exp(missed), 1e-10), 0, 1)
    return 1 / (1 + c["ratio"] * np.exp(np.minimum(missed - happened, 700)))
