  const { edges, closed, steps, rounds } = c.fit;
  const inner = edges.slice(1, -1);
  const bin = (v) => below(inner, v, closed !== 'right');
  const names = g.map((row) => {
    const each = row.map((value, k) => `${c.columns[k]} = ${value}`);
    return new Set([...each, each.join(' and ')]);
  });
  const own = c.groups.map((name) => names.flatMap((each, i) => (each.has(name) ? [i] : [])));
  const cut = (v) => Math.min(Math.max(v, 0), 1);
  let p = [...s];
  let start = 0;
  if (!rounds) {
    for (const [group, b, shift] of steps) for (const i of own[group]) if (bin(p[i]) === b) p[i] = cut(p[i] + shift);
    return p;
  }
  for (const end of rounds) {
    const now = p.map(bin);
    for (const [group, b, shift] of steps.slice(start, end)) {
      for (const i of own[group]) if (now[i] === b) p[i] += shift;
    }
    [p, start] = [p.map(cut), end];
  }
  return p;
