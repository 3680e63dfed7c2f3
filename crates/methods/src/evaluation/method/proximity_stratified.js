  const group = nearness(c, x).map((v) => below(c.log_proximity_edges, v, true));
  const out = [];
  for (const k of new Set(group)) {
    const rows = group.flatMap((own, i) => (own === k ? [i] : []));
    const mine = (values) => rows.map((i) => values[i]);
    const parameters = c.groups[k];
    METHOD.forEach((v, j) => { out[rows[j]] = Math.min(Math.max(v, 0), 1); });
  }
  return out;
