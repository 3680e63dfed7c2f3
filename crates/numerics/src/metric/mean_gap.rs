//! Mean gap: whether scores are too high or too low on average.

use super::entry::{Better, Discloses, Interval, Metric, Range, Replicates, ValueOf, Weights, Written};
use super::rows::Pair;
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::weight::{RowWeights, weighted_mean, weighted_share};

/// s̄ − t̄: mean of the scores minus mean of the targets, in [−1, 1]; positive for over-confidence.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
///
/// ```
/// use localcal_numerics::metric::mean_gap::mean_gap;
///
/// // says 0.75 on average, and it happens half of the time
/// assert_eq!(mean_gap(&[0.5, 1.0], &[0, 1])?, 0.25);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn mean_gap(s: &[f64], t: &[u8]) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let events: u64 = t.iter().map(|&t| u64::from(t)).sum();
    Ok((s.iter().sum::<f64>() - events as f64) / s.len() as f64)
}

/// Σ w s / Σ w − Σ w t / Σ w. NaN without rows.
pub fn weighted_mean_gap(s: &[f64], t: &[u8], w: RowWeights) -> f64 {
    weighted_mean(s, w) - weighted_share(t, w)
}

/// Mean gap: how far off on average.
pub static MEAN_GAP: Metric = Metric {
    id: "mean_gap",
    name: "Mean error",
    plain: "mean score minus mean outcome",
    definition: "Mean score minus mean outcome. Positive: overestimated. It can be 0 while every region is \
                 miscalibrated.",
    formula: "s̄ − t̄",
    source: "",
    better: Better::Zero,
    range: Range::Signed,
    written: Written::Points,
    value: ValueOf::Rows(|rows| {
        let Pair { score, target, weights, .. } = &rows.pair;
        Ok(Ok(weighted_mean_gap(score, target, *weights)))
    }),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Sums(|sums| Some((sums.score - sums.target) / sums.n)),
    interval: Interval::Percentile,
    scorecard: true,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};
