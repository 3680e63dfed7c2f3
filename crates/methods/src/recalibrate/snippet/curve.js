function curve({ x, y }, s) {
  let k = below(x, s, true);
  while (k > 0 && x[k - 1] > s) k -= 1; // between corners a line leads from one to the next
  if (k === 0) return y[0];
  if (k === x.length) return y[k - 1];
  return y[k - 1] + ((s - x[k - 1]) / (x[k] - x[k - 1])) * (y[k] - y[k - 1]);
}

