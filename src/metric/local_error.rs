//! One number from the local error of many places: the largest and the mean.

use super::entry::{Better, BinsInName, Cut, Interval, Metric, Range, Replicates, ValueOf, Weights, Written};
use super::weight::{RowWeights, weight};

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
/// use localcal::metric::local_error::summary;
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

/// Mean LCE: how far off among similar rows.
pub static MEAN_LCE: Metric = Metric {
    id: "mean_lce",
    name: "Mean LCE",
    plain: "how far off among similar rows",
    definition: "Mean over rows of |Σ (s − t) k / Σ k|, the sums over rows of the same score bin, weighted by the kernel k of their distance in feature space.",
    formula: "(1/n) Σ_i |SLCE_i|, SLCE_i = Σ_j (s_j − t_j) k_ij / Σ_j k_ij",
    source: "Luo et al. 2022, local calibration error",
    better: Better::Lower,
    range: Range::Share,
    unit: "share",
    written: Written::Digits,
    value: ValueOf::Neighbourhoods(|found| found.mean_lce),
    weights: Weights::Form("Σ w |SLCE| / Σ w, SLCE = Σ w k (s − t) / Σ w k"),
    replicates: Replicates::Neighbourhoods { bootstrap: Some(|drawn| &drawn.mean_lce), floor: |floor| &floor.mean_lce },
    interval: Interval::Basic,
    floor: true,
    cut: Cut::None,
    scorecard: true,
    bins: BinsInName::None,
    bar: true,
    decides: Some(2),
    chooses: None,
};

/// MLCE: how far off where it is worst.
pub static MLCE: Metric = Metric {
    id: "mlce",
    name: "MLCE",
    plain: "how far off where it is worst",
    definition: "The largest local calibration error over rows. Few effective neighbours make it large by chance: compare with the floor.",
    formula: "max_i |SLCE_i|",
    source: "Luo et al. 2022, maximum local calibration error",
    better: Better::Lower,
    range: Range::Share,
    unit: "share",
    written: Written::Digits,
    value: ValueOf::Neighbourhoods(|found| found.mlce),
    weights: Weights::Form("SLCE = Σ w k (s − t) / Σ w k; the maximum is over all rows"),
    replicates: Replicates::Neighbourhoods { bootstrap: None, floor: |floor| &floor.mlce },
    interval: Interval::Maximum,
    floor: true,
    cut: Cut::None,
    scorecard: true,
    bins: BinsInName::None,
    bar: true,
    decides: Some(1),
    chooses: None,
};
