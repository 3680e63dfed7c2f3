  return z.map((row) => softmax(row.map((v, k) => c.weights[k] * v + c.bias[k])));
