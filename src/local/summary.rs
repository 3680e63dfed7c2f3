//! One number from the local error of many places: the largest and the mean.

use crate::num::weight::{RowWeights, weight};

/// MLCE and mean LCE over the queries that have an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalSummary {
    /// max |SLCE|, in [0, 1]; `NaN` without any answered query.
    pub mlce: f64,
    /// mean |SLCE|, in [0, 1]; `NaN` without any answered query.
    pub mean_lce: f64,
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
///
/// # Cost
/// One pass.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, eq. 5.
///
/// ```
/// use localcal::local::summary;
///
/// let found = summary(&[0.1, -0.3, f64::NAN]);
/// assert_eq!((found.mlce, found.worst, found.excluded), (0.3, Some(1), 1));
/// assert_eq!(found.mean_lce, 0.2);
/// ```
pub fn summary(slce: &[f64]) -> LocalSummary {
    weighted_summary(slce, None)
}

/// [`summary`] with mean LCE = Σ w |SLCE| / Σ w over rows with weights; the maximum does not look at them.
pub fn weighted_summary(slce: &[f64], w: RowWeights) -> LocalSummary {
    let mut found = LocalSummary { mlce: f64::NAN, mean_lce: f64::NAN, worst: None, n: 0, excluded: 0 };
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
