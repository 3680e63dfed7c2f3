//! Local error against bandwidth, between its two limits.

use super::sample::{LocalQueries, LocalSample, within_bins_at};
use super::summary::{bin_gaps, summary};
use crate::Result;
use crate::kernel::{Kernel, Part};

/// MLCE and mean LCE at one bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepPoint {
    /// Bandwidth γ.
    pub gamma: f64,
    /// max |SLCE|.
    pub mlce: f64,
    /// mean |SLCE|.
    pub mean_lce: f64,
}

/// The curves and what they tend to.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// One point per bandwidth, in the order given.
    pub points: Vec<SweepPoint>,
    /// γ → 0 with distinct places: max |s − t|, mean |s − t|.
    pub individual: (f64, f64),
    /// γ → ∞: MCE, ECE.
    pub global: (f64, f64),
}

/// `count` bandwidths from `low` to `high`, equally spaced in the logarithm; the usual grid is 25 from 0.01 to 100.
pub fn gamma_grid(low: f64, high: f64, count: usize) -> Vec<f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|i| low * (high / low).powf(i as f64 / steps))
        .collect()
}

/// MLCE and mean LCE at every bandwidth of `gammas`, self included.
///
/// # Errors
/// As [`within_bins_at`].
///
/// # Cost
/// That of [`within_bins_at`]: distances or orders are shared by all bandwidths.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, figure 1.
pub fn sweep(sample: &LocalSample, kernel: Kernel, gammas: &[f64]) -> Result<Sweep> {
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let own = LocalQueries::Sample {
        leave_one_out: false,
    };
    let kernels: Vec<Kernel> = gammas.iter().map(|g| kernel.with_gamma(*g)).collect();
    let found = within_bins_at(sample, &own, &residual, 1, &kernels, false, Part::WHOLE)?;
    let mut points = Vec::with_capacity(gammas.len());
    for (&gamma, sums) in gammas.iter().zip(&found) {
        let found = summary(&sums.mean);
        points.push(SweepPoint {
            gamma,
            mlce: found.mlce,
            mean_lce: found.mean_lce,
        });
    }
    Ok(Sweep {
        points,
        individual: individual_limit(sample),
        global: global_limit(sample),
    })
}

/// max and mean of |s − t| over the rows that have a bin.
fn individual_limit(sample: &LocalSample) -> (f64, f64) {
    let residual: Vec<f64> = (0..sample.n())
        .filter(|row| sample.bin[*row] != super::NO_BIN)
        .map(|row| sample.residual(row))
        .collect();
    let found = summary(&residual);
    (found.mlce, found.mean_lce)
}

/// MCE and ECE of the bins.
fn global_limit(sample: &LocalSample) -> (f64, f64) {
    let (mut largest, mut total, mut n) = (0.0f64, 0.0, 0);
    for (_, rows, gap) in bin_gaps(sample) {
        largest = largest.max(gap.abs());
        total += gap.abs() * rows as f64;
        n += rows;
    }
    (largest, total / n as f64)
}
