//! The option `split`: a person's choice, or the default, as a set for every row.

use super::dates::{Dates, day_of};
use super::names::DataPart;
use super::options::SplitOption;
use super::parts::{Parts, outside};
use super::predictions::{CALIBRATION, Division, EVALUATION, LEFT_OUT};
use super::roles::{ColumnRole, Role};
use crate::data::summary::Way;
use crate::error::{Error, Result, Text, message, phrases};
use crate::table::Warning;
use crate::table::column::Column;
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{counted, listed, plain, quoted, thousands};

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

fn invalid(message: impl Into<Text>, hint: impl Into<Text>) -> Error {
    Error::new("invalid_option", message![phrases::SPLIT, ": ", message], hint)
}

/// Divides the rows as wished: by a split column (or dates, of which the earlier half calibrates), a second file, the first n rows, halves or folds.
/// A split column of training rows and one other part does not divide that part: folds do.
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
                    format!("{} for {}.", counted(*k, "fold"), counted(table.rows, "row")),
                    "Use at least 2 folds, at most one per row and at most 250.",
                ));
            }
            Ok(folds(*k))
        }
        SplitOption::Half { half } => {
            if !half {
                return Err(invalid("half is false.", phrases::HALF_OR_NOTHING));
            }
            Ok(Divided {
                division: Division::Half,
                sets: Column::default(),
                words: "a seeded half of the rows, stratified by label, calibrates; the other half is evaluated".into(),
            })
        }
        SplitOption::Column { column, calibration, before } => {
            let found = table.columns.iter().find(|c| c.is_called(column));
            let Some(found) = found else {
                return Err(Error::new(
                    "unknown_column",
                    message![phrases::SPLIT, format!(": no column has the name {}.", quoted(column))],
                    format!("There are {}.", listed(table.columns.iter().map(|c| &c.name))),
                ));
            };
            if let Some(before) = before {
                return by_date(found, before);
            }
            by_column(found, calibration, warnings)
        }
        SplitOption::Files { files } => match second {
            Some(second) if *files => by_file(second, row_numbers),
            _ => Err(invalid(
                "there are not two files with outcomes and scores each.",
                "Open a calibration file together with an evaluation file, or choose folds.",
            )),
        },
        SplitOption::First { first } => {
            let sets = row_numbers.iter().map(|&row| if row as usize <= *first { CALIBRATION } else { EVALUATION });
            predefined(format!("first {}", counted(*first, "row")), sets.collect(), String::new())
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
    let sets = row_numbers.iter().map(|&row| if row as usize <= second.first_rows { CALIBRATION } else { EVALUATION });
    let files = format!(" ({} calibrates, {} is evaluated)", quoted(&second.first), quoted(&second.second));
    predefined("second file".into(), sets.collect(), files)
}

fn by_column(column: &NamedColumn, calibration: &[String], warnings: &mut Vec<Warning>) -> Result<Divided> {
    let (codes, values) = values(column).ok_or_else(|| {
        invalid(
            format!("an array of several columns cannot name sets: {}.", quoted(&column.name)),
            "Choose a column with one value per row.",
        )
    })?;
    let is = |part: DataPart, value: &str| DataPart::named(value) == Some(part);
    let missing: Vec<&String> = calibration.iter().filter(|wished| !values.contains(wished)).collect();
    if !missing.is_empty() {
        return Err(invalid(
            format!("{} does not occur in column {}.", listed(missing), quoted(&column.name)),
            format!("Its values are {}.", listed(&values)),
        ));
    }
    let parts = Parts::of(values.iter().map(String::as_str));
    if calibration.is_empty() && parts.one_beside_training() {
        return Ok(folds(FOLDS));
    }
    if calibration.is_empty()
        && !parts.both_sides()
        && let Some(dates) = Dates::of(column)
    {
        return dates.divided(column);
    }
    let calibrates = |value: &str| {
        if calibration.is_empty() {
            is(DataPart::Calibration, value)
        } else {
            calibration.iter().any(|wished| wished == value)
        }
    };
    let scored_by_name = values.iter().any(|value| !calibrates(value) && is(DataPart::Scored, value));
    let set = |value: &String| {
        if calibrates(value) {
            CALIBRATION
        } else if is(DataPart::Scored, value)
            || (!calibration.is_empty() && !scored_by_name && !is(DataPart::Training, value))
        {
            EVALUATION
        } else {
            LEFT_OUT
        }
    };
    let of_value: Vec<u8> = values.iter().map(set).collect();
    let sets: Vec<u8> = codes.iter().map(|&code| of_value.get(code as usize).copied().unwrap_or(LEFT_OUT)).collect();
    let left_out = sets.iter().filter(|&&set| set == LEFT_OUT).count();
    if left_out > 0 {
        let names = values.iter().zip(&of_value).filter(|(_, set)| **set == LEFT_OUT);
        warnings.push(outside(column, left_out, names.map(|(value, _)| value.as_str())));
    }
    predefined(format!("split column {}", quoted(&column.name)), sets, String::new()).map_err(|error| {
        let hint = format!("Specify which values of the column calibrate ({}), or choose folds.", listed(&values));
        error.with_hint(hint)
    })
}

