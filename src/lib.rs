//! LoCal: where, and for whom, a classifier's confidence cannot be trusted, and how to repair it.
//!
//! ```text
//! read → data → (metric, kernel, local, proximity, recalibrate, hypothesis, project) → evaluation → report → plot
//! ```
//! `job` plans and runs them in parts.
//!
//! | symbol | shape | meaning |
//! |---|---|---|
//! | n, m, d, B | | rows, classes, feature dimension, confidence bins |
//! | P | n × m | probability matrix |
//! | Z | n × m | logits |
//! | y, ŷ | n | true class; predicted class, argmax of the uncalibrated row, ties to the lowest index |
//! | c, a | n | confidence of ŷ; 1 where ŷ = y |
//! | p | n | P(y = 1) of two classes |
//! | s, t | n | score and target of the view: (c, a) top-label, (p, y) positive |
//! | φ | n × d | features that say which rows are near each other |
//! | k, γ | | kernel and its bandwidth |
//! | SLCE | n | signed local calibration error Σ (s − t) k / Σ k over rows of the same bin |
//!
//! Papers: Luo et al. (2022), "Local calibration: metrics and recalibration"; Vashistha and Farahi (2025),
//! "I-trustworthy models"; Xiong et al. (2023), "Proximity-informed calibration for deep neural networks".

#![deny(unsafe_code)]

pub mod analysis;
pub mod data;
pub mod decision;
pub mod error;
pub mod evaluation;
pub mod feature;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod fixtures;
pub mod hypothesis;
pub mod job;
pub mod kernel;
pub mod local;
pub mod metric;
pub mod num;
pub mod packed;
pub mod plot;
pub mod project;
pub mod proximity;
pub mod read;
pub mod recalibrate;
pub mod report;
pub mod request;
pub mod run;
pub mod sample;
#[cfg(feature = "schema")]
pub mod schema;
pub mod table;
pub mod words;

pub use error::{Error, Result};

/// The worked examples of the guide for contributors, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../CONTRIBUTING.md")]
struct Contributing;
