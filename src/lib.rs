//! LoCal: where, and for whom, a classifier's confidence cannot be trusted, and how to recalibrate it.
//!
//! # Example
//!
//! Eight rows with a score, an outcome and one feature: the ECE with its confidence interval, the local error, and the
//! scores after recalibration.
//!
//! ```
//! use localcal::kernel::{Kernel, Part, Points};
//! use localcal::local::{LocalQueries, LocalSample, signed_local_error, summary};
//! use localcal::metric::BinOptions;
//! use localcal::recalibrate::isotonic::{self, Interpolation};
//! use localcal::data::{OpenOptions, assemble, folds::Split};
//! use localcal::evaluation::{resample::replicates, scored::Scored};
//! use localcal::metric::ece::ECE;
//! use localcal::report::interval::metric_value;
//! use ndarray::array;
//!
//! let s = [0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75];
//! let t = [0, 0, 0, 1, 1, 1, 0, 0];
//! let x = array![[0.0], [0.0], [1.0], [1.0], [0.0], [0.0], [1.0], [1.0]];
//! let bins = BinOptions::equal_width(2);
//!
//! // ECE: no gap in the lower half, 0.75 − 2/4 in the upper; its 95 % interval from 1,000 bootstrap replicates
//! let csv: String = s.iter().zip(&t).map(|(s, t)| format!("{s},{t}\n")).collect();
//! let file = localcal::read::read("rows.csv", format!("p,y\n{csv}").as_bytes(), &mut |_| ())?;
//! let (data, _) = assemble(&[file], &OpenOptions::default())?;
//! let scored = Scored::new(&data, &Split::everything(8), &[], &bins, &Default::default())?;
//! let ece = metric_value(&ECE, &scored.values["ece"], None, &replicates(None, &scored, &bins, 0, 0..1000, &mut |_| ())?);
//! assert_eq!(ece.value, Some(0.125));
//! assert!(ece.low < ece.value && ece.value < ece.high);
//!
//! // local error: among the confident rows with x = 1 nothing happened, and the scores say 0.75
//! let bin = bins.bin_edges(&s)?.assignment(&s);
//! let sample = LocalSample::new(&s, &t, &bin, Points::new(x.view())?)?;
//! let own = LocalQueries::Sample { leave_one_out: false };
//! let error = signed_local_error(&sample, &own, Kernel::Group, Part::WHOLE)?;
//! assert_eq!(error.slce, [0.25, 0.25, -0.25, -0.25, -0.25, -0.25, 0.75, 0.75]);
//! assert_eq!(summary(&error.slce, &error.n_eff).mlce, 0.75);
//!
//! // isotonic regression: the shares of the two blocks
//! let repaired = isotonic::fit(&s, &t, Interpolation::Linear)?.parameters.apply(&[0.25, 0.75]);
//! assert_eq!(repaired, [0.25, 0.5]);
//! # Ok::<(), localcal::Error>(())
//! ```
//!
//! Vectors are slices, matrices `ndarray` views: probabilities and logits one row a case and one column a class, features
//! one row a case ([`kernel::Points`], checked once), wide arrays of any precision whatever is [`num::Rows`]. Files need
//! none of that by hand: [`read()`](read::read) them, [`data::assemble()`] says which column is what, and [`job`] runs
//! whole questions, as the page and the command line do.
//!
//! # Chapters
//!
//! From the ground up, a crate each; arrows between crates are dependencies, so that none runs up. The chapters of the
//! crates below are re-exported here. Within a crate a chapter looks at those before it and at no other.
//!
//! | crate | chapter | what it holds |
//! |---|---|---|
//! | `ground` | [`words`], [`error`] | how numbers and sentences are written; what can go wrong, by a stable code |
//! | | [`table`] | columns as read |
//! | `numerics` | [`num`] | random numbers, special functions, optimisation, order, weights, isotonic blocks |
//! | | [`kernel`] | kernels, and sums of kernel-weighted values |
//! | | [`proximity`] | nearest neighbours; how near a row lies to the others |
//! | | [`project`] | scaling, principal components, t-SNE |
//! | | [`text`] | terms of texts, lexical dimensions, words that distinguish texts |
//! | | [`sample`] | an example that is made rather than carried |
//! | | [`local`] | local calibration error: where scores are off |
//! | | [`hypothesis`] | is it chance? the trust test (KLCE), the witness, many tests at once |
//! | | [`decision`] | what acting on a score is worth, when to ask a person |
//! | | [`metric`] | how far off scores are, a metric a file |
//! | `tables` | [`packed`], [`request`] | the bytes that columns travel as; what is asked, with its bounds |
//! | | [`read`](mod@read) | files to columns, a format a file |
//! | | [`data`] | which column is what, groups, folds, the pair (score, target) |
//! | `plot` | [`plot`] | charts as values: axes, marks, a text twin; a front end draws them |
//! | `methods` | [`feature`] | the coordinates that say which rows are near each other |
//! | | [`scan`] | the scan for miscalibrated subgroups, all under one adjustment |
//! | | [`recalibrate`] | repairs, a method a folder: LoRe, isotonic, temperature, … |
//! | | [`evaluation`] | scores of rows that a fit has not seen, metrics of them, replicates |
//! | `localcal` | [`report`] | values with intervals, verdicts, sheets, stored calibrators |
//! | | [`document`] | the report as a document, in HTML, LaTeX and Markdown |
//! | | [`lab`] | lessons on data whose truth is known |
//! | | [`run`] | a question as a typed graph of small jobs |
//! | | [`experiment`] | methods × spaces × divisions × metrics, and what all numbers say together |
//! | | [`analysis`] | deeper questions, one a folder |
//! | | [`catalogue`], [`job`] | all that can be asked; requests as JSON, plans, outcomes |
//!
//! # Symbols
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
pub mod catalogue;
pub mod document;
pub mod experiment;
pub mod job;
pub mod lab;
pub mod report;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;

#[doc(inline)]
pub use localcal_ground::{Error, Result, error, table, words};
#[doc(inline)]
pub use localcal_methods::{evaluation, feature, recalibrate, scan};
#[doc(inline)]
pub use localcal_numerics::{decision, hypothesis, kernel, local, metric, num, project, proximity, sample, text};
#[doc(inline)]
pub use localcal_plot as plot;
#[doc(inline)]
pub use localcal_tables::{counts, data, packed, read, request};

#[cfg(test)]
mod wording_tests;

/// The worked examples of the guide for contributors, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../CONTRIBUTING.md")]
struct Contributing;
