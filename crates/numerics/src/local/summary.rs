//! One number from the local error of many places: the largest and the mean.

use super::worst::MIN_NEIGHBORS;
use crate::num::weight::{RowWeights, weight};

/// MLCE and mean LCE over the queries that have an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalSummary {
    /// max |SLCE|, in [0, 1]; `NaN` without any answered query.
    pub mlce: f64,
    /// mean |SLCE|, in [0, 1]; `NaN` without any answered query.
    pub mean_lce: f64,
    /// The same over the queries with [`MIN_NEIGHBORS`] effective neighbors; `NaN` without one.
    pub mlce_supported: f64,
    /// Where the maximum is.
    pub worst: Option<usize>,
    /// Queries that counted.
    pub n: usize,
    /// Queries without an answer.
    pub excluded: usize,
}

/// MLCE = max |SLCE|, mean LCE = mean |SLCE|; `NaN` entries are excluded and counted.
///
/// * `slce`: signed local error of each query, in [−1, 1]
/// * `n_eff`: effective neighbors of each query; empty where they are unknown, and then no query is supported
///
/// # Cost
/// One pass.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, eq. 5.
///
/// ```
/// use localcal_numerics::local::summary;
///
/// let found = summary(&[0.1, -0.3, f64::NAN], &[80.0, 3.5, 0.0]);
/// assert_eq!((found.mlce, found.worst, found.excluded), (0.3, Some(1), 1));
/// assert_eq!((found.mean_lce, found.mlce_supported), (0.2, 0.1));
/// ```
pub fn summary(slce: &[f64], n_eff: &[f64]) -> LocalSummary {
    weighted_summary(slce, n_eff, None)
}

/// [`summary`] with mean LCE = Σ w |SLCE| / Σ w over rows with weights; the maxima do not look at them.
///
/// ```
/// use localcal_numerics::local::weighted_summary;
///
/// let found = weighted_summary(&[0.1, -0.3, 0.2], &[80.0, 3.5, 20.0], None);
/// assert_eq!((found.mlce, found.mlce_supported), (0.3, 0.2));
/// ```
pub fn weighted_summary(slce: &[f64], n_eff: &[f64], w: RowWeights) -> LocalSummary {
    let mut found =
        LocalSummary { mlce: f64::NAN, mean_lce: f64::NAN, mlce_supported: f64::NAN, worst: None, n: 0, excluded: 0 };
    let (mut total, mut mass) = (0.0, 0.0);
    for (row, value) in slce.iter().enumerate() {
        if value.is_nan() {
            found.excluded += 1;
            continue;
        }
        found.n += 1;
        let w = weight(w, row);
        total += w * value.abs();
        mass += w;
        if n_eff.get(row).is_some_and(|n_eff| *n_eff >= MIN_NEIGHBORS) {
            // the maximum with a NaN is the other number
            found.mlce_supported = found.mlce_supported.max(value.abs());
        }
        if found.worst.is_none() || value.abs() > found.mlce {
            found.mlce = value.abs();
            found.worst = Some(row);
        }
    }
    if found.n > 0 {
        found.mean_lce = total / mass;
    }
    found
}
