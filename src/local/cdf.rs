//! How local error is spread within a confidence bin, and which bins are best and worst.

use super::gaps::bin_gaps;
use super::sample::LocalSample;

/// Empirical distribution of LCE over one bin's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct BinCdf {
    /// The bin.
    pub bin: u32,
    /// |SLCE| of its rows, ascending: the curve is right-continuous and rises by 1/n at each.
    pub lce: Vec<f64>,
    /// |mean residual| of the bin: where the curve would jump if error were the same everywhere.
    pub gap: f64,
    /// Mean LCE of the bin.
    pub mean_lce: f64,
}

impl BinCdf {
    /// Share of the bin's rows with LCE ≤ `value`.
    pub fn share_at_most(&self, value: f64) -> f64 {
        self.lce.partition_point(|lce| *lce <= value) as f64 / self.lce.len() as f64
    }
}

/// The distribution of LCE in `bin`, from the SLCE of every row; `None` when the bin holds no answered row.
pub fn bin_cdf(sample: &LocalSample, slce: &[f64], bin: u32) -> Option<BinCdf> {
    let mut lce: Vec<f64> = sample
        .bin
        .iter()
        .zip(slce)
        .filter(|(own, slce)| **own == bin && !slce.is_nan())
        .map(|(_, slce)| slce.abs())
        .collect();
    lce.sort_unstable_by(f64::total_cmp);
    let (_, _, gap) = bin_gaps(sample).into_iter().find(|(own, _, _)| *own == bin)?;
    if lce.is_empty() {
        return None;
    }
    let mean_lce = lce.iter().sum::<f64>() / lce.len() as f64;
    Some(BinCdf { bin, lce, gap: gap.abs(), mean_lce })
}

/// The bins with the smallest and the largest |mean residual|.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtremeBins {
    /// Smallest gap; the lowest bin wins a tie.
    pub best: u32,
    /// Largest gap; the lowest bin wins a tie.
    pub worst: u32,
}

/// Best and worst bin by |mean residual| among those with at least `min_count` rows.
pub fn extreme_bins(sample: &LocalSample, min_count: usize) -> Option<ExtremeBins> {
    let gaps = bin_gaps(sample);
    let mut large = gaps.iter().filter(|(_, rows, _)| *rows >= min_count.max(1));
    let first = large.next()?;
    let (mut best, mut worst) = (first, first);
    for gap in large {
        if gap.2.abs() < best.2.abs() {
            best = gap;
        }
        if gap.2.abs() > worst.2.abs() {
            worst = gap;
        }
    }
    Some(ExtremeBins { best: best.0, worst: worst.0 })
}
