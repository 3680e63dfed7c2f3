//! Negative log-likelihood, in nats.

use ndarray::ArrayView2;

use super::entry::{Cut, Discloses, Interval, Metric, Range, Replicates, ValueOf, Weights};
use super::labels::check_labels;
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::weight::weighted_mean;

/// Probabilities below this count as this: one impossible event must not cost infinitely much.
pub const LOG_LOSS_CLIP: f64 = 1e-15;

/// −(1/n) Σ ln(p of what happened) for scores s = P(t = 1), in nats; probabilities are clipped from below at `clip`.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n; `clip`: [`LOG_LOSS_CLIP`] in reports
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
///
/// # Source
/// Good (1952).
///
/// ```
/// use localcal_numerics::metric::log_loss::{LOG_LOSS_CLIP, log_loss_pair};
///
/// // both times one half was given to what happened
/// assert_eq!(log_loss_pair(&[0.5, 0.5], &[0, 1], LOG_LOSS_CLIP)?, std::f64::consts::LN_2);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn log_loss_pair(s: &[f64], t: &[u8], clip: f64) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let sum: f64 = s.iter().zip(t).map(|(&s, &t)| (if t == 1 { s } else { 1.0 - s }).max(clip).ln()).sum();
    Ok(-sum / s.len() as f64)
}

/// −(1/n) Σ ln max(P[i, yᵢ], clip), in nats.
///
/// * `p`: probabilities, n × m; `y`: classes 0..m, n
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// One pass.
///
/// ```
/// use localcal_numerics::metric::log_loss::{LOG_LOSS_CLIP, log_loss};
/// use ndarray::array;
///
/// let p = array![[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]];
/// // (ln 2 + ln 4) / 2
/// let loss = log_loss(p.view(), &[0, 1], LOG_LOSS_CLIP)?;
/// assert!((loss - 1.5 * std::f64::consts::LN_2).abs() < 1e-15);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn log_loss(p: ArrayView2<f64>, y: &[u32], clip: f64) -> Result<f64> {
    check_labels(p.dim(), y)?;
    let sum: f64 = p.rows().into_iter().zip(y).map(|(row, &k)| row[k as usize].max(clip).ln()).sum();
    Ok(-sum / y.len() as f64)
}

/// NLL: surprise, in nats.
pub static NLL: Metric = Metric {
    id: "nll",
    name: "NLL",
    plain: "negative log-likelihood, or log loss (nats)",
    definition: "Mean of −ln(probability of the observed outcome), clipped at 1e-15. Uses the whole vector in the \
                 top-label view, P(y = 1) in the positive view.",
    formula: "−(1/n) Σ ln max(P_y, 1e-15)",
    source: "Good 1952",
    range: Range::Positive,
    unit: "nats",
    value: ValueOf::Rows(|rows| Ok(Ok(weighted_mean(rows.nll, rows.pair.weights)))),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Sums(|sums| Some(sums.nll / sums.n)),
    interval: Interval::Percentile,
    cut: Cut::LogLoss,
    scorecard: true,
    bar: false,
    validates: Some(5),
    decides: Some(3),
    chooses: Some(0),
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8};

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let p = p.to_array();
        close(log_loss(p.view(), &y, LOG_LOSS_CLIP).ok(), 0.842_248_398_532_475_4);
        let (s, t) = b12();
        close(log_loss_pair(&s, &t, LOG_LOSS_CLIP).ok(), 0.588_537_209_244_671_9);
        close(log_loss_pair(&[0.0], &[1], LOG_LOSS_CLIP).ok(), 15.0 * 10_f64.ln());
    }
}
