//! Accuracy.

use super::entry::{Better, Discloses, Interval, Metric, Replicates, ValueOf, Weights, Written};
use crate::num::weight::{RowWeights, weighted_share};

/// (1/n) Σ a, with weights Σ w a / Σ w: the share of rows whose prediction is right, in [0, 1]. NaN without rows.
///
/// * `correct`: 1 where the prediction is right, n
///
/// # Cost
/// One pass.
///
/// ```
/// use localcal_numerics::metric::accuracy::accuracy;
///
/// // three of four
/// assert_eq!(accuracy(&[1, 1, 0, 1], None), 0.75);
/// // the wrong one counts as much as the others together
/// assert_eq!(accuracy(&[1, 1, 0, 1], Some(&[1.0, 1.0, 3.0, 1.0])), 0.5);
/// ```
pub fn accuracy(correct: &[u8], w: RowWeights) -> f64 {
    weighted_share(correct, w)
}

/// Accuracy: how often it is right.
pub static ACCURACY: Metric = Metric {
    id: "accuracy",
    name: "Accuracy",
    plain: "proportion correct",
    definition: "Proportion of rows whose predicted class is the observed class. Recalibration does not change the \
                 predicted class.",
    formula: "(1/n) Σ a",
    source: "",
    better: Better::Higher,
    written: Written::Percent,
    value: ValueOf::Rows(|rows| Ok(Ok(accuracy(rows.correct, rows.pair.weights)))),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Sums(|sums| Some(sums.correct / sums.n)),
    interval: Interval::Percentile,
    floor: false,
    scorecard: true,
    bar: false,
    discloses: Discloses::Countable,
    from_counts: true,
    ..Metric::PLAIN
};
