  const tempered = (row) => softmax(row.map((v) => v / c.temperature));
  const mixed = (p) => Math.log((1 - c.mixture) * p + c.mixture / c.bias.length);
  return z.map((row) => softmax(tempered(row).map(mixed).map((u, k) => c.weights[k] * u + c.bias[k])));
