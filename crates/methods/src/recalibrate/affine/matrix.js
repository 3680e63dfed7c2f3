  return z.map((row) => softmax(affine(c, row)));
