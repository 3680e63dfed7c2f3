  return z.map(clipped).map((row) => {
    const t = network(c.network, largest(row, c.top));
    return softmax(row.map((v) => v / t));
  });
