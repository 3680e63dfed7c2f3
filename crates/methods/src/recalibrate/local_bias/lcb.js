  const { gamma, form, score } = c;
  const there = places(c);
  const at = projected(c, x);
  const ofScore = form === 'product' ? 1 / c.width_p ** 2 : gamma;
  const weight = form === 'krr' ? c.alpha : score.map((v, k) => c.target[k] - v);
  return s.map((v, i) => {
    const u = there.map((place, k) => gamma * place.reduce((sum, w, j) => sum + (w - at[i][j]) ** 2, 0) + ofScore * (score[k] - v) ** 2);
    const least = form === 'krr' ? 0 : u.reduce((a, b) => Math.min(a, b));
    const k = u.map((w) => Math.exp(least - w));
    const bias = dot(k, weight) / (form === 'krr' ? 1 : k.reduce((a, b) => a + b));
    return Math.min(Math.max(v + bias, 0), 1);
  });
