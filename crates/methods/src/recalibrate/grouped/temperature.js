  const fits = new Map(Object.entries(c.fits));
  return z.map((row, i) => softmax(row.map((v) => v / (fits.get(g[i][0]) ?? c.pooled).temperature)));
