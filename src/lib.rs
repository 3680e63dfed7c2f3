//! LoCal: where, and for whom, a classifier's confidence cannot be trusted.

#![forbid(unsafe_code)]

pub mod data;
pub mod error;
pub mod kernel;
pub mod local;
pub mod plot;
pub mod project;
pub mod read;
pub mod recalibrate;

pub use error::{Error, Result};
