//! Recalibration methods.

pub mod lore;
