//! The kernel curve: near a score the outcomes count by a Gaussian that is reflected at 0 and 1.

use super::Fitted;
use super::points::Point;
use crate::error::Result;
use crate::metric::smooth_ece::weighted_smooth_ece;
use crate::num::weight::RowWeights;

/// Half-width of the kernel: where smECE equals it (Błasiok and Nakkiran, 2024). Errors: `empty`, `length_mismatch`.
pub(super) fn width(s: &[f64], t: &[u8], w: RowWeights) -> Result<f64> {
    Ok(weighted_smooth_ece(s, t, w)?.bandwidth.max(1e-4))
}

/// Σⱼ wⱼ K(x, sⱼ) tⱼ / Σⱼ wⱼ K(x, sⱼ) (Nadaraya, 1964; Watson, 1964) at every point.
pub(super) fn fitted(points: &[Point], sigma: f64) -> Fitted {
    let bump = |far: f64| (-0.5 * (far / sigma).powi(2)).exp();
    let weights = |x: f64| {
        let weight = |p: &Point| p.weight * (bump(x - p.x) + bump(x + p.x) + bump(2.0 - x - p.x));
        let mut weights: Vec<f64> = points.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    };
    let operator: Vec<Vec<f64>> = points.iter().map(|p| weights(p.x)).collect();
    let value = |weights: &Vec<f64>| weights.iter().zip(points).map(|(l, p)| l * p.y).sum::<f64>().clamp(0.0, 1.0);
    Fitted { value: operator.iter().map(value).collect(), operator: Some(operator), log_odds: None }
}
