//! Whether scores and targets belong together.

use crate::error::{Error, Result};

/// Fails when there are no rows or the lengths differ.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn check_lengths(scores: usize, targets: usize) -> Result<()> {
    if scores != targets {
        return Err(Error::new(
            "length_mismatch",
            format!("{scores} scores against {targets} targets"),
            "Give one target for every score.",
        ));
    }
    if scores == 0 {
        return Err(Error::new(
            "empty",
            "there are 0 rows to measure",
            "Open data with at least one row, or change the split.",
        ));
    }
    Ok(())
}
