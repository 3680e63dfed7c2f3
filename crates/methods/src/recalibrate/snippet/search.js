// How many of some ascending numbers lie below s (with `same`: or are s). Less than 2^-44 apart is the same;
// near 0 and 1, less than 2^-34 of the way there.
function below(edges, s, same) {
  let low = 0, high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1, edge = edges[middle], end = Math.min(edge, 1 - edge);
    const width = end < 0 ? 2 ** -44 : Math.min(2 ** -44, 2 ** -34 * end);
    if (same ? s >= edge || s > edge - width : s > edge && s >= edge + width) low = middle + 1;
    else high = middle;
  }
  return low;
}

