//! Nearness: which rows lie nearest to which, and whether scores can be trusted as much far from the others.
//!
//! | file | what |
//! |---|---|
//! | `neighbors` | exact nearest neighbors |
//! | `measure` | D, the proximity of a row |
//!
//! Metrics of it are [`metric::piece`](crate::metric::piece) and [`metric::bias_index`](crate::metric::bias_index).
//!
//! Source: Xiong et al. (2023), "Proximity-informed calibration for deep neural networks".

pub mod measure;
pub mod neighbors;
#[cfg(test)]
pub(crate) mod tests;

pub use measure::Form;
pub use neighbors::{Metric, Neighbors, Search};
