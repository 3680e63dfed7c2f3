  // An empty text is a missing value.
  const meets = (row, k) => {
    const text = row[c.columns.indexOf(k.column)];
    if (k.values) return k.values.includes(text);
    if (k.missing || !text) return Boolean(k.missing) && !text;
    return (k.from ?? -Infinity) <= Number(text) && Number(text) < (k.below ?? Infinity);
  };
  return s.map((v, i) => {
    const inside = c.shifts.filter((_, q) => c.slices[q].conditions.every((k) => meets(g[i], k)));
    return 1 / (1 + Math.exp(-(c.a * logit(v) + c.b + inside.reduce((sum, shift) => sum + shift, 0))));
  });
