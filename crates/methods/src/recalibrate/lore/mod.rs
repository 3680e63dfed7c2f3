//! Local recalibration: the kernel-weighted accuracy of the rows around a place.

mod entry;
#[cfg(test)]
mod tests;
mod validated;

pub use entry::{LocalOutcome, Lore};
pub use validated::LoreSetting;

use crate::Result;
use crate::kernel::{Kernel, KernelSums, Part, Points};
use crate::local::{LocalQueries, LocalSample, within_bins_with_progress};

/// New scores, and how much stood behind each.
#[derive(Debug, Clone, PartialEq)]
pub struct LoreScores {
    /// Recalibrated scores in [0, 1].
    pub score: Vec<f64>,
    /// Kernel mass Σ k behind each score; 0 where the old score was kept.
    pub mass: Vec<f64>,
    /// Queries that kept their score because their bin holds no calibration row.
    pub kept: usize,
}

/// c′(x) = Σ_{i in b(x)} k(x, x_i) t_i / Σ_{i in b(x)} k(x, x_i) over the calibration rows in the query's bin.
///
/// γ → ∞ is histogram binning, γ → 0 the nearest neighbor within the bin. A query whose bin is empty keeps its
/// score. With the group kernel a group absent from the bin takes the value of the whole bin.
///
/// * `query_bin`, `query_score`, `query_features`: one entry per query
/// * `progress`: hears the share of the queries that is done
///
/// # Errors
/// `length_mismatch` if the queries' columns differ in length or in their number of features;
/// `invalid_option` if the bandwidth is not a positive number.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, eq. 6.
///
/// # Examples
/// Two of the three calibration rows at the place of the query happened; a fourth lies elsewhere.
///
/// ```
/// use localcal_methods::kernel::{Kernel, Part, Points};
/// use localcal_methods::local::LocalSample;
/// use localcal_methods::recalibrate::lore::lore;
///
/// let (known, new) = (Points::row_major(1, &[0.0, 0.0, 0.0, 5.0])?, Points::row_major(1, &[0.0])?);
/// let calibration = LocalSample::new(&[0.9; 4], &[1, 1, 0, 0], &[0; 4], known)?;
/// let found = lore(&calibration, &[0], &[0.9], new, Kernel::Group, Part::WHOLE, &mut |_| ())?;
/// assert!((found.score[0] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn lore(
    calibration: &LocalSample,
    query_bin: &[u32],
    query_score: &[f64],
    query_features: Points,
    kernel: Kernel,
    part: Part,
    progress: &mut dyn FnMut(f64),
) -> Result<LoreScores> {
    let queries = LocalQueries::Applied { bin: query_bin, features: query_features };
    recalibrated(calibration, &queries, query_score, kernel, part, progress)
}

fn recalibrated(
    calibration: &LocalSample,
    queries: &LocalQueries,
    score: &[f64],
    kernel: Kernel,
    part: Part,
    progress: &mut dyn FnMut(f64),
) -> Result<LoreScores> {
    let target: Vec<f64> = calibration.target.iter().map(|t| f64::from(*t)).collect();
    let sums = within_bins_with_progress(calibration, queries, &target, 1, kernel, false, part, progress)?;
    LoreScores::from_sums(sums, score)
}

impl LoreScores {
    /// From the kernel sums of the targets, [`within_bins_with_progress`] with one right-hand side; merge the sums of all parts first.
    ///
    /// # Errors
    /// `length_mismatch` unless there is one old score per query.
    pub fn from_sums(sums: KernelSums, score: &[f64]) -> Result<Self> {
        if sums.mean.len() != score.len() {
            return Err(crate::Error::new(
                "length_mismatch",
                format!("{} scores for {} queries", score.len(), sums.mean.len()),
                "give every query its score",
            ));
        }
        let mut kept = 0;
        let mut new = sums.mean;
        for ((new, old), answered) in new.iter_mut().zip(score).zip(&sums.answered) {
            if *answered && new.is_nan() {
                *new = *old;
                kept += 1;
            }
            // Sums added up from parts may leave [0, 1] by a rounding.
            *new = new.clamp(0.0, 1.0);
        }
        Ok(Self { score: new, mass: sums.mass, kept })
    }
}
