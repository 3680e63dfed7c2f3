//! Checks that labels name columns of a matrix of probabilities.

use crate::error::{Error, Result};
use crate::num::check_lengths;
use crate::table::Matrix;

/// [`check_lengths`] for a matrix, and every label names a column.
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range` naming the first row.
pub fn check_classes(p: &Matrix, y: &[u32]) -> Result<()> {
    check_labels((p.rows(), p.width), y)
}

/// [`check_classes`] of a matrix of `n` rows and `m` columns. Errors as there.
pub fn check_labels((n, m): (usize, usize), y: &[u32]) -> Result<()> {
    check_lengths(n, y.len())?;
    match y.iter().position(|&k| k as usize >= m) {
        None => Ok(()),
        Some(row) => Err(Error::new(
            "label_out_of_range",
            format!("row {}: class {} of {m} columns", row + 1, y[row]),
            "Check that the labels count from 0 and that every class has a column.",
        )),
    }
}
