//! Weights of rows in a sum: a mean becomes Σ w x / Σ w.
//!
//! Only ratios matter: whole weights give what repeated rows give, and equal ones what rows without weights give.

use super::cluster::{RowClusters, influence_variance};
use crate::error::Result;
use crate::num::check_lengths;

/// w ≥ 0 of every row; `None`: every row counts once.
pub type RowWeights<'a> = Option<&'a [f64]>;

/// How the error of a sum over rows follows from its rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sampling<'a> {
    /// clusters of the rows; none: rows are independent
    pub clusters: Option<RowClusters<'a>>,
    /// whether a weight is a number of independent rows with the same values: then the variance of Σ w x is Σ w x² rather than
    /// Σ w² x²
    pub counted: bool,
}

impl<'a> Sampling<'a> {
    /// Rows that stand for themselves, in clusters or independent.
    pub fn of(clusters: Option<RowClusters<'a>>) -> Self {
        Self { clusters, counted: false }
    }

    /// What a row of weight `w` adds to the variance of a sum, for a value of variance 1.
    pub fn variance(self, w: f64) -> f64 {
        if self.counted { w } else { w * w }
    }
}

/// The weight of row `i`.
#[inline(always)]
pub fn weight(w: RowWeights, i: usize) -> f64 {
    match w {
        None => 1.0,
        Some(w) => w[i],
    }
}

/// Σ w over n rows.
pub fn total_weight(w: RowWeights, n: usize) -> f64 {
    w.map_or(n as f64, |w| w.iter().sum())
}

/// Number of rows, and of those with `target` 1; of counts as many as were counted.
///
/// ```
/// use localcal_numerics::num::weight::tally;
///
/// assert_eq!((tally(&[1, 0], None), tally(&[1, 0], Some(&[3.0, 2.0]))), ((2, 1), (5, 3)));
/// ```
pub fn tally(target: &[u8], counts: RowWeights) -> (usize, usize) {
    let all = total_weight(counts, target.len());
    let observed: f64 = (0..target.len()).filter(|&i| target[i] == 1).map(|i| weight(counts, i)).sum();
    (all.round() as usize, observed.round() as usize)
}

/// Σ w x / Σ w.
///
/// ```
/// // (1 · 3 + 5 · 1) / (3 + 1)
/// assert_eq!(localcal_numerics::num::weight::weighted_mean(&[1.0, 5.0], Some(&[3.0, 1.0])), 2.0);
/// ```
pub fn weighted_mean(x: &[f64], w: RowWeights) -> f64 {
    let sum: f64 = match w {
        None => x.iter().sum(),
        Some(w) => x.iter().zip(w).map(|(x, w)| x * w).sum(),
    };
    sum / total_weight(w, x.len())
}

/// Σ w t / Σ w of targets 0 or 1.
pub fn weighted_share(t: &[u8], w: RowWeights) -> f64 {
    let rows = t.iter().enumerate();
    let sum: f64 = rows.map(|(i, &t)| weight(w, i) * f64::from(t)).sum();
    sum / total_weight(w, t.len())
}

/// Standard error of a value whose error is a weighted mean of `influence(i)` over n rows: √V / Σ w, V = Σ w² influence² of
/// independent rows, Σ w influence² where weights are numbers of rows, cluster-robust where rows lie in clusters
/// ([`influence_variance`]).
pub fn error_of_mean(n: usize, w: RowWeights, sampling: Sampling, influence: impl Fn(usize) -> f64) -> f64 {
    let each = (0..n).map(|i| {
        let w = weight(w, i);
        let root = if sampling.counted { w.sqrt() } else { w };
        root * influence(i)
    });
    influence_variance(each, sampling.clusters).sqrt() / total_weight(w, n)
}

/// [`check_lengths`], also of the weights.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn check_weighted(scores: usize, targets: usize, w: RowWeights) -> Result<()> {
    check_lengths(scores, targets)?;
    w.map_or(Ok(()), |w| check_lengths(scores, w.len()))
}
