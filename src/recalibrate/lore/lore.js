  const { kernel, gamma, dimension } = c;
  const inner = c.edges.slice(1, -1);
  const there = places(c);
  const at = projected(c, x);
  const fall = {
    laplacian: (gaps) => gaps.reduce((sum, g) => sum + Math.abs(g), 0) / (dimension * gamma),
    gaussian: (gaps) => dot(gaps, gaps) / (2 * gamma ** 2),
    rbf: (gaps) => gamma * dot(gaps, gaps),
    group: (gaps) => (gaps.every((g) => g === 0) ? 0 : Infinity),
    constant: () => 0,
  }[kernel];
  return s.map((score, i) => {
    const bin = below(inner, score, c.closed !== 'right');
    const rows = c.bin.flatMap((b, k) => (b === bin ? [k] : []));
    if (rows.length === 0) return score; // an empty bin keeps the score
    let u = rows.map((k) => fall(there[k].map((v, j) => v - at[i][j])));
    let least = u.reduce((a, b) => Math.min(a, b));
    if (least === Infinity) [u, least] = [u.map(() => 0), 0]; // a group that the bin does not know
    const k = u.map((v) => Math.exp(least - v));
    return dot(k, rows.map((r) => c.target[r])) / k.reduce((a, b) => a + b);
  });
