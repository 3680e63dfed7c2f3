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
//! // ECE: no gap in the lower half, 0.75 − 2/4 in the upper; its 95% CI from 1,000 bootstrap replicates
//! let csv: String = s.iter().zip(&t).map(|(s, t)| format!("{s},{t}\n")).collect();
//! let file = localcal::read::read("rows.csv", format!("p,y\n{csv}").as_bytes(), &mut |_| ())?;
//! let (data, _) = assemble(&[file], &OpenOptions::default())?;
//! let scored = Scored::new(&data, &Split::everything(8), &[], &bins, &Default::default())?;
//! let ece = metric_value(&ECE, &scored.values["ece"], None, &replicates(None, &scored, &bins, 0, 0..1000, &mut |_| ())?);
//! assert_eq!(ece.value, Some(0.125));
//! assert!(ece.low < ece.value && ece.value < ece.high);
//!
//! // local error: in the rows with score 0.75 and x = 1, predicted 75%, observed 0%
//! let bin = bins.bin_edges(&s)?.assignment(&s);
//! let sample = LocalSample::new(&s, &t, &bin, Points::new(x.view())?)?;
//! let own = LocalQueries::Sample { leave_one_out: false };
//! let error = signed_local_error(&sample, &own, Kernel::Group, Part::WHOLE)?;
//! assert_eq!(error.slce, [0.25, 0.25, -0.25, -0.25, -0.25, -0.25, 0.75, 0.75]);
//! assert_eq!(summary(&error.slce, &error.n_eff).mlce, 0.75);
//!
//! // isotonic regression: the observed proportions of the two blocks
//! let recalibrated = isotonic::fit(&s, &t, Interpolation::Linear)?.parameters.apply(&[0.25, 0.75]);
//! assert_eq!(recalibrated, [0.25, 0.5]);
//! # Ok::<(), localcal::Error>(())
//! ```
//!
//! Vectors are slices, matrices are `ndarray` views. Probabilities and logits have one row per case and one column per
//! class; features have one row per case ([`kernel::Points`], validated once); wide arrays of any precision implement
//! [`num::Rows`]. Files are read by [`read()`](read::read) and interpreted by [`data::assemble()`]; [`job`] runs complete
//! requests, as the page and the terminal do.
//!
//! # Chapters
//!
//! Crates from the bottom up. Each depends only on crates above it in this table, and a chapter only on those above it in
//! its crate. The chapters of all crates are re-exported here.
//!
//! | crate | chapter | content |
//! |---|---|---|
//! | `ground` | [`words`], [`error`] | formats of numbers and sentences; errors with stable codes |
//! | | [`table`] | columns of a table as values |
//! | `numerics` | [`num`] | random numbers, special functions, optimization, sorting, weights, isotonic blocks |
//! | | [`kernel`] | kernels, and sums of kernel-weighted values |
//! | | [`proximity`] | nearest neighbors; proximity of a row to the others |
//! | | [`project`] | scaling, principal components, t-SNE |
//! | | [`text`] | terms of texts, lexical dimensions, words that distinguish texts |
//! | | [`sample`] | a generated example data set |
//! | | [`local`] | local calibration error |
//! | | [`hypothesis`] | hypothesis tests: the KLCE calibration test, local calibration bias, multiplicity |
//! | | [`decision`] | net benefit of decisions, selective prediction, deferral |
//! | | [`metric`] | calibration and discrimination metrics, one per file |
//! | `tables` | [`packed`], [`request`] | binary form of columns and outcomes; form and bounds of requests |
//! | | [`counts`] | SQL statements that count rows in a database |
//! | | [`read`](mod@read) | files to columns, one format per file |
//! | | [`data`] | columns to predictions: roles, groups, folds, the pair (score, target) |
//! | `plot` | [`plot`] | charts as values: axes, marks, a data table; front ends draw them |
//! | `methods` | [`feature`] | coordinates that define the similarity of rows; groups |
//! | | [`scan`] | the scan for miscalibrated subgroups, with one adjustment for multiplicity |
//! | | [`recalibrate`] | recalibration methods, one folder each: LoRe, isotonic regression, temperature scaling, … |
//! | | [`drift`] | calibration in windows of time, and a test of whether it changes |
//! | | [`evaluation`] | scores of rows that were not used to fit a method, their metrics, replicates |
//! | `localcal` | [`report`] | estimates with intervals, verdicts, panels, stored calibrators |
//! | | [`markup`] | a document as a value, written as HTML, LaTeX and Markdown |
//! | | [`lab`] | lessons on simulated data with known truth |
//! | | [`run`] | a request as a typed graph of jobs |
//! | | [`experiment`] | experiments over methods × spaces × divisions × metrics, and their conclusions |
//! | | [`analysis`] | analyses of a run, one folder each |
//! | | [`catalogue`] | description of all requests |
//! | | [`job`] | requests as JSON, plans, outcomes |
//! | | `schema` | JSON Schema of requests and responses (feature `schema`) |
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
//! | φ | n × d | features that define the similarity of rows |
//! | k, γ | | kernel and its bandwidth |
//! | SLCE | n | signed local calibration error Σ (s − t) k / Σ k over rows of the same bin |
//!
//! Papers: Luo et al. (2022), "Local calibration: metrics and recalibration"; Vashistha and Farahi (2025),
//! "I-trustworthy models"; Xiong et al. (2023), "Proximity-informed calibration for deep neural networks".

#![deny(unsafe_code)]

pub mod analysis;
pub mod catalogue;
pub mod experiment;
pub mod job;
pub mod lab;
pub mod markup;
pub mod report;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;

#[doc(inline)]
pub use localcal_ground::{Error, Result, error, table, words};
#[doc(inline)]
pub use localcal_methods::{drift, evaluation, feature, recalibrate, scan};
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
