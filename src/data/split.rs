//! Which rows calibrate and which are scored.

use super::column::Column;
use super::names::{CALIBRATE, SCORED};
use super::options::{SplitOption, Warning};
use super::predictions::{CALIBRATION, Division, EVALUATION, LEFT_OUT};
use super::roles::{ColumnRole, Role};
use super::table::{NamedColumn, Table, Values};
use super::wording::{counted, listed, plain, thousands};
use crate::error::{Error, Result};

/// Folds where nothing else divides the rows.
const FOLDS: usize = 5;
/// Most folds: a row's fold is kept in one byte.
const MOST_FOLDS: usize = 250;

/// A division with each row's set and its description.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Divided {
    pub division: Division,
    pub sets: Column<u8>,
    pub words: String,
}

/// The second file of other rows: rows of the first file, and the names of both.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SecondFile {
    pub first_rows: usize,
    pub first: String,
    pub second: String,
}

fn invalid(message: String, hint: &str) -> Error {
    Error::new("invalid_option", message, hint)
}

/// Divides the rows as wished: by a split column, a second file, the first n rows, halves or folds.
///
/// # Errors
/// `invalid_option`, `unknown_column`, `split_empty` when one side has no rows.
pub(super) fn divided(
    option: &SplitOption,
    table: &Table,
    roles: &[ColumnRole],
    row_numbers: &[u32],
    second: Option<&SecondFile>,
    warnings: &mut Vec<Warning>,
) -> Result<Divided> {
    match option {
        SplitOption::Auto(_) => {
            let column = roles.iter().position(|role| role.role == Role::Split);
            if let Some(column) = column.and_then(|j| table.columns.get(j)) {
                by_column(column, &[], warnings)
            } else if let Some(second) = second {
                by_file(second, row_numbers)
            } else {
                Ok(folds(FOLDS))
            }
        }
        SplitOption::Folds { folds: k } => {
            if *k < 2 || *k > table.rows.min(MOST_FOLDS) {
                return Err(invalid(
                    format!(
                        "split: {} for {}.",
                        counted(*k, "fold"),
                        counted(table.rows, "row")
                    ),
                    "At least 2 folds, at most one per row and at most 250.",
                ));
            }
            Ok(folds(*k))
        }
        SplitOption::Half { half } => {
            if !half {
                return Err(invalid(
                    "split: half is false.".into(),
                    "Write { half: true }, or leave it out.",
                ));
            }
            Ok(Divided {
                division: Division::Half,
                sets: Column::default(),
                words: "a seeded half of the rows, stratified by label, calibrates; the other half is scored".into(),
            })
        }
        SplitOption::Column {
            column,
            calibration,
        } => {
            let found = table
                .columns
                .iter()
                .find(|c| c.name == *column || format!("{}:{}", c.file, c.name) == *column);
            let Some(found) = found else {
                return Err(Error::new(
                    "unknown_column",
                    format!("split: no column has the name `{column}`."),
                    format!(
                        "There are {}.",
                        listed(table.columns.iter().map(|c| &c.name))
                    ),
                ));
            };
            by_column(found, calibration, warnings)
        }
        SplitOption::First { first } => {
            let sets = row_numbers.iter().map(|&row| {
                if row as usize <= *first {
                    CALIBRATION
                } else {
                    EVALUATION
                }
            });
            given(
                format!("first {}", counted(*first, "row")),
                sets.collect(),
                String::new(),
            )
        }
    }
}

fn folds(folds: usize) -> Divided {
    Divided {
        division: Division::Folds { folds },
        sets: Column::default(),
        words: format!("{}-fold cross-fitting", thousands(folds)),
    }
}

fn by_file(second: &SecondFile, row_numbers: &[u32]) -> Result<Divided> {
    let sets = row_numbers.iter().map(|&row| {
        if row as usize <= second.first_rows {
            CALIBRATION
        } else {
            EVALUATION
        }
    });
    let files = format!(
        " (`{}` calibrates, `{}` is scored)",
        second.first, second.second
    );
    given("second file".into(), sets.collect(), files)
}

