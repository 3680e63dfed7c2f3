  // The curve knows nothing of the sum of a row.
  return z.map((row) => {
    const p = softmax(row).map((v) => Math.min(Math.max(curve(c, v) + 1e-9 * v, 0), 1));
    const sum = p.reduce((a, b) => a + b);
    return p.map((v) => v / sum);
  });
