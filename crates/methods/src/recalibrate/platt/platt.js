  const u = c.input === 'raw_prob' ? (v) => v : logit;
  return s.map((v) => 1 / (1 + Math.exp(-(c.a * u(v) + c.b))));
