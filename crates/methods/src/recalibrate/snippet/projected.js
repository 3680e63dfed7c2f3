const dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);

// Where the coordinates were principal components or another linear map.
function projected(c, x) {
  if (!c.projection) return x;
  const { mean, components } = c.projection;
  return x.map((row) => {
    const shifted = row.map((v, k) => v - mean[k]);
    return Array.from({ length: c.dimension }, (_, q) => dot(components.slice(q * mean.length, (q + 1) * mean.length), shifted));
  });
}

const places = (c) => Array.from({ length: c.x.length / c.dimension }, (_, i) => c.x.slice(i * c.dimension, (i + 1) * c.dimension));

