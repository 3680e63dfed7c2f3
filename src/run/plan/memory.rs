//! Whether a run fits the memory of a worker: said before it begins, with what would fit.

use crate::data::{Predictions, Scores};
use crate::error::{Error, Result};
use crate::table::{Reals, Values};
use crate::words::number::about;
use crate::words::text::thousands;

/// Bytes that the data and the outcomes of a run may take in one worker; its memory is 4 GiB, and the rest is for work.
const MOST_BYTES: f64 = 3e9;
/// Bytes a row that a run works with beside what it holds: replicates, sums, the report on its way out.
const WORK: f64 = 100.0;
/// Bytes a row of the scores of the first method, and of `none`, which every report needs.
const SCORED: f64 = 43.0;
/// The same for local error: place, error, mass and effective neighbors, in parts and together.
const LOCAL: f64 = 2.0 * 28.0;
/// Bytes a row that each further method adds to the report.
const REPORTED: f64 = 8.0;

/// Checks that a run of `methods` fits.
///
/// # Errors
/// `too_large`, with the bytes that it would take, and the rows or methods that would fit.
pub(super) fn check(data: &Predictions, methods: usize, local: bool) -> Result<()> {
    fits(data.rows as f64, bytes_of(data), methods as f64, local)
}

/// As [`check`], for `rows` rows of data that take `held` bytes.
fn fits(rows: f64, held: f64, methods: f64, local: bool) -> Result<()> {
    let local_bytes = if local { 1.0 } else { 0.0 };
    let method = REPORTED * (1.0 + local_bytes);
    let row = held / rows.max(1.0) + WORK + 2.0 * (SCORED + LOCAL * local_bytes);
    let needed = rows * (row + method * methods);
    if needed <= MOST_BYTES {
        return Ok(());
    }
    let fit_rows = (MOST_BYTES / (row + method * methods)) as usize / 1000 * 1000;
    let fit_methods = ((MOST_BYTES / rows - row) / method).max(0.0) as usize;
    let or_methods = match fit_methods {
        0 => String::new(),
        1 => ", or one method".to_owned(),
        many => format!(", or {} methods", thousands(many)),
    };
    let megabytes = |bytes: f64| thousands((bytes / 1e6).round() as u64);
    let methods = methods as usize;
    Err(Error::new(
        "too_large",
        format!(
            "A run of {} on {} rows needs about {} MB in a worker; {} MB are available (about {} rows{or_methods}).",
            if methods == 1 { "one method".to_owned() } else { format!("{} methods", thousands(methods)) },
            thousands(rows as u64),
            megabytes(needed),
            megabytes(MOST_BYTES),
            about(fit_rows as u64, false),
        ),
        "Remove rows or columns not needed, or request fewer methods at a time.",
    ))
}

/// Bytes of the columns of a data set, at most: scores that are a column of the table count twice.
fn bytes_of(data: &Predictions) -> f64 {
    // not as whole numbers, which have 32 bits in the page
    let reals = |values: &Reals| match values {
        Reals::F64(values) => 8.0 * values.len() as f64,
        Reals::F32(values) => 4.0 * values.len() as f64,
    };
    let column = |values: &Values| match values {
        Values::Numbers(values) => 8.0 * values.len() as f64,
        Values::Matrix(matrix) => reals(&matrix.values),
        Values::Text { codes, levels } => {
            4.0 * codes.len() as f64 + levels.bytes.len() as f64 + 4.0 * levels.len() as f64
        }
    };
    let table: f64 = data.table.columns.iter().map(|c| column(&c.values)).sum();
    let scores = match &data.scores {
        Some(Scores::Binary { p, logit }) => {
            8.0 * (p.len() as f64 + logit.as_ref().map_or(0, |logit| logit.len()) as f64)
        }
        Some(Scores::Probabilities(matrix) | Scores::Logits(matrix)) => reals(&matrix.values),
        Some(Scores::Confidence) | None => 0.0,
    };
    // y, ŷ, c, a and the number of each row
    table + scores + 21.0 * data.rows as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        // 10,000,000 rows of two columns and their score: the scorecard fits, with local error and 20 methods it does not
        let held = 10e6 * (16.0 + 8.0 + 21.0);
        assert!(fits(10e6, held, 1.0, false).is_ok());
        let error = fits(10e6, held, 20.0, true).unwrap_err();
        assert_eq!(error.code(), "too_large");
        let said = error.to_string();
        for part in ["20 methods", "10,000,000 rows", "6,630 MB", "3,000 MB", "about 4,500,000 rows"] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(fits(4.524e6, 4.524e6 * 45.0, 20.0, true).is_ok());
        let fewer = fits(10e6, held, 30.0, false).unwrap_err().to_string();
        assert!(fewer.contains("or 8 methods)"), "{fewer}");
        assert!(fits(10e6, held, 8.0, false).is_ok());
    }
}
