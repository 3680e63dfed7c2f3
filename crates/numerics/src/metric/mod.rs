//! Global metrics: pure functions of scores and outcomes, and what each of them is.
//!
//! A metric is one file: its equation, and a [`Metric`] that says all about it. [`registry`] lists them, one line each;
//! [`entry`] is what an entry holds, [`rows`] what values and replicates are computed from. `examples/adding_a_metric.rs`
//! shows how one is added.
//!
//! `s` is a score in [0, 1] a row, `t` the target it predicts (0 or 1): either (confidence, correct) or
//! (P(y = 1), y). Matrices hold one row a case and one column a class; `y` is the class that happened.
//! What is undefined is `None`, never NaN.

pub mod accuracy;
pub mod auroc;
pub mod bias_index;
pub mod binning;
pub mod brier;
pub mod classical;
pub mod classwise;
pub mod clinical;
pub mod corp;
pub mod curve;
pub mod debiased_ece;
pub mod ece;
pub mod entry;
pub mod gap;
pub mod gridded_smooth_ece;
pub mod group;
pub mod ici;
pub mod kce;
pub mod klce;
pub mod ks;
pub mod labels;
pub mod local_error;
pub mod log_loss;
mod matching;
pub mod mean_gap;
pub mod mmce;
pub mod observed_expected;
pub mod piece;
pub mod prr;
pub mod published;
pub mod reason;
pub mod registry;
pub mod reliability;
pub mod reward;
pub mod risk_coverage;
pub mod rows;
pub mod scaled_brier;
pub mod simultaneous;
pub mod smooth_ece;

#[cfg(test)]
pub(crate) mod properties;
#[cfg(test)]
mod proximity_tests;
#[cfg(test)]
mod public_data_tests;

pub use auroc::auroc;
pub use binning::{BinEdges, BinOptions, BinScheme, Binning, Closed, Edges};
pub use entry::{Better, Interval, IntervalKind, Metric, MetricRequirement, Range, Value};
pub use reason::Reason;
pub use reliability::{ReliabilityBin, reliability_bins};
