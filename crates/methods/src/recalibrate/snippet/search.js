// How many of some ascending numbers lie below s (with `same`: or are s). Less than 2^-44 apart is the same.
function below(edges, s, same) {
  let low = 0, high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (same ? edges[middle] < s + 2 ** -44 : edges[middle] <= s - 2 ** -44) low = middle + 1;
    else high = middle;
  }
  return low;
}

