//! Recalibration methods, one file each: `fit` on calibration rows, `apply` to others.

pub mod fit;
pub mod histogram;
pub mod isotonic;
pub mod lift;
pub mod logits;
pub mod lore;
pub mod platt;
pub mod temperature;
