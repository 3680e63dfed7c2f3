// ln D: how near the nearest calibration rows are.
function nearness(c, x) {
  const cosine = c.distance === 'cosine';
  const mean = (values) => values.reduce((a, b) => a + b) / values.length;
  const unit = (row) => (cosine || c.row_normalise ? row.map((v) => v / Math.max(Math.sqrt(dot(row, row)), 1e-300)) : row);
  const there = places(c).map(unit);
  return projected(c, x).map(unit).map((row) => {
    const gaps = there.map((place) => place.reduce((sum, v, k) => sum + (v - row[k]) ** 2, 0));
    const squared = gaps.sort((a, b) => a - b).slice(0, c.neighbours);
    const far = squared.map((v) => (cosine ? v / 2 : Math.sqrt(v)));
    if (c.form !== 'code') return -mean(far);
    const u = cosine ? far : squared;
    return Math.log(mean(u.map((v) => Math.exp(u[0] - v)))) - u[0];
  });
}