/// Rows before a date calibrate.
///
/// # Errors
/// `invalid_option` where the column holds no dates, or `before` is none; `split_empty`.
fn by_date(column: &NamedColumn, before: &str) -> Result<Divided> {
    let Some(dates) = Dates::of(column) else {
        let message = format!("split: {} is not a column of dates.", quoted(&column.name));
        return Err(invalid(message, "Choose a column that contains only dates."));
    };
    let Some(day) = day_of(before) else {
        let message = format!("{} is not a date.", quoted(before));
        return Err(invalid(message, "Write a date as 2024-01-31, 2024-01, 2024 Q1 or 2024."));
    };
    dates.divided_before(column, day, format!(" (rows before {} calibrate)", quoted(before)))
}

/// Columns that divide the rows without more being said: they name both sides, or are dates.
pub(super) fn divisions(table: &Table, roles: &[ColumnRole]) -> Vec<String> {
    let free = |role: Role| matches!(role, Role::Split | Role::Group | Role::Ignore | Role::Feature | Role::Date);
    let divides = |column: &NamedColumn| match &column.values {
        Values::Text { levels, .. } => {
            // What names sides has few values.
            Parts::of(levels.iter().take(20)).both_sides()
                || Dates::of(column).is_some_and(|dates| dates.cut().is_some())
        }
        Values::Numbers(_) => Dates::of(column).is_some_and(|dates| dates.cut().is_some()),
        Values::Matrix(_) => false,
    };
    (table.columns.iter().zip(roles))
        .filter(|(column, role)| free(role.role) && divides(column))
        .map(|(column, _)| column.name.clone())
        .collect()
}

/// Ways to divide the rows that can be chosen, one of them as `asked`: what needs no column, the columns that divide them,
/// and the files where there are two.
///
/// * `files`: names of the files, in their order; `models`: what the models of these rows are called
pub(super) fn ways(
    rows: usize,
    roles: &[ColumnRole],
    divisions: &[String],
    files: &[&str],
    models: &[String],
    asked: &SplitOption,
) -> Vec<Way> {
    let way = |label: String, split| Way { chosen: split == *asked, label, split };
    let mut folds = vec![5, 10];
    let mut first = (rows / 2).max(1);
    let mut columns: Vec<&str> = divisions.iter().map(String::as_str).collect();
    columns.extend(roles.iter().filter(|c| c.role == Role::Split && c.shape.len() == 1).map(|c| c.name.as_str()));
    match asked {
        SplitOption::Folds { folds: k } if !folds.contains(k) => folds.push(*k),
        SplitOption::First { first: n } => first = *n,
        SplitOption::Column { column, .. } => columns.push(column),
        SplitOption::Auto(_) | SplitOption::Folds { .. } | SplitOption::Half { .. } | SplitOption::Files { .. } => {}
    }
    let mut found = vec![way("As in file, else 5-fold".to_owned(), SplitOption::default())];
    for k in folds {
        found.push(way(format!("{k}-fold cross-fitting"), SplitOption::Folds { folds: k }));
    }
    found.push(way("Random half for calibration".to_owned(), SplitOption::Half { half: true }));
    found.push(way("First rows for calibration".to_owned(), SplitOption::First { first }));
    let mut known: Vec<&str> = Vec::new();
    for name in columns {
        if known.contains(&name) {
            continue;
        }
        known.push(name);
        let (calibration, before) = match asked {
            SplitOption::Column { column, calibration, before } if column == name => {
                (calibration.clone(), before.clone())
            }
            _ => (Vec::new(), None),
        };
        let split = SplitOption::Column { column: name.to_owned(), calibration, before };
        found.push(way(format!("By column {name}"), split));
    }
    let two_files = models.len() == 2 && models.iter().all(|model| files.contains(&model.as_str()));
    if two_files || matches!(asked, SplitOption::Files { .. }) {
        found.push(way("First file for calibration".to_owned(), SplitOption::Files { files: true }));
    }
    found
}

