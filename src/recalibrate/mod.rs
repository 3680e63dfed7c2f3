//! Recalibration methods, one file each: `fit` on calibration rows, `apply` to others.

pub mod affine;
pub mod bbq;
pub mod beta;
pub mod bin_mean_shift;
pub mod density_ratio;
pub mod ets;
pub mod fit;
pub mod grouped;
pub mod histogram;
pub mod isotonic;
pub mod lift;
pub mod local_bias;
pub mod logits;
pub mod lore;
pub mod mir;
pub mod mmce_temperature;
pub mod multicalibration;
pub mod one_vs_all;
pub mod platt;
pub mod pts;
pub mod temperature;
pub mod venn_abers;

#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod properties;
