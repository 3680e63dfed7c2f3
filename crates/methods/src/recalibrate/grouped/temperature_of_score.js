  const fits = new Map(Object.entries(c.fits));
  return s.map((v, i) => 1 / (1 + Math.exp(-logit(v) / (fits.get(g[i][0]) ?? c.pooled).temperature)));
