//! Recalibration methods, one folder each: the mathematics, the description of the method, the validation of its
//! settings, its fit and application, and the Python and JavaScript code that applies a stored fit. [`registry`] lists
//! them.

pub mod affine;
pub mod bbq;
pub mod beta;
pub mod bin_mean_shift;
pub mod candidacy;
pub mod centered_isotonic;
pub mod density_ratio;
mod entry;
pub mod ets;
pub mod fit;
pub mod grouped;
pub mod histogram;
pub mod identity;
pub mod in_common;
pub mod inner;
pub mod intercept;
pub mod isotonic;
pub mod lift;
pub mod local_bias;
pub mod logits;
pub mod lore;
pub mod lore_ridge;
pub mod memory;
mod method_request;
pub mod mir;
pub mod mmce_temperature;
pub mod multicalibration;
pub mod one_vs_all;
pub mod parameter;
pub mod platt;
pub mod proximity_parameters;
pub mod pts;
pub mod quadratic;
pub mod recalibrator;
pub mod registry;
mod rows;
pub mod snippet;
pub mod spline;
pub mod structured;
pub mod temperature;
pub mod update;
pub mod validity;
pub mod venn_abers;

#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod probmetrics_tests;
#[cfg(test)]
mod properties;
