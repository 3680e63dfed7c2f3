//! From predictions to numbers: who is scored by which fit, the recalibrated scores, and every metric with
//! its interval and its noise floor.
//!
//! | file | what |
//! |---|---|
//! | `split` | which rows calibrate and which are scored |
//! | `features` | the coordinates that say which rows are near each other |
//! | `projection` | feature maps that are computed once and have a name |
//! | `groups` | which group a row belongs to |
//! | `group_error` | the groups of the scored rows, for metrics within groups |
//! | `proximity` | how near rows lie to the calibration rows |
//! | `pair` | the (score, target) pair of the view, logits, probability vectors |
//! | `method` | a recalibrator fitted on one fold's calibration rows |
//! | `further` | metrics that are computed where they are asked for |
//! | `local` | local error of the scored rows |
//! | `scored` | one method's out-of-fold scores on every scored row, and its metrics |
//! | `sweep` | local error against the bandwidth |
//! | `klce` | rows and covariates of the KLCE test |
//! | `resample` | bootstrap intervals and noise floors |
//! | `vectors` | the whole probability vector after a method |

pub mod comparison;
pub mod ends;
pub mod further;
pub mod group_error;
pub mod klce;
pub mod local;
pub mod method;
pub mod proximity;
pub mod request;
pub mod resample;
pub mod scored;
pub mod vectors;
