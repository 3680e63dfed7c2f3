//! Rows that cannot be used: which, why, and leaving them out.

use serde::{Deserialize, Serialize};

use super::options::RowPolicy;
use super::roles::{ColumnRole, Role};
use super::sentinels::beside_shares;
use crate::error::{Error, Result, Text, message, phrases};
use crate::num::order;
use crate::read::{WordsFound, hundredths, in_words};
use crate::table::Warning;
use crate::table::values::{MISSING, NamedColumn, Table, Values};
use crate::words::text::{counted, plain, quoted, thousands};

/// What is said of a column of a few words that should hold numbers.
pub(super) fn about_words(column: &NamedColumn) -> Option<String> {
    let Values::Text { levels, .. } = &column.values else { return None };
    let mut found = WordsFound::default();
    levels.iter().for_each(|text| found.add(text));
    found.known().map(|words| in_words(&column.name, words))
}

/// What is said of a bound in the place of a number.
pub(super) const BOUND: &str = "This is a bound, not a value. Export the values as they were computed: without such rows, the \
                                smallest or the largest values are missing.";

/// Whether a text is a bound on a number: `<0.05`, `> 0.99`, `≥90`.
pub(super) fn is_bound(text: &str) -> bool {
    let number = text.trim().strip_prefix(['<', '>', '≤', '≥']).map(|rest| rest.trim_start_matches('=').trim());
    number.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit() || first == '.'))
}

/// Most rows that a summary lists one by one.
const MOST_LISTED: usize = 1_000;

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DroppedRow {
    /// 1-based row number in the file
    pub row: usize,
    /// why
    pub reason: String,
}

/// The rows that were left out.
#[derive(Debug, Default)]
pub(super) struct Excluded {
    /// the first of them, each with its reason
    pub listed: Vec<DroppedRow>,
    /// how many there are
    pub rows: usize,
    /// of these, rows whose outcome is missing
    pub outcome_missing: usize,
}

/// What is wrong with a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fault {
    /// a cell that must hold a number or a text is empty
    Missing,
    /// a cell holds a text that is not a number
    NotANumber,
    /// a number is infinite
    Infinite,
    /// a probability lies outside [0, 1]
    OutOfRange(f64),
    /// the row's probabilities sum to something else than 1
    Sum(f64),
    /// the label is not one of so many classes
    NotAClass(usize),
    /// a truth value that is neither
    NotATruth,
    /// a weight below 0
    NegativeWeight(f64),
}

/// A fault and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    row: usize,
    column: usize,
    cell: Option<usize>,
    fault: Fault,
}

/// Faults of a table's rows: all of them when rows may be dropped, else the first.
#[derive(Debug)]
pub(super) struct Check {
    policy: RowPolicy,
    /// for every row, whether it is asked for; none: all are
    inside: Option<Vec<bool>>,
    found: Vec<Place>,
}

impl Check {
    /// * `inside`: for every row, whether it is asked for; faults of others are none
    pub fn new(policy: RowPolicy, inside: Option<Vec<bool>>) -> Check {
        Check { policy, inside, found: Vec::new() }
    }

    fn is_inside(&self, row: usize) -> bool {
        self.inside.as_ref().is_none_or(|inside| inside.get(row) == Some(&true))
    }

    /// Notes a fault in `row`, in a cell of column `column`.
    pub fn note(&mut self, row: usize, column: usize, cell: Option<usize>, fault: Fault) {
        if !self.is_inside(row) {
            return;
        }
        let place = Place { row, column, cell, fault };
        match (self.policy, self.found.first_mut()) {
            (RowPolicy::Error, Some(first)) => {
                if row < first.row {
                    *first = place;
                }
            }
            _ => self.found.push(place),
        }
    }

