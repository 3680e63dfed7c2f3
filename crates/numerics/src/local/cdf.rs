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

/// The distribution of LCE in `bin`, from the SLCE of every row; `None` when the bin holds no answered row.
///
/// * `slce`: signed local error of each row of the sample, in [−1, 1]; `NaN` where there is no answer
///
/// # Cost
/// O(n), and one sort of the rows of the bin.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, figure 2.
///
/// ```
/// use localcal_numerics::kernel::Points;
/// use localcal_numerics::local::{LocalSample, bin_cdf};
/// use ndarray::array;
///
/// let x = array![[0.0], [1.0]];
/// let sample = LocalSample::new(&[0.75, 0.5], &[1, 0], &[4, 4], Points::new(x.view())?)?;
/// let found = bin_cdf(&sample, &[-0.25, 0.5], 4).unwrap();
/// assert_eq!((found.lce.as_slice(), found.mean_lce, found.gap), ([0.25, 0.5].as_slice(), 0.375, 0.125));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn bin_cdf(sample: &LocalSample, slce: &[f64], bin: u32) -> Option<BinCdf> {
    let mut lce: Vec<f64> = sample
        .bin
        .iter()
        .zip(slce)
        .filter(|(own, slce)| **own == bin && !slce.is_nan())
        .map(|(_, slce)| slce.abs())
        .collect();
    lce.sort_unstable_by(f64::total_cmp);
    let gap = bin_gaps(sample).into_iter().find(|own| own.bin == bin)?.gap;
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

/// Best and worst bin by |mean residual| among those with at least `min_count` rows; `None` where no bin has as many. O(n).
pub fn extreme_bins(sample: &LocalSample, min_count: usize) -> Option<ExtremeBins> {
    let gaps = bin_gaps(sample);
    let mut large = gaps.iter().filter(|gap| gap.rows >= min_count.max(1));
    let first = large.next()?;
    let (mut best, mut worst) = (first, first);
    for gap in large {
        if gap.gap.abs() < best.gap.abs() {
            best = gap;
        }
        if gap.gap.abs() > worst.gap.abs() {
            worst = gap;
        }
    }
    Some(ExtremeBins { best: best.bin, worst: worst.bin })
}
