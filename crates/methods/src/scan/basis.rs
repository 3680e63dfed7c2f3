//! Recalibration by the score alone: a smooth function of its log-odds.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::num::order::ascending;
use crate::num::quantile::quantile_sorted;
use crate::num::special::logit;

/// Scores are clipped to this distance from 0 and 1 so that their log-odds are finite.
const CLIP: f64 = 1e-6;
/// A column is kept if this share of its variance is not explained by the columns before it.
const OWN: f64 = 1e-7;
/// Number of evenly spaced log-odds from which quantiles are computed.
const ENOUGH: usize = 50_000;

/// X = (1, ℓ, (ℓ − q₁)₊², (ℓ − q₂)₊²), ℓ = logit s, q its terciles; ℓ is centered and scaled, which does not change the
/// span. Collinear columns are left out: a score with two values has two columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScoreBasis {
    center: f64,
    scale: f64,
    knots: [f64; 2],
    /// indices of the kept columns among the four
    kept: Vec<usize>,
}

/// ℓ of every score, cut to ±13.8.
pub fn log_odds(s: &[f64]) -> Vec<f64> {
    s.iter().map(|&s| logit(s, CLIP)).collect()
}

impl ScoreBasis {
    /// Maximum number of columns.
    pub const MOST: usize = 4;

    /// The basis of these log-odds; `information`: what each row counts, w s(1 − s). O(n).
    pub fn new(log_odds: &[f64], information: impl Fn(usize) -> f64) -> Self {
        let step = log_odds.len().div_ceil(ENOUGH).max(1);
        let mut some: Vec<f64> = log_odds.iter().copied().step_by(step).collect();
        some.sort_unstable_by(f64::total_cmp);
        let at = |q: f64| quantile_sorted(&some, q).unwrap_or(0.0);
        let n = log_odds.len().max(1) as f64;
        let center = log_odds.iter().sum::<f64>() / n;
        let spread = (log_odds.iter().map(|l| (l - center).powi(2)).sum::<f64>() / n).sqrt();
        Self::with((center, spread), [at(1.0 / 3.0), at(2.0 / 3.0)], log_odds, information)
    }

    /// The same of log-odds each of which is that of `counts[i]` rows. O(n log n).
    pub fn of_counts(log_odds: &[f64], counts: &[f64], information: impl Fn(usize) -> f64) -> Self {
        let n = counts.iter().sum::<f64>().max(1.0);
        let mean = |of: &dyn Fn(f64) -> f64| log_odds.iter().zip(counts).map(|(&l, n)| n * of(l)).sum::<f64>() / n;
        let center = mean(&|l| l);
        let spread = mean(&|l| (l - center).powi(2)).sqrt();
        let order = ascending(log_odds);
        // as for the rows themselves: between the two nearest to the position of the quantile
        let at = |q: f64| {
            let place = q * (n - 1.0);
            let (mut below, mut ends) = (0.0, [f64::NAN; 2]);
            for &i in &order {
                let (l, rows) = (log_odds[i as usize], counts[i as usize]);
                for (end, wanted) in ends.iter_mut().zip([place.floor(), (place.floor() + 1.0).min(n - 1.0)]) {
                    if (below..below + rows).contains(&wanted) {
                        *end = l;
                    }
                }
                below += rows;
            }
            quantile_sorted(&ends, place.fract()).unwrap_or(0.0)
        };
        Self::with((center, spread), [at(1.0 / 3.0), at(2.0 / 3.0)], log_odds, information)
    }

    fn with(
        (center, spread): (f64, f64),
        knots: [f64; 2],
        log_odds: &[f64],
        information: impl Fn(usize) -> f64,
    ) -> Self {
        let scale = if spread > 1e-9 { spread } else { 1.0 };
        let mut basis = ScoreBasis { center, scale, knots, kept: (0..Self::MOST).collect() };
        let mut gram = DMatrix::<f64>::zeros(Self::MOST, Self::MOST);
        let mut row = [0.0; Self::MOST];
        for (i, &l) in log_odds.iter().enumerate() {
            basis.fill(l, &mut row);
            let v = information(i);
            for j in 0..Self::MOST {
                for k in 0..=j {
                    gram[(j, k)] += v * row[j] * row[k];
                }
            }
        }
        gram.fill_upper_triangle_with_lower_triangle();
        basis.kept = independent(&gram);
        basis
    }

    /// Its first columns.
    pub fn first(&self, count: usize) -> Self {
        Self { kept: self.kept.iter().copied().take(count).collect(), ..self.clone() }
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether the basis has no column.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The row of X at the log-odds `l`, into the first [`ScoreBasis::len`] places of `row`.
    pub fn fill(&self, l: f64, row: &mut [f64]) {
        let above = |knot: f64| ((l - knot) / self.scale).max(0.0);
        let all = [1.0, (l - self.center) / self.scale, above(self.knots[0]).powi(2), above(self.knots[1]).powi(2)];
        for (to, &place) in row.iter_mut().zip(&self.kept) {
            *to = all[place];
        }
    }

    /// The same of many rows, column by column: the first [`ScoreBasis::len`] of `columns`.
    pub fn columns<'a>(&self, log_odds: &[f64], columns: impl Iterator<Item = &'a mut [f64]>) {
        for (column, &place) in columns.zip(&self.kept) {
            let rows = column.iter_mut().zip(log_odds);
            match place {
                0 => rows.for_each(|(to, _)| *to = 1.0),
                1 => rows.for_each(|(to, l)| *to = (l - self.center) / self.scale),
                knot => {
                    let knot = self.knots[knot - 2];
                    rows.for_each(|(to, l)| *to = ((l - knot) / self.scale).max(0.0).powi(2));
                }
            }
        }
    }
}

/// Indices of the linearly independent columns, from their Gram matrix by a column-wise Cholesky decomposition.
fn independent(gram: &DMatrix<f64>) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for j in 0..gram.nrows() {
        let all = gram[(j, j)];
        let before = DMatrix::from_fn(kept.len(), kept.len(), |a, b| gram[(kept[a], kept[b])]);
        let with = DVector::from_fn(kept.len(), |a, _| gram[(kept[a], j)]);
        let told = match (kept.is_empty(), before.cholesky()) {
            (true, _) => 0.0,
            (false, Some(factor)) => with.dot(&factor.solve(&with)),
            (false, None) => all,
        };
        if all > 0.0 && all - told > OWN * all {
            kept.push(j);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_scores_have_few_columns() {
        let columns = |s: &[f64]| {
            let l = log_odds(s);
            ScoreBasis::new(&l, |i| s[i] * (1.0 - s[i])).len()
        };
        assert_eq!(columns(&[0.3; 40]), 1);
        let two: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 0.2 } else { 0.7 }).collect();
        assert_eq!(columns(&two), 2);
        let many: Vec<f64> = (1..100).map(|i| f64::from(i) / 100.0).collect();
        assert_eq!(columns(&many), 4);
        assert_eq!(columns(&[0.0, 1.0, 1.0]), 0, "sure scores tell of no variance");
    }

    #[test]
    fn a_row_of_the_basis() {
        let l: Vec<f64> = (0..=6).map(f64::from).collect();
        let basis = ScoreBasis::new(&l, |_| 1.0);
        let mut row = [0.0; 4];
        basis.fill(6.0, &mut row);
        // center 3, spread 2, knots 2 and 4
        assert!(row.iter().zip([1.0, 1.5, 4.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{row:?}");
    }
}
