  return s.map((v) => {
    const p0 = c.lower.y[below(c.lower.x, v, true) - 1] ?? 0;
    const p1 = c.upper.y[below(c.upper.x, v, false)] ?? 1;
    return p1 / (1 - p0 + p1);
  });
