  const unit = (row) => (c.unit_length ? row.map((v) => v / Math.max(Math.sqrt(dot(row, row)), 1e-300)) : row);
  const there = places(c).map(unit);
  const at = projected(c, x).map(unit);
  return z.map(clipped).map((row, i) => {
    const squared = there.map((place) => place.reduce((sum, v, k) => sum + (v - at[i][k]) ** 2, 0)).sort((a, b) => a - b);
    const near = [0, 1, 2, 3, 4].map((k) => Math.exp(-squared[Math.min(k, squared.length - 1)]));
    const t = network(c.network.network, [...largest(row, c.network.top), ...near]);
    return softmax(row.map((v) => v / t));
  });
