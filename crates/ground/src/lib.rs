//! What every layer of LoCal stands on: how numbers and sentences are written, what can go wrong, columns as values.

#![deny(unsafe_code)]

pub mod error;
pub mod table;
pub mod words;

pub use error::{Error, Result};
