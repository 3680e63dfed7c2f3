  const fits = new Map(Object.entries(c.fits));
  return s.map((v, i) => {
    const fit = fits.get(g[i][0]) ?? c.pooled; // a group that was not seen, or small, takes the fit to all rows
    return fit.values[below(fit.edges.slice(1, -1), v, fit.closed !== 'right')] ?? v; // an empty bin keeps the score
  });