    /// Rows to keep, or `None` for all; what was dropped goes to `excluded`.
    ///
    /// # Errors
    /// The first fault, unless rows may be dropped; `empty` when no row is left.
    pub fn kept(
        mut self,
        table: &Table,
        roles: &[ColumnRole],
        excluded: &mut Excluded,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Vec<u32>>> {
        order::sort(&mut self.found, &|a, b| a.row.cmp(&b.row));
        let asked = self.inside.as_ref().map_or(table.rows, |inside| inside.iter().filter(|is| **is).count());
        let Some(first) = self.found.first().copied() else {
            let rows = |inside: &Vec<bool>| (0u32..).zip(inside).filter_map(|(row, is)| is.then_some(row)).collect();
            return Ok(self.inside.as_ref().map(rows));
        };
        if self.policy == RowPolicy::Error {
            return Err(first.error(table));
        }
        let is_outcome = |place: &Place| {
            place.fault == Fault::Missing
                && roles.get(place.column).is_some_and(|column| matches!(column.role, Role::Label | Role::Correct))
        };
        let mut outcome_missing: Vec<usize> =
            self.found.iter().filter(|place| is_outcome(place)).map(|place| place.row).collect();
        outcome_missing.dedup();
        excluded.outcome_missing = outcome_missing.len();
        self.found.dedup_by_key(|place| place.row);
        let count = self.found.len();
        if count == asked {
            return Err(Error::new(
                "empty",
                message![format!("None of the {} is valid. ", counted(count, "row")), first.error(table).message()],
                "Check the outcome and prediction columns.",
            ));
        }
        excluded.rows = count;
        excluded.listed.extend(
            self.found
                .iter()
                .take(MOST_LISTED)
                .map(|place| DroppedRow { row: place.row + 1, reason: place.reason(table).to_string() }),
        );
        let listed = if count > MOST_LISTED {
            format!("; the first {} are listed", thousands(MOST_LISTED))
        } else {
            String::new()
        };
        warnings.push(Warning {
            code: "rows_dropped".into(),
            message: format!(
                "{} of {} were invalid and are excluded{listed}. {}",
                thousands(count),
                counted(asked, "row"),
                first.error(table)
            ),
            row: Some(first.row + 1),
            column: None,
        });
        let mut bad = self.found.iter().map(|place| place.row).peekable();
        let keep = (0..table.rows).filter(|row| bad.next_if_eq(row).is_none());
        let inside = self.inside.as_ref();
        let keep = keep.filter(|row| inside.is_none_or(|inside| inside.get(*row) == Some(&true)));
        Ok(Some(keep.map(|row| row as u32).collect()))
    }
}

impl Place {
    fn reason(&self, table: &Table) -> Text {
        let column = table.columns.get(self.column);
        let name = quoted(column.map_or("", |column| column.name.as_str()));
        let place = match self.cell {
            Some(cell) => format!("column {} of {name}: ", thousands(cell + 1)),
            None => format!("column {name}: "),
        };
        let text = || Text::value(quoted(&column.map_or_else(String::new, |c| cell_text(&c.values, self.row))));
        match self.fault {
            Fault::Missing if self.cell.is_some() => message![place, "the value is not a number (NaN)"],
            Fault::Missing => message![place, "the value is missing"],
            Fault::NotANumber => message![place, text(), " is not a number"],
            Fault::Infinite => message![place, "the value is infinite"],
            Fault::OutOfRange(x) => message![place, Text::value(plain(x)), " is not between 0 and 1"],
            Fault::Sum(sum) => format!("the probabilities sum to {}, not to 1", short(sum)).into(),
            Fault::NotAClass(m) => message![place, text(), format!(" is not one of the {} classes", thousands(m))],
            Fault::NotATruth => message![place, text(), " is neither true nor false"],
            Fault::NegativeWeight(w) => message![place, "the weight ", Text::value(plain(w)), " is below 0"],
        }
    }

    /// The cell carries a percent sign.
    fn signed(&self, table: &Table) -> bool {
        let column = table.columns.get(self.column);
        column.is_some_and(|column| hundredths(&cell_text(&column.values, self.row)).is_some())
    }

    /// The cell is a bound on a number, `<0.05`.
    fn bound(&self, table: &Table) -> bool {
        let column = table.columns.get(self.column);
        column.is_some_and(|column| is_bound(&cell_text(&column.values, self.row)))
    }

    /// The number outside [0, 1] and how many rows hold it, where it is all that is outside and exports write it for a missing
    /// value.
    fn missing_code(&self, table: &Table) -> Option<(f64, usize)> {
        let Fault::OutOfRange(x) = self.fault else { return None };
        let found = table.columns.get(self.column).and_then(|column| beside_shares(&column.values));
        found.filter(|(code, _)| *code == x)
    }

