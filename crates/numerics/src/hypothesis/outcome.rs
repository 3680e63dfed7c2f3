//! What all shares of a KLCE test say together.

use serde::{Deserialize, Serialize};

use super::{KernelSpread, KlceEngine, KlceKernel, KlcePower, Null, Search};
use crate::table::Column;

/// The outcome of a KLCE test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceTestOutcome {
    /// rows that were tested
    pub n: usize,
    /// kernel of scores and covariates, with its bandwidths
    pub kernel: KlceKernel,
    /// similarity of rows
    pub spread: KernelSpread,
    /// T
    pub statistic: f64,
    /// Σ_{i≠j} K
    pub mass: f64,
    /// KLCE², see [`Klce::normalized`](super::Klce::normalized)
    pub normalized: Option<f64>,
    /// see [`Klce::unbiased`](super::Klce::unbiased)
    pub unbiased: Option<f64>,
    /// see [`Klce::debiased_ratio`](super::Klce::debiased_ratio)
    pub debiased_ratio: Option<f64>,
    /// what the test would have caught, where that was asked for
    pub power: Option<KlcePower>,
    /// where the search for the same by simulation stands
    pub search: Option<Search>,
    /// one entry per null
    pub nulls: Vec<NullOutcome>,
}

/// T under one null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NullOutcome {
    /// which
    pub null: Null,
    /// how its draws were computed
    pub engine: KlceEngine,
    /// p-value
    pub p: Option<f64>,
    /// why there is none: `every_draw_is_alike`, `residuals_alike`, `no_draws`, `features_tell_outcome`
    pub reason: Option<String>,
    /// mean of T over draws, before any centering
    pub mean: f64,
    /// standard deviation of T over draws
    pub sd: f64,
    /// |T of what was observed by the engine − T exactly| / sd
    pub error: f64,
    /// tr(R)/n of the low rank
    pub trace: Option<f64>,
    /// differences of T up to this are ties
    pub tie: f64,
    /// T at 2.5, 25, 50, 75, 95 and 97.5 % of the draws
    pub quantiles: [f64; 6],
    /// T of every draw, before any centering
    pub draws: Column<f64>,
}

/// Why there is no p-value where the outcome defines the similarity of rows.
pub const DETERMINES_OUTCOME: &str = "features_tell_outcome";
/// Why there is no p-value where rows belong together.
pub const DEPENDENT_ROWS: &str = "rows_repeat_within_clusters";

impl KlceTestOutcome {
    /// The same without p-values and power: rows that are similar by the outcome have no null.
    pub fn without_test(mut self, why: &str) -> Self {
        for null in &mut self.nulls {
            null.p = None;
            null.reason = Some(why.to_owned());
        }
        self.power = None;
        self
    }

    /// What was found under `null`.
    pub fn under(&self, null: Null) -> Option<&NullOutcome> {
        self.nulls.iter().find(|found| found.null == null)
    }
}
