  const log = (p) => Math.log(Math.max(p, 2.220446049250313e-16));
  return z.map((row) => softmax(affine(c, softmax(row).map(log))));
