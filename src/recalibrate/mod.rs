//! Recalibration methods, one file each: `fit` on calibration rows, `apply` to others.

pub mod beta;
pub mod ets;
pub mod fit;
pub mod histogram;
pub mod isotonic;
pub mod lift;
pub mod logits;
pub mod mir;
pub mod one_vs_all;
pub mod platt;
pub mod temperature;
