//! LoCal: where, and for whom, a classifier's confidence cannot be trusted.

#![forbid(unsafe_code)]

pub mod data;
pub mod error;
pub mod plot;
pub mod read;
pub mod sample;

pub use error::{Error, Result};
