//! LoCal: where, and for whom, a classifier's confidence cannot be trusted.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::expect_used, clippy::unwrap_used, clippy::excessive_precision)
)]

pub mod data;
pub mod error;
pub mod metric;
pub mod num;
pub mod plot;
pub mod read;
pub mod recalibrate;

pub use error::{Error, Result};
