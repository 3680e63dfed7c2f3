//! Methods for predictions: the subgroup scan, recalibration, and evaluation on rows that were not used to fit.
//!
//! | chapter | content |
//! |---|---|
//! | [`feature`] | coordinates that define the similarity of rows; groups |
//! | [`scan`] | the scan for miscalibrated subgroups, with one adjustment for multiplicity |
//! | [`recalibrate`] | recalibration methods, one folder each: LoRe, isotonic regression, temperature scaling, … |
//! | [`drift`] | calibration in windows of time, and a test of whether it changes |
//! | [`evaluation`] | scores of rows that were not used to fit a method, their metrics, replicates |

#![deny(unsafe_code)]

pub mod drift;
pub mod evaluation;
pub mod feature;
pub mod recalibrate;
pub mod scan;

#[doc(no_inline)]
pub use localcal_ground::{Error, Result, error, table, words};
#[doc(no_inline)]
pub use localcal_numerics::{hypothesis, kernel, local, metric, num, project, proximity, text};
#[doc(no_inline)]
pub use localcal_tables::{data, packed, read, request};

/// Worked examples that tests of several crates share.
#[cfg(test)]
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../../tests/support/fixtures.rs"]
mod fixtures;

/// Public data sets as reference numbers take them.
#[cfg(test)]
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../../tests/support/reference.rs"]
mod reference_files;

/// Files that not every machine holds, as all tests ask for them.
#[cfg(test)]
#[path = "../../../tests/support/public.rs"]
mod public_files;
