//! From predictions to numbers: which rows a fit scores, the recalibrated scores, and every metric with its interval
//! and its noise floor.
//!
//! | file | what |
//! |---|---|
//! | [`request`] | what can be asked of a data set |
//! | [`method`] | recalibrators, alone and combined, fitted on the calibration rows of each fold |
//! | [`proximity`] | how near rows lie to the calibration rows |
//! | [`scored`] | one method's out-of-fold scores on every scored row, and its metrics |
//! | [`vectors`] | the whole probability vector after a method |
//! | [`ends`] | scores of exactly 0 or 1, where logarithms are clipped |
//! | [`group_error`] | the groups of the scored rows, for metrics within groups |
//! | [`local`] | local error of the scored rows |
//! | [`klce`] | rows and covariates of the KLCE test |
//! | [`on_request`] | metrics that are computed only where a request names them |
//! | [`resample`] | bootstrap intervals and noise floors |
//! | [`comparison`] | methods against each other, with paired replicates |

pub mod comparison;
pub mod ends;
pub mod group_error;
pub mod klce;
pub mod local;
pub mod method;
pub mod on_request;
pub mod proximity;
pub mod request;
pub mod resample;
pub mod scored;
pub mod vectors;
