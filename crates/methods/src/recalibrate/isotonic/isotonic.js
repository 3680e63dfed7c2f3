  return s.map((v) => curve(c, v));
