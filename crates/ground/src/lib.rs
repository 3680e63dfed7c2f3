//! The lowest layer: formats of numbers and sentences, errors with stable codes, columns of a table as values.

#![deny(unsafe_code)]

pub mod error;
pub mod table;
pub mod words;

pub use error::{Error, Result};
