  const shifts = new Map(Object.entries(c.shifts));
  // A group that was not seen takes the update of all.
  return s.map((v, i) => 1 / (1 + Math.exp(-(c.a * logit(v) + c.b + (shifts.get(g[i][0]) ?? 0)))));
