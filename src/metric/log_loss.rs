//! Negative log-likelihood, in nats.

use super::pair::{check_classes, check_lengths};
use crate::data::Matrix;
use crate::error::Result;

/// Probabilities below this count as this: one impossible event must not cost infinitely much.
pub const LOG_LOSS_CLIP: f64 = 1e-15;

/// −(1/n) Σ ln(p of what happened) for scores s = P(t = 1); probabilities are clipped from below at `clip`.
///
/// Errors: `empty`, `length_mismatch`. One pass.
pub fn log_loss_pair(s: &[f64], t: &[u8], clip: f64) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let sum: f64 = s.iter().zip(t).map(|(&s, &t)| (if t == 1 { s } else { 1.0 - s }).max(clip).ln()).sum();
    Ok(-sum / s.len() as f64)
}

/// −(1/n) Σ ln max(P[i, yᵢ], clip).
///
/// Errors: `empty`, `length_mismatch`, `label_out_of_range`. One pass.
pub fn log_loss(p: &Matrix, y: &[u32], clip: f64) -> Result<f64> {
    check_classes(p, y)?;
    let sum: f64 = y.iter().enumerate().map(|(i, &k)| p.value(i, k as usize).max(clip).ln()).sum();
    Ok(-sum / y.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::fixtures::{b12, close, f8};

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        close(log_loss(&p, &y, LOG_LOSS_CLIP).ok(), 0.842_248_398_532_475_4);
        let (s, t) = b12();
        close(log_loss_pair(&s, &t, LOG_LOSS_CLIP).ok(), 0.588_537_209_244_671_9);
        close(log_loss_pair(&[0.0], &[1], LOG_LOSS_CLIP).ok(), 15.0 * 10_f64.ln());
    }
}
