//! Built-in examples that are made rather than carried.

pub mod synthetic;

pub use synthetic::{Synthetic, synthetic};

use crate::error::{Error, Result};
use synthetic::DEFAULT_ROWS;

/// A generated example as CSV text, by its name.
///
/// # Errors
/// `file_unknown` for any name but `synthetic`.
pub fn example(name: &str) -> Result<String> {
    match name {
        "synthetic" => Ok(synthetic(DEFAULT_ROWS, 0).to_csv()),
        other => Err(Error::new("file_unknown", format!("Unknown example `{other}`."), "Available: synthetic.")),
    }
}
