//! Counts that may leave a site: cells of few rows are merged, and a sentence says how much.

use super::export::Bytes;
use super::small_cells::left_out_beside;
use crate::error::Result;
use crate::read::tally::{Tally, WITHHELD};
use crate::words::number::count;
use crate::words::text::counted;

/// Counts as CSV of which no cell counts fewer rows than `least`, with and without the event.
///
/// # Errors
/// `too_few_rows` where they cannot be merged until each does.
///
/// # Cost
/// O(lines).
pub fn merged_counts(tally: &Tally, least: u64) -> Result<Bytes> {
    let (told, merged) = tally.merged(least, |lines, implied| left_out_beside(lines, implied, least))?;
    // how many of the rows have a reason may tell of few
    let groups = match merged.groups {
        0 => String::new(),
        groups => {
            let rows = counted(merged.rows, "row");
            format!("; {} of {rows} in {WITHHELD}", counted(groups, "combination"))
        }
    };
    let note = format!(
        "{} rows counted. Cells are merged until each counts at least {least} rows, with and without the event{groups}.",
        count(told.rows()),
    );
    Ok(Bytes { notes: vec![note], ..Bytes::from(told.csv().into_bytes()) })
}
