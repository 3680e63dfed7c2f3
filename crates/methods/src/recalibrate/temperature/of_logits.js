  return z.map((row) => softmax(row.map((v) => v / c.temperature)));
