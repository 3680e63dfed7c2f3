//! Observed : expected, the ratio of observed events to those the scores expect.

use crate::error::Result;
use crate::num::special::NORMAL_975;
use crate::num::weight::{RowWeights, Sampling, check_weighted, error_of_mean, weighted_mean, weighted_share};

/// Under this id the ratio stands among the metrics.
pub const OBSERVED_EXPECTED: &str = "observed_expected";

/// Σ w t / Σ w s with its Wald 95 % interval on the scale of the logarithm: e^{± 1.96 SE},
/// SE² = Σ w² (t / t̄ − s / s̄)² / (Σ w)².
///
/// `None` where nothing is expected; no interval where nothing happened.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n; `w`: w ≥ 0, n
/// * `sampling`: what the standard error allows for: clusters of the rows, weights that are numbers of rows
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// Two passes.
///
/// # Source
/// Debray et al. (2017), with the delta method for both sums.
pub fn observed_expected(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    sampling: Sampling,
) -> Result<Option<(f64, Option<[f64; 2]>)>> {
    check_weighted(s.len(), t.len(), w)?;
    let (predicted, observed) = (weighted_mean(s, w), weighted_share(t, w));
    if predicted.is_nan() || predicted <= 0.0 {
        return Ok(None);
    }
    let ratio = observed / predicted;
    let ends = (observed > 0.0).then(|| {
        let influence = |i: usize| f64::from(t[i]) / observed - s[i] / predicted;
        let half = NORMAL_975 * error_of_mean(s.len(), w, sampling, influence);
        [-half, half].map(|half| ratio * half.exp())
    });
    Ok(Some((ratio, ends)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // half of the rows happened; as many as were said
        let (ratio, ends) =
            observed_expected(&[0.5; 8], &[0, 1, 0, 1, 0, 1, 0, 1], None, Sampling::default()).unwrap().unwrap();
        // (t / ½ − 1)² = 1 everywhere: SE = √8 / 8
        let half = NORMAL_975 / 8.0_f64.sqrt();
        let [low, high] = ends.unwrap();
        assert!((ratio - 1.0).abs() < 1e-12);
        assert!((high - half.exp()).abs() < 1e-12 && (low - (-half).exp()).abs() < 1e-12);
        assert_eq!(observed_expected(&[0.2; 4], &[0; 4], None, Sampling::default()).unwrap(), Some((0.0, None)));
        assert_eq!(observed_expected(&[0.0; 4], &[0, 1, 0, 1], None, Sampling::default()).unwrap(), None);
    }
}
