//! Nearness: which rows lie nearest to which, and whether scores can be trusted as much far from the others.
//!
//! | file | what |
//! |---|---|
//! | `neighbours` | exact nearest neighbours |
//! | `measure` | D, the proximity of a row |
//! | `piece` | calibration error over cells of score and proximity |
//! | `bias` | the bias index: outcomes of near and far rows at equal scores |
//! | `matching` | pairs of rows with nearly equal scores |
//!
//! Source: Xiong et al. (2023), "Proximity-informed calibration for deep neural networks".

pub mod bias;
mod matching;
pub mod measure;
pub mod neighbours;
pub mod piece;
#[cfg(test)]
pub(crate) mod tests;

pub use measure::Form;
pub use neighbours::{Metric, Neighbours, Search};