fn by_column(
    column: &NamedColumn,
    calibration: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<Divided> {
    let (codes, values) = values(column).ok_or_else(|| {
        invalid(
            format!(
                "split: an array of several columns names no sets: `{}`.",
                column.name
            ),
            "Name a column with one value a row.",
        )
    })?;
    let known = |list: &[&str], value: &str| list.contains(&value.to_lowercase().as_str());
    let missing: Vec<&String> = calibration
        .iter()
        .filter(|wished| !values.contains(wished))
        .collect();
    if !missing.is_empty() {
        return Err(invalid(
            format!(
                "split: {} does not occur in column `{}`.",
                listed(missing),
                column.name
            ),
            &format!("Its values are {}.", listed(&values)),
        ));
    }
    let calibrates = |value: &str| {
        if calibration.is_empty() {
            known(CALIBRATE, value)
        } else {
            calibration.iter().any(|wished| wished == value)
        }
    };
    let scored_by_name = values
        .iter()
        .any(|value| !calibrates(value) && known(SCORED, value));
    let set = |value: &String| {
        if calibrates(value) {
            CALIBRATION
        } else if known(SCORED, value)
            || (!calibration.is_empty() && !scored_by_name && !known(&["train", "training"], value))
        {
            EVALUATION
        } else {
            LEFT_OUT
        }
    };
    let of_value: Vec<u8> = values.iter().map(set).collect();
    let sets: Vec<u8> = codes
        .iter()
        .map(|&code| of_value.get(code as usize).copied().unwrap_or(LEFT_OUT))
        .collect();
    let left_out = sets.iter().filter(|&&set| set == LEFT_OUT).count();
    if left_out > 0 {
        let names = values
            .iter()
            .zip(&of_value)
            .filter(|(_, set)| **set == LEFT_OUT)
            .map(|(value, _)| value);
        let names = listed(names);
        let names = if names.is_empty() {
            "no value".to_owned()
        } else {
            names
        };
        warnings.push(Warning {
            code: "rows_outside_split".into(),
            message: format!(
                "{} left out of both calibration and evaluation ({names} in the split column).",
                counted(left_out, "row")
            ),
            row: None,
            column: Some(column.name.clone()),
        });
    }
    given(
        format!("split column `{}`", column.name),
        sets,
        String::new(),
    )
}

/// Codes and texts of a column's values.
fn values(column: &NamedColumn) -> Option<(Vec<u32>, Vec<String>)> {
    match &column.values {
        Values::Text { codes, levels } => {
            Some((codes.to_vec(), levels.iter().map(str::to_owned).collect()))
        }
        Values::Numbers(numbers) => {
            let mut distinct: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let code = |x: &f64| {
                distinct
                    .binary_search_by(|other| other.total_cmp(x))
                    .map_or(u32::MAX, |k| k as u32)
            };
            let codes = numbers.iter().map(code).collect();
            Some((codes, distinct.iter().map(|&x| plain(x)).collect()))
        }
        Values::Matrix(_) => None,
    }
}

fn given(by: String, sets: Vec<u8>, more: String) -> Result<Divided> {
    let count = |set: u8| sets.iter().filter(|&&s| s == set).count();
    let (calibrate, scored, left_out) = (count(CALIBRATION), count(EVALUATION), count(LEFT_OUT));
    if calibrate == 0 || scored == 0 {
        return Err(Error::new(
            "split_empty",
            format!(
                "{} calibrate and {} are scored; both sides need rows ({by}).",
                counted(calibrate, "row"),
                thousands(scored)
            ),
            "Known names are calibration, cal, val, valid, validation, dev on one side and test, eval, evaluation, holdout on the other; or choose folds.",
        ));
    }
    let rest = if left_out > 0 {
        format!(", {} left out", thousands(left_out))
    } else {
        String::new()
    };
    let words = format!(
        "{by}: {} calibrate, {} are scored{rest}{more}",
        thousands(calibrate),
        thousands(scored)
    );
    Ok(Divided {
        division: Division::Given { by },
        sets: Column::from(sets),
        words,
    })
}
