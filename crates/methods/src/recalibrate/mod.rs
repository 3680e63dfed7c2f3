//! Recalibration methods, a folder each: the mathematics, and beside it what the method says of itself, how its settings
//! are checked, what it learns, how that is applied, and the lines of Python and JavaScript that apply it elsewhere.
//! [`registry`] lists them.

pub mod affine;
pub mod bbq;
pub mod beta;
pub mod bin_mean_shift;
pub mod centered_isotonic;
pub mod common;
pub mod density_ratio;
pub mod ets;
pub mod fit;
pub mod grouped;
pub mod histogram;
pub mod identity;
pub mod inner;
pub mod intercept;
pub mod isotonic;
pub mod lift;
pub mod local_bias;
pub mod logits;
pub mod lore;
pub mod lore_ridge;
pub mod memory;
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
pub mod snippet;
pub mod sound;
pub mod spline;
pub mod structured;
pub mod temperature;
pub mod update;
pub mod venn_abers;

#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod probmetrics_tests;
#[cfg(test)]
mod properties;
