const affine = (c, row) => c.bias.map((b, k) => row.reduce((sum, v, j) => sum + c.weights[k * row.length + j] * v, b));

