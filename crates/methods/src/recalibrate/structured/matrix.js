  const tempered = (row) => softmax(row.map((v) => v / c.temperature));
  const mixed = (p) => Math.log((1 - c.mixture) * p + c.mixture / c.bias.length);
  return z.map((row) => softmax(affine(c, tempered(row).map(mixed))));
