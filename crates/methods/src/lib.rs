//! What is done with predictions.
//!
//! | chapter | what it holds |
//! |---|---|
//! | [`feature`] | the coordinates that say which rows are near each other; groups |
//! | [`scan`] | for whom scores are wrong: every slice looked at once |
//! | [`recalibrate`] | repairs, a method a folder: LoRe, isotonic, temperature, … |
//! | [`evaluation`] | scores of rows that a fit has not seen, metrics of them, replicates |

#![deny(unsafe_code)]

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
