  const clip = (v) => Math.min(Math.max(v, 2.220446049250313e-16), 1 - 2.220446049250313e-16);
  return s.map(clip).map((v) => 1 / (1 + Math.exp(-(c.a * Math.log(v) - c.b * Math.log1p(-v) + c.c))));
