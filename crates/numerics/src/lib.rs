//! Calibration of classifiers in numbers: arrays in, numbers out.
//!
//! Vectors are slices, matrices `ndarray` views. Nothing here knows a file, a request or JSON: what other Rust programs
//! need of LoCal is this crate, and `localcal` is the program around it.
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
//! // among the confident rows with x = 1 nothing happened, and the scores say 0.75
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
//! From the ground up; a chapter looks at those before it and at no other.
//!
//! | chapter | what it holds |
//! |---|---|
//! | [`num`] | random numbers, special functions, optimisation, order, weights, isotonic blocks |
//! | [`kernel`] | kernels, and sums of kernel-weighted values |
//! | [`proximity`] | nearest neighbours; how near a row lies to the others |
//! | [`project`] | scaling, principal components, t-SNE |
//! | [`text`] | terms of texts, lexical dimensions, words that distinguish texts |
//! | [`sample`] | an example that is made rather than carried |
//! | [`local`] | local calibration error: where scores are off |
//! | [`hypothesis`] | is it chance? the trust test (KLCE), the witness, many tests at once |
//! | [`decision`] | what acting on a score is worth, when to ask a person |
//! | [`metric`] | how far off scores are, a metric a file |

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
