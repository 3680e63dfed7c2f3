function logit(s) {
  const p = Math.min(Math.max(s, 2.220446049250313e-16), 1 - 2.220446049250313e-16);
  return Math.log(p / (1 - p));
}

