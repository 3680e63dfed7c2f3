  const knots = c.knots;
  const last = knots[knots.length - 1];
  const cube = (v) => Math.max(v, 0) ** 3;
  return s.map((v) => {
    const p = Math.min(Math.max(v, 2 ** -28), 1 - 2 ** -28);
    const z = Math.log(p / (1 - p));
    const d = (k) => (cube(z - k) - cube(z - last)) / (last - k);
    const bends = knots.slice(0, -2).map((k) => d(k) - d(knots[knots.length - 2]));
    const f = [1, z, ...bends].reduce((sum, x, j) => sum + c.coefficients[j] * x, 0);
    return 1 / (1 + Math.exp(-f));
  });
