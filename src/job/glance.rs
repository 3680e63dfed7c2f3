//! What can be said of a file as soon as it is open.

use crate::data::{Predictions, View, pair};
use crate::num::weight::{weighted_mean, weighted_share};
use crate::words::number::{count, percent};

/// All rows together, without a verdict: "Predicted 17.2%, observed 17.9% (n = 10,000)."; none where scores or
/// outcomes are missing. O(n).
pub(super) fn glance(data: &Predictions) -> Option<String> {
    let (score, target) = (pair::scores(data).ok()?, pair::targets(data).ok()?);
    if score.is_empty() || score.len() != target.len() {
        return None;
    }
    let w = data.weights.as_ref().map(|weights| weights.select(&(0..data.rows as u32).collect::<Vec<_>>()));
    let (score_mean, rate) = (weighted_mean(&score, w.as_deref()), weighted_share(&target, w.as_deref()));
    let (predicted, observed) = match data.view {
        View::Positive => ("Predicted", "observed"),
        View::TopLabel => ("Mean confidence", "accuracy"),
    };
    let n = count(data.rows_in_all() as u64);
    Some(format!("{predicted} {}, {observed} {} (n = {n}).", percent(score_mean), percent(rate)))
}