    fn error(&self, table: &Table) -> Error {
        let reason = self.reason(table);
        let separator = if matches!(self.fault, Fault::Sum(_)) { ":" } else { "," };
        let coded = self.missing_code(table);
        let words = table.columns.get(self.column).and_then(about_words);
        let rows = coded.map_or_else(String::new, |(_, rows)| format!("; {} have this value", counted(rows, "row")));
        let message = message![format!("Data row {}{separator} ", thousands(self.row + 1)), reason, rows, "."];
        let (code, hint) = match self.fault {
            Fault::NotANumber if self.signed(table) => (
                "not_a_number",
                message![
                    "Some values have a percent sign and some do not. If all are percentages, ",
                    phrases::ASSIGN_PERCENT,
                    "."
                ],
            ),
            Fault::NotANumber if self.bound(table) => ("not_a_number", BOUND.into()),
            Fault::NotANumber if words.is_some() => ("not_a_number", words.unwrap_or_default().into()),
            Fault::Missing | Fault::NotANumber | Fault::Infinite => {
                ("not_a_number", message!["Exclude such rows ", phrases::DROP_ROWS, ", or correct the file."])
            }
            Fault::OutOfRange(x) if coded.is_some() => (
                "probability_out_of_range",
                message![
                    "If ",
                    Text::value(plain(x)),
                    " codes a missing value, exclude such rows ",
                    phrases::DROP_ROWS,
                    "."
                ],
            ),
            // no percentage, either
            Fault::OutOfRange(x) if !(0.0..=100.0).contains(&x) => (
                "probability_out_of_range",
                message!["For logits, ", phrases::ASSIGN_LOGIT, "; or exclude such rows ", phrases::DROP_ROWS, "."],
            ),
            Fault::OutOfRange(_) => (
                "probability_out_of_range",
                message![
                    "For percentages, ",
                    phrases::ASSIGN_PERCENT,
                    "; for logits, ",
                    phrases::ASSIGN_LOGIT,
                    "; or exclude such rows ",
                    phrases::DROP_ROWS,
                    "."
                ],
            ),
            Fault::Sum(_) => (
                "rows_do_not_sum_to_one",
                message![
                    "Divide each row by its sum ",
                    phrases::RENORMALISE,
                    ", exclude such rows ",
                    phrases::DROP_ROWS,
                    ", or check that no class column is missing. ",
                    phrases::MODELS_NOT_CLASSES
                ],
            ),
            Fault::NotAClass(_) => (
                "label_out_of_range",
                message!["Check the outcome and prediction columns, or exclude such rows ", phrases::DROP_ROWS, "."],
            ),
            Fault::NotATruth => {
                let hint = message!["Use 1 or 0, true or false; or exclude such rows ", phrases::DROP_ROWS, "."];
                ("label_out_of_range", hint)
            }
            Fault::NegativeWeight(_) => (
                "weight_negative",
                message![
                    "Use 0 to ignore a row; assign the ",
                    phrases::PLAIN_ROLE_IGNORE,
                    "; or exclude such rows ",
                    phrases::DROP_ROWS,
                    "."
                ],
            ),
        };
        Error::new(code, message, hint)
    }
}

/// Four digits after the point, more where the number is near 1.
fn short(x: f64) -> String {
    plain(format!("{x:.4}").parse().unwrap_or(x))
}

/// The text of one cell, as far as it is kept.
pub(super) fn cell_text(values: &Values, row: usize) -> String {
    match values {
        Values::Numbers(v) => {
            v.get(row).map_or_else(String::new, |&x| if x.is_nan() { String::new() } else { plain(x) })
        }
        Values::Text { codes, levels } => match codes.get(row) {
            Some(&code) if code != MISSING => levels.text(code).to_owned(),
            _ => String::new(),
        },
        Values::Matrix(matrix) => {
            let cells = (0..matrix.width.min(8)).map(|j| plain(matrix.value(row, j)));
            cells.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_bound;

    #[test]
    fn bounds_on_numbers() {
        assert!(["<0.05", "> 0.99", "≥90", "<=.5"].into_iter().all(is_bound));
        assert!(!["=0.5", "0.5", "<b>", "<", "", "a < 1"].into_iter().any(is_bound));
    }
}
