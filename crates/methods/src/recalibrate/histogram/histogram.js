  const inner = c.edges.slice(1, -1);
  // An empty bin keeps the score.
  return s.map((v) => c.values[below(inner, v, c.closed !== 'right')] ?? v);
