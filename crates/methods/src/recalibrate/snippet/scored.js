// P(positive), or that of the class with the largest logit.
function scored(calibrator, z, p) {
  const positive = calibrator.positive ? calibrator.labels.indexOf(calibrator.positive) : 1;
  return p.map((row, i) => row[calibrator.view === 'positive' ? positive : z[i].indexOf(z[i].reduce((a, b) => Math.max(a, b)))]);
}

