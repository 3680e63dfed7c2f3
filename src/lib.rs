//! LoCal: where, and for whom, a classifier's confidence cannot be trusted.

#![forbid(unsafe_code)]

pub mod data;
pub mod error;
pub mod job;
pub mod plot;
pub mod read;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use error::{Error, Result};
