//! Observed : expected, the ratio of observed events to those the scores expect.

use super::gap::Gap;
use crate::error::Result;
use crate::num::special::NORMAL_975;
use crate::num::weight::{RowWeights, Sampling, check_weighted, error_of_mean, weighted_mean, weighted_share};

/// Under this id the ratio stands among the metrics.
pub const OBSERVED_EXPECTED: &str = "observed_expected";

/// Σ w t / Σ w s with its 95 % interval: that of [`log_ratio`], or where one outcome is rare, as in [`Gap::interval`], the
/// limits of the observed share there over the mean score. Then the ratio differs from 1 exactly where the mean error
/// differs from 0.
///
/// `None` where nothing is expected.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n; `w`: w ≥ 0, n
/// * `sampling`: what the standard error allows for: clusters of the rows, weights that are numbers of rows
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// Three passes.
pub fn observed_expected(s: &[f64], t: &[u8], w: RowWeights, sampling: Sampling) -> Result<Option<(f64, [f64; 2])>> {
    check_weighted(s.len(), t.len(), w)?;
    let gap = Gap::of_rows(s, t, w, sampling);
    if gap.score.is_nan() || gap.score <= 0.0 {
        return Ok(None);
    }
    let ratio = gap.observed / gap.score;
    if gap.is_rare() {
        let [low, high] = gap.interval();
        return Ok(Some((ratio, [high, low].map(|error| (1.0 - error / gap.score).max(0.0)))));
    }
    let log = log_ratio(s, t, w, sampling)?;
    Ok(log.map(|(_, error)| (ratio, [-NORMAL_975, NORMAL_975].map(|z| ratio * (z * error).exp()))))
}

/// ln(Σ w t / Σ w s) and its standard error, SE² = Σ w² (t / t̄ − s / s̄)² / (Σ w)².
///
/// `None` where nothing is expected or nothing happened.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// Two passes.
///
/// # Source
/// Debray et al. (2017), with the delta method for both sums.
pub fn log_ratio(s: &[f64], t: &[u8], w: RowWeights, sampling: Sampling) -> Result<Option<(f64, f64)>> {
    check_weighted(s.len(), t.len(), w)?;
    let (predicted, observed) = (weighted_mean(s, w), weighted_share(t, w));
    if !(predicted > 0.0 && observed > 0.0) {
        return Ok(None);
    }
    let influence = |i: usize| f64::from(t[i]) / observed - s[i] / predicted;
    Ok(Some(((observed / predicted).ln(), error_of_mean(s.len(), w, sampling, influence))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::num::proportion::clopper_pearson;

    #[test]
    fn by_hand() {
        // half of the rows happened; as many as were said
        let t: Vec<u8> = (0..80).map(|i| i % 2).collect();
        let (ratio, [low, high]) = observed_expected(&[0.5; 80], &t, None, Sampling::default()).unwrap().unwrap();
        // (t / ½ − 1)² = 1 everywhere: SE = 1 / √80
        let half = NORMAL_975 / 80.0_f64.sqrt();
        assert!((ratio - 1.0).abs() < 1e-12);
        assert!((high - half.exp()).abs() < 1e-12 && (low - (-half).exp()).abs() < 1e-12);
        assert_eq!(observed_expected(&[0.0; 4], &[0, 1, 0, 1], None, Sampling::default()).unwrap(), None);
    }

    /// The limits of Clopper and Pearson over the mean score, also without an event, and where all rows have one.
    #[test]
    fn few_events_leave_a_wide_range() {
        let of = |rows: usize, events: usize, s: f64| {
            let t: Vec<u8> = (0..rows).map(|row| u8::from(row < events)).collect();
            observed_expected(&vec![s; rows], &t, None, Sampling::default()).unwrap().unwrap()
        };
        for (rows, events, s) in [(1_000, 5, 0.001), (200, 0, 0.02), (1, 1, 0.7), (40, 40, 0.7)] {
            let (least, most) = clopper_pearson(events, rows);
            let (ratio, [low, high]) = of(rows, events, s);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.max(1.0);
            assert!(near(ratio, events as f64 / rows as f64 / s), "{ratio}");
            assert!(near(low, least / s) && near(high, most / s), "{low} {high}");
        }
    }
}
