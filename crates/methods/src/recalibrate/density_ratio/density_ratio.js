  if (c.bandwidth_happened.length === 0) return s; // too little to go by
  const rows = (outcome) => c.target.flatMap((t, k) => (t === outcome ? [k] : []));
  const own = [rows(0), rows(1)];
  const logDensity = (outcome, [h0, h1], v, d) => {
    const u = own[outcome].map((k) => ((v - c.score[k]) / h0) ** 2 / 2 + ((d - c.proximity[k]) / h1) ** 2 / 2);
    const least = u.reduce((a, b) => Math.min(a, b));
    return Math.log(u.reduce((sum, w) => sum + Math.exp(least - w), 0)) - least - Math.log(u.length * h0 * h1 * 2 * Math.PI);
  };
  return nearness(c, x).map(Math.exp).map((d, i) => {
    const happened = logDensity(1, c.bandwidth_happened, s[i], d);
    const missed = logDensity(0, c.bandwidth_missed, s[i], d);
    if (!c.floor) return 1 / (1 + c.ratio * Math.exp(missed - happened));
    return Math.min(Math.exp(happened) / Math.max(Math.exp(happened) + c.ratio * Math.exp(missed), 1e-10), 1);
  });
