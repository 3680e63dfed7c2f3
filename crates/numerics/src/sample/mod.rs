//! Built-in examples that are made rather than carried.

pub mod synthetic;

pub use synthetic::{Synthetic, synthetic};

use crate::error::{Error, Result};

/// Rows of the synthetic example.
const ROWS: usize = 4_000;

/// A generated example as CSV text, by its name.
///
/// # Errors
/// `file_unknown` for any name but `synthetic`.
pub fn example(name: &str) -> Result<String> {
    match name {
        "synthetic" => Ok(synthetic(ROWS, 0).to_csv()),
        other => Err(Error::new("file_unknown", format!("Unknown example `{other}`."), "Available: synthetic.")),
    }
}
