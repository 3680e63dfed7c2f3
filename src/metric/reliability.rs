//! The bin table behind the reliability diagram and every binned error.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::binning::{BinOptions, Binning};
use super::pair::check_lengths;
use crate::error::Result;

/// One non-empty bin of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Tsify)]
pub struct ReliabilityBin {
    /// index of the bin, 0..B
    pub bin: usize,
    /// lower edge
    pub low: f64,
    /// upper edge
    pub high: f64,
    /// rows in the bin
    pub n: usize,
    /// mean score
    pub mean_score: f64,
    /// share of rows whose target is 1
    pub mean_target: f64,
    /// mean score − mean target; positive for over-confidence
    pub gap: f64,
    /// lower end of the Wilson 95 % interval of the share
    pub target_low: f64,
    /// upper end of the Wilson 95 % interval of the share
    pub target_high: f64,
}

/// The non-empty bins in ascending order.
///
/// * `s`: scores in [0, 1]; `t`: targets 0 or 1; `binning`: of the same rows
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
pub fn reliability_bins(s: &[f64], t: &[u8], binning: &Binning) -> Result<Vec<ReliabilityBin>> {
    check_lengths(s.len(), t.len())?;
    check_lengths(s.len(), binning.assignment.len())?;
    let mut sums = vec![(0_usize, 0.0_f64, 0_usize); binning.count()];
    for ((&s, &t), &bin) in s.iter().zip(t).zip(&binning.assignment) {
        if let Some((n, score, events)) = sums.get_mut(bin as usize) {
            *n += 1;
            *score += s;
            *events += usize::from(t);
        }
    }
    let edges = &binning.edges.edges;
    Ok(sums
        .into_iter()
        .enumerate()
        .filter(|(_, (n, ..))| *n > 0)
        .map(|(bin, (n, score, events))| {
            let mean_score = score / n as f64;
            let mean_target = events as f64 / n as f64;
            let (target_low, target_high) = wilson_interval(events as f64, n as f64);
            ReliabilityBin {
                bin,
                low: edges[bin],
                high: edges[bin + 1],
                n,
                mean_score,
                mean_target,
                gap: mean_score - mean_target,
                target_low,
                target_high,
            }
        })
        .collect())
}

/// [`reliability_bins`] with the bins made from the same scores.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
pub fn reliability_table(s: &[f64], t: &[u8], bins: &BinOptions) -> Result<Vec<ReliabilityBin>> {
    check_lengths(s.len(), t.len())?;
    reliability_bins(s, t, &bins.binning(s)?)
}

/// Two-sided 97.5 % quantile of the standard normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Wilson score interval at 95 % of `events` out of `n` > 0 (Wilson, 1927).
pub fn wilson_interval(events: f64, n: f64) -> (f64, f64) {
    let share = events / n;
    let z2 = Z_95 * Z_95;
    let centre = share + z2 / (2.0 * n);
    let half = Z_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (
        ((centre - half) / scale).clamp(0.0, share),
        ((centre + half) / scale).clamp(share, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::fixtures::f8_top;

    #[test]
    fn worked_table() {
        let (s, t) = f8_top();
        let table = reliability_table(&s, &t, &BinOptions::equal_width(5)).expect("valid");
        let expected = [
            (2, 3, 0.466_666_666_7, 1.0),
            (3, 1, 0.6, 0.0),
            (4, 4, 0.875, 0.75),
        ];
        assert_eq!(table.len(), 3);
        for (row, (bin, n, score, target)) in table.iter().zip(expected) {
            assert_eq!((row.bin, row.n), (bin, n));
            assert!(
                (row.mean_score - score).abs() < 1e-9 && (row.mean_target - target).abs() < 1e-12
            );
            assert!(row.target_low <= row.mean_target && row.mean_target <= row.target_high);
        }
    }

    #[test]
    fn wilson_agrees_with_statsmodels() {
        // statsmodels.stats.proportion.proportion_confint(3, 4, method="wilson")
        let (low, high) = wilson_interval(3.0, 4.0);
        assert!((low - 0.300_641_842_582_401_84).abs() < 1e-12, "{low}");
        assert!((high - 0.954_412_739_190_299_5).abs() < 1e-12, "{high}");
        assert_eq!(wilson_interval(0.0, 10.0).0, 0.0);
        assert_eq!(wilson_interval(10.0, 10.0).1, 1.0);
    }
}
