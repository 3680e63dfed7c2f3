//! Numerical methods for the calibration of classifiers, on arrays.
//!
//! Vectors are slices, matrices are `ndarray` views. The crate does not depend on files, requests or JSON, so that other
//! Rust programs can use it alone; `localcal` is the application.
//!
//! ```
//! use localcal_numerics::kernel::{Kernel, Part, Points};
//! use localcal_numerics::local::{LocalQueries, LocalSample, signed_local_error, summary};
//! use localcal_numerics::metric::BinOptions;
//! use ndarray::array;
//!
//! let s = [0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75];
//! let t = [0, 0, 0, 1, 1, 1, 0, 0];
//! let x = array![[0.0], [0.0], [1.0], [1.0], [0.0], [0.0], [1.0], [1.0]];
//!
//! // in the rows with score 0.75 and x = 1, predicted 75%, observed 0%
//! let bin = BinOptions::equal_width(2).bin_edges(&s)?.assignment(&s);
//! let sample = LocalSample::new(&s, &t, &bin, Points::new(x.view())?)?;
//! let own = LocalQueries::Sample { leave_one_out: false };
//! let error = signed_local_error(&sample, &own, Kernel::Group, Part::WHOLE)?;
//! assert_eq!(error.slce, [0.25, 0.25, -0.25, -0.25, -0.25, -0.25, 0.75, 0.75]);
//! assert_eq!(summary(&error.slce, &error.n_eff).mlce, 0.75);
//! # Ok::<(), localcal_numerics::Error>(())
//! ```
//!
//! # Chapters
//!
//! From the bottom up. A chapter depends only on those above it in this table.
//!
//! | chapter | content |
//! |---|---|
//! | [`num`] | random numbers, special functions, optimization, sorting, weights, isotonic blocks |
//! | [`kernel`] | kernels, and sums of kernel-weighted values |
//! | [`proximity`] | nearest neighbors; proximity of a row to the others |
//! | [`project`] | scaling, principal components, t-SNE |
//! | [`text`] | terms of texts, lexical dimensions, words that distinguish texts |
//! | [`sample`] | a generated example data set |
//! | [`local`] | local calibration error |
//! | [`hypothesis`] | hypothesis tests: the KLCE calibration test, local calibration bias, multiplicity |
//! | [`decision`] | net benefit of decisions, selective prediction, deferral |
//! | [`metric`] | calibration and discrimination metrics, one per file |

#![deny(unsafe_code)]

pub mod decision;
pub mod hypothesis;
pub mod kernel;
pub mod local;
pub mod metric;
pub mod num;
pub mod project;
pub mod proximity;
pub mod sample;
pub mod text;

#[doc(no_inline)]
pub use localcal_ground::{Error, Result, error, table, words};

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
