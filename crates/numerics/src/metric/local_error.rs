//! One number from the local error of many places: the largest and the mean.
//!
//! The largest of the paper is over every row, also over those that have next to no neighbors in their bin: there it
//! is
//! |s − t| of one or two rows, whatever the scores are worth. It is therefore reported twice, and what speaks of it
//! goes by the rows with enough neighbors.

use super::entry::{Discloses, Interval, Metric, Replicates, Value, ValueOf, Weights};
use super::reason::Reason;

/// The value, where some row has neighbors.
fn known(value: f64) -> Value {
    Some(value).filter(|value| value.is_finite()).ok_or(Reason::undefined("no row has neighbors"))
}

/// Mean LCE: how far off among similar rows.
pub static MEAN_LCE: Metric = Metric {
    id: "mean_lce",
    name: "Mean LCE",
    plain: "mean absolute local error",
    definition: "Mean over rows of |Σ (s − t) k / Σ k|, with sums over rows of the same score bin weighted by the \
                 kernel k of their distance in feature space.",
    formula: "(1/n) Σ_i |SLCE_i|, SLCE_i = Σ_j (s_j − t_j) k_ij / Σ_j k_ij",
    source: "Luo et al. 2022, local calibration error",
    value: ValueOf::Neighbourhoods { counts_neighbors: false, value: |found| known(found.mean_lce) },
    weights: Weights::Form("Σ w |SLCE| / Σ w, SLCE = Σ w k (s − t) / Σ w k"),
    replicates: Replicates::Neighbourhoods { bootstrap: Some(|drawn| &drawn.mean_lce), floor: |floor| &floor.mean_lce },
    interval: Interval::Basic,
    zero_if_calibrated: true,
    scorecard: true,
    decides: Some(2),
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// MLCE: how far off where it is worst.
pub static MLCE: Metric = Metric {
    id: "mlce",
    name: "MLCE",
    plain: "largest local error",
    definition: "The largest local calibration error over rows. Large by chance with few effective neighbors; \
                 compare with “expected if calibrated”.",
    formula: "max_i |SLCE_i|",
    source: "Luo et al. 2022, maximum local calibration error",
    value: ValueOf::Neighbourhoods { counts_neighbors: false, value: |found| known(found.mlce) },
    weights: Weights::Form("SLCE = Σ w k (s − t) / Σ w k; the maximum is over all rows"),
    replicates: Replicates::Neighbourhoods { bootstrap: None, floor: |floor| &floor.mlce },
    interval: Interval::Maximum,
    scorecard: true,
    discloses: Discloses::Few,
    supported: Some(&MLCE_SUPPORTED),
    ..Metric::PLAIN
};

/// MLCE where rows have neighbors: how far off where it is worst, among rows that can be judged.
pub static MLCE_SUPPORTED: Metric = Metric {
    id: "mlce_supported",
    name: "MLCE (20 effective neighbors)",
    plain: "largest local error with at least 20 effective neighbors",
    definition: "The largest local calibration error over the rows with at least 20 effective neighbors (Σ k)² / Σ \
                 k² in their score bin.",
    formula: "max over i with n_eff,i ≥ 20 of |SLCE_i|",
    source: "Luo et al. 2022, over rows with enough neighbors; maximum local calibration error",
    value: ValueOf::Neighbourhoods {
        counts_neighbors: true,
        value: |found| {
            known(found.mlce)?;
            known(found.mlce_supported)
                .map_err(|_| Reason::undefined("no row has 20 effective neighbors at this bandwidth"))
        },
    },
    replicates: Replicates::Neighbourhoods { bootstrap: None, floor: |floor| &floor.mlce_supported },
    interval: Interval::Maximum,
    scorecard: true,
    decides: Some(1),
    discloses: Discloses::Few,
    ..Metric::PLAIN
};
