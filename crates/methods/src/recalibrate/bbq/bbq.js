  const inner = c.models.map(({ edges }) => edges.slice(1, -1));
  const p = (v) => c.models.reduce((sum, { weight, values }, k) => sum + weight * values[below(inner[k], v, false)], 0);
  return s.map((v) => Math.min(Math.max(p(v), 0), 1));
