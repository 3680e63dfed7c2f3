  return s.map((v) => 1 / (1 + Math.exp(-(logit(v) + c.b))));
