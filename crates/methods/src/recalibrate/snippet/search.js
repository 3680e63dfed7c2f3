// How many of some ascending numbers lie below s (with `same`: or are s, up to rounding).
function below(edges, s, same) {
  let low = 0, high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1, edge = edges[middle];
    const margin = 2 ** -50 * Math.max(0, Math.min(edge, 4 * (1 - edge)));
    if (same ? edge - s <= margin : s - edge > margin) low = middle + 1;
    else high = middle;
  }
  return low;
}

