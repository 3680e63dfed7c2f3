  return s.map(logit).map((z) => 1 / (1 + Math.exp(-(c.a + z * (c.b + c.c * z)))));
