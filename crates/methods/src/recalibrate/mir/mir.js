  // Rows need not sum to 1.
  return z.map((row) => softmax(row).map((p) => curve(c, p) + 1e-9 * p));
