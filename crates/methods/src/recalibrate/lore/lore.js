  const { kernel, gamma, dimension } = c;
  const d = dimension - (c.within?.coordinates ?? 0); // what follows must be the same
  const inner = c.edges.slice(1, -1);
  const there = places(c);
  const at = projected(c, x);
  const fall = {
    laplacian: (gaps) => gaps.reduce((sum, g) => sum + Math.abs(g), 0) / (d * gamma),
    gaussian: (gaps) => dot(gaps, gaps) / (2 * gamma ** 2),
    rbf: (gaps) => gamma * dot(gaps, gaps),
    group: (gaps) => (gaps.every((g) => g === 0) ? 0 : Infinity),
    constant: () => 0,
  }[kernel];
  return s.map((score, i) => {
    const bin = below(inner, score, c.closed !== 'right');
    const same = (k) => there[k].every((v, j) => j < d || v === at[i][j]);
    const rows = c.bin.flatMap((b, k) => (b === bin && same(k) ? [k] : []));
    if (rows.length === 0) return score; // an empty bin keeps the score
    let u = rows.map((k) => fall(there[k].slice(0, d).map((v, j) => v - at[i][j])));
    let least = u.reduce((a, b) => Math.min(a, b));
    if (kernel === 'group' && least === Infinity) [u, least] = [u.map(() => 0), 0]; // a group that the bin does not know
    const k = u.map((v) => Math.exp(least - v));
    return dot(k, rows.map((r) => c.target[r])) / k.reduce((a, b) => a + b);
  });
