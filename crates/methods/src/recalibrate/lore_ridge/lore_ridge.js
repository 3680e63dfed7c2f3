  const base = (score) => c.a * logit(score) + c.b;
  const sigmoid = (z) => 1 / (1 + Math.exp(-z));
  if (c.kappa === null) return c.baseline === 'none' ? s : s.map((score) => sigmoid(base(score))); // the base alone
  const d = c.dimension - (c.within?.coordinates ?? 0); // what follows must be the same
  const there = places(c);
  const at = projected(c, x);
  const g = c.score.map((score) => sigmoid(base(score)));
  return s.map((score, i) => {
    const fall = (place) => place.slice(0, d).reduce((sum, v, j) => sum + Math.abs(v - at[i][j]) * c.factor[j], 0);
    const same = (place) => place.every((v, j) => j < d || v === at[i][j]);
    const k = there.map((place) => (same(place) ? Math.exp(-fall(place) / (d * c.gamma)) : 0));
    const residual = dot(k, g.map((p, r) => c.target[r] - p));
    const information = dot(k, g.map((p) => p * (1 - p)));
    return sigmoid(base(score) + residual / Math.max(information + c.kappa, 1e-300));
  });
