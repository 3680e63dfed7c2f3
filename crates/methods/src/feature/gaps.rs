//! Columns with gaps: a row without a value in one of them has no place.
//!
//! Such rows are left out of what looks at near rows, and nothing is put in their stead: an imputed value would place a
//! row among others that it may have nothing in common with, and would be told as if it were known.

use std::borrow::Cow;

use super::columns::find;
use super::within::column_within;
use super::{FeatureChoice, Places, columns_of};
use crate::data::Predictions;
use crate::error::Error;
use crate::table::{MISSING, Values};
use crate::words::text::{counted, thousands};

/// Columns with gaps that are named one by one.
const NAMED: usize = 3;

/// Those of `rows` that have a place; not copied where all have one. Both ascending.
pub(super) fn placed_among<'a>(placed: &[u32], rows: &'a [u32], of: usize) -> Cow<'a, [u32]> {
    if placed.len() == of {
        return Cow::Borrowed(rows);
    }
    Cow::Owned(rows.iter().copied().filter(|row| placed.binary_search(row).is_ok()).collect())
}

/// "bmi is empty in 417 of 2,500 rows: they are left out of what looks at near rows."; none where each of `rows` has a
/// place. `within`: as [`features_within`](super::features_within) takes it. O(rows × columns).
pub fn left_out(data: &Predictions, choice: &FeatureChoice, within: Option<&str>, rows: &[u32]) -> Option<String> {
    let mut columns = columns_of(data, choice);
    columns.extend(column_within(within).filter(|name| !columns.iter().any(|one| one == name)).map(str::to_owned));
    let places = Places::new(data, &columns).ok()?;
    let missing = rows.iter().filter(|row| places.placed.binary_search(row).is_err()).count();
    if missing == 0 {
        return None;
    }
    let each = columns.iter().map(|name| (name, gaps(data, name, rows))).filter(|(_, gaps)| *gaps > 0);
    let each: Vec<(&String, usize)> = each.collect();
    let of = counted(rows.len(), "row");
    let they = |count: usize| match count {
        1 => "it has no neighbors",
        _ => "they have no neighbors",
    };
    Some(match each.as_slice() {
        [(name, count)] => format!("{name} is empty in {} of {of}: {}.", thousands(*count), they(*count)),
        several => {
            let named = several.iter().take(NAMED).map(|(name, count)| format!("{name} in {}", thousands(*count)));
            let more = match several.len().saturating_sub(NAMED) {
                0 => String::new(),
                1 => ", 1 more column".to_owned(),
                more => format!(", {more} more columns"),
            };
            format!(
                "{} of {of} lack a value ({}{more}): {}.",
                thousands(missing),
                named.collect::<Vec<_>>().join(", "),
                they(missing)
            )
        }
    })
}

/// What is said where every row that is looked at has a gap.
pub fn no_row_has_a_place() -> Error {
    Error::new(
        "too_few_rows",
        "No scored row has a value in every feature column.",
        "Choose feature columns with fewer missing values.",
    )
}

/// What is said where rows without a place keep the score that they had.
pub fn kept_without_place(count: usize) -> String {
    format!(
        "{} kept {} score: a feature is missing, so there are no neighbors.",
        counted(count, "row"),
        match count {
            1 => "its",
            _ => "their",
        }
    )
}

/// What is said where rows without a place were moved as all rows are, without a look at those nearby.
pub fn moved_without_place(count: usize) -> String {
    format!(
        "{} {} shifted as all rows, without a local correction: a feature is missing, so there are no neighbors.",
        counted(count, "row"),
        match count {
            1 => "was",
            _ => "were",
        }
    )
}

/// Rows among `rows` without a value in a column.
fn gaps(data: &Predictions, name: &str, rows: &[u32]) -> usize {
    let Ok(column) = find(data, name) else { return 0 };
    let empty = |row: &&u32| {
        let row = **row as usize;
        match &column.values {
            Values::Numbers(numbers) => !numbers.get(row).is_some_and(|value| value.is_finite()),
            Values::Text { codes, .. } => codes.get(row).is_none_or(|code| *code == MISSING),
            Values::Matrix(matrix) => (0..matrix.width).any(|k| !matrix.value(row, k).is_finite()),
        }
    };
    rows.iter().filter(empty).count()
}
