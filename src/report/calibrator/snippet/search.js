// How many of some ascending numbers lie below s (with `same`: or are s).
function below(edges, s, same) {
  let low = 0, high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < s || (same && edges[middle] === s)) low = middle + 1;
    else high = middle;
  }
  return low;
}

