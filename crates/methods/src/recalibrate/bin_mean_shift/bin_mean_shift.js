  const near = nearness(c, x);
  return s.map((v, i) => {
    const b = below(c.score_edges, v, true);
    const moved = v + c.lambda * c.gaps[b][below(c.log_proximity_edges[b], near[i], true)];
    return Math.min(Math.max(moved, 0), 1);
  });