impl Dates {
    /// The last date that calibrates: the earlier half of the rows does, rows of one date together.
    fn cut(&self) -> Option<f64> {
        let mut sorted: Vec<f64> = self.of_rows.iter().copied().filter(|day| !day.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = *sorted.get((sorted.len().max(1) - 1) / 2)?;
        let last = *sorted.last()?;
        if middle < last {
            return Some(middle);
        }
        sorted.iter().rev().find(|date| **date < last).copied()
    }

    fn divided(&self, column: &NamedColumn) -> Result<Divided> {
        let cut = self.cut();
        let words = cut.map_or_else(String::new, |cut| format!(" (rows up to {} calibrate)", self.text(cut)));
        self.divided_before(column, cut.map_or(f64::NEG_INFINITY, f64::next_up), words)
    }

    /// Rows before a day calibrate, the others are scored.
    fn divided_before(&self, column: &NamedColumn, day: f64, words: String) -> Result<Divided> {
        let set = |date: &f64| match *date {
            date if date.is_nan() => LEFT_OUT,
            date if date < day => CALIBRATION,
            _ => EVALUATION,
        };
        predefined(format!("dates in column {}", quoted(&column.name)), self.of_rows.iter().map(set).collect(), words)
    }
}

/// Codes and texts of a column's values.
fn values(column: &NamedColumn) -> Option<(Vec<u32>, Vec<String>)> {
    match &column.values {
        Values::Text { codes, levels } => Some((codes.to_vec(), levels.iter().map(str::to_owned).collect())),
        Values::Numbers(numbers) => {
            let mut distinct: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let code = |x: &f64| distinct.binary_search_by(|other| other.total_cmp(x)).map_or(u32::MAX, |k| k as u32);
            let codes = numbers.iter().map(code).collect();
            Some((codes, distinct.iter().map(|&x| plain(x)).collect()))
        }
        Values::Matrix(_) => None,
    }
}

fn predefined(by: String, sets: Vec<u8>, more: String) -> Result<Divided> {
    let count = |set: u8| sets.iter().filter(|&&s| s == set).count();
    let (calibrate, scored, left_out) = (count(CALIBRATION), count(EVALUATION), count(LEFT_OUT));
    if calibrate == 0 || scored == 0 {
        return Err(Error::new(
            "split_empty",
            format!(
                "The split leaves {} for calibration and {} for evaluation; both need at least one ({by}).",
                counted(calibrate, "row"),
                thousands(scored)
            ),
            "Use values such as calibration, cal, val, valid, validation, dev and test, eval, evaluation, holdout; \
             or choose folds.",
        ));
    }
    let rest = if left_out > 0 { format!(", {} excluded", thousands(left_out)) } else { String::new() };
    let words =
        format!("{by}: {} for calibration, {} for evaluation{rest}{more}", thousands(calibrate), thousands(scored));
    Ok(Divided { division: Division::Given { by }, sets: Column::from(sets), words })
}
