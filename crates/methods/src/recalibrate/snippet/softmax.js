function softmax(z) {
  const top = z.reduce((a, b) => Math.max(a, b));
  const e = z.map((v) => Math.exp(v - top));
  const sum = e.reduce((a, b) => a + b);
  return e.map((v) => v / sum);
}

