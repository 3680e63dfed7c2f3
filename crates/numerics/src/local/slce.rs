//! Signed local calibration error of every query.

use super::sample::{LocalQueries, LocalSample, within_bins};
use crate::Result;
use crate::kernel::{Engine, Kernel, KernelSums, Part};

/// SLCE, kernel mass and effective neighbors per query.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalError {
    /// Signed error in [−1, 1]; positive: over-confident here. `NaN` where the bin holds no row.
    pub slce: Vec<f64>,
    /// Σ k over the bin, not shifted.
    pub mass: Vec<f64>,
    /// (Σ k)² / Σ k².
    pub n_eff: Vec<f64>,
    /// Queries without an answer because their bin holds no row (or only themselves, left out).
    pub empty: usize,
    /// The algorithm of the last bin.
    pub engine: Engine,
}

/// SLCE(x) = Σ_{i in b(x)} (s_i − t_i) k(x, x_i) / Σ_{i in b(x)} k(x, x_i).
///
/// # Errors
/// As [`within_bins`].
///
/// # Cost
/// Σ_b n_b log n_b in up to two dimensions with the Laplacian kernel.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, eq. 4.
///
/// ```
/// use localcal_numerics::kernel::{Kernel, Part, Points};
/// use localcal_numerics::local::{LocalQueries, LocalSample, signed_local_error, summary};
/// use ndarray::array;
///
/// // one bin, residuals s − t of −0.2 and 0.6, at a distance at which the kernel is one half
/// let x = array![[0.0], [1.0]];
/// let sample = LocalSample::new(&[0.8, 0.6], &[1, 0], &[0, 0], Points::new(x.view())?)?;
/// let own = LocalQueries::Sample { leave_one_out: false };
/// let kernel = Kernel::Laplacian { gamma: 1.0 / f64::ln(2.0) };
/// let found = signed_local_error(&sample, &own, kernel, Part::WHOLE)?;
/// // (−0.2 + ½ · 0.6) / 1.5 and (0.6 − ½ · 0.2) / 1.5
/// assert!((found.slce[0] - 1.0 / 15.0).abs() < 1e-12 && (found.slce[1] - 1.0 / 3.0).abs() < 1e-12);
/// let whole = summary(&found.slce, &found.n_eff);
/// assert!((whole.mlce - 1.0 / 3.0).abs() < 1e-12 && (whole.mean_lce - 0.2).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn signed_local_error(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    part: Part,
) -> Result<LocalError> {
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let sums = within_bins(sample, queries, &residual, 1, kernel, true, part)?;
    Ok(LocalError::from_sums(sums))
}

impl LocalError {
    /// From the kernel sums of the residuals, [`within_bins`] with `n_eff`; merge the sums of all parts first.
    ///
    /// # Cost
    /// One pass.
    pub fn from_sums(sums: KernelSums) -> Self {
        let empty = sums.answered.iter().zip(&sums.mean).filter(|(answered, mean)| **answered && mean.is_nan()).count();
        Self { slce: sums.mean, mass: sums.mass, n_eff: sums.n_eff.unwrap_or_default(), empty, engine: sums.engine }
    }
}
