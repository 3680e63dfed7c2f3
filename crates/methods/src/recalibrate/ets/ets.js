  const [w1, w2, w3] = c.weights;
  return z.map((row) => {
    const tempered = softmax(row.map((v) => v / c.temperature));
    return softmax(row).map((p, k) => w1 * tempered[k] + w2 * p + w3 / row.length);
  });
