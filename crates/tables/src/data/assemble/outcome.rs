//! The outcome: labels, predicted labels, correctness.

use super::super::labels::{Labels, truths};
use super::super::names;
use super::super::profile::row_form;
use super::super::roles::{ColumnRole, Role};
use super::super::scores::not_one_a_row;
use crate::error::{Error, Result, message, phrases};
use crate::table::values::{MISSING, Matrix, NamedColumn, Table, Values};
use crate::words::text::{counted, listed, quoted, thousands};

/// Most distinct labels of numbers that are not whole; beyond it the column holds quantities.
const MOST_FRACTIONS: usize = 20;

/// What a table says about outcomes, unchecked.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub labels: Option<Labels>,
    /// the column that faults of labels are reported for
    pub label_column: Option<usize>,
    pub predicted: Option<Labels>,
    pub predicted_column: usize,
    pub correct: Option<Vec<Option<bool>>>,
    pub correct_column: usize,
}

impl Outcome {
    /// Labels (one column, one-hot columns or a one-hot array), predicted labels and correctness by role.
    ///
    /// # Errors
    /// `columns_ambiguous` when several label columns are not one-hot together; `label_out_of_range` when the
    /// label column holds quantities.
    pub fn of(table: &Table, roles: &[ColumnRole]) -> Result<Outcome> {
        let with = |wanted: Role| -> Vec<usize> {
            (0..roles.len()).filter(|&j| roles.get(j).is_some_and(|r| r.role == wanted)).collect()
        };
        let column = |j: usize| table.columns.get(j);
        let mut outcome = Outcome::default();
        let label_columns = with(Role::Label);
        if let Some(&first) = label_columns.first() {
            outcome.label_column = Some(first);
            outcome.labels = Some(if label_columns.len() == 1 {
                let values = column(first).map(|c| &c.values);
                let labels = values.map(Labels::of).unwrap_or_default();
                if let Some(found) = column(first) {
                    quantities(found)?;
                    soft(found, &labels)?;
                }
                labels
            } else {
                let named: Vec<&NamedColumn> = label_columns.iter().filter_map(|&j| column(j)).collect();
                one_hot_columns(&named)?
            });
        }
        if let Some(&j) = with(Role::Predicted).first() {
            let predicted = column(j).map(|c| Labels::of(&c.values));
            outcome.predicted = predicted.map(|predicted| match &outcome.labels {
                Some(labels) => predicted.named_as(labels),
                None => predicted,
            });
            outcome.predicted_column = j;
        }
        if let Some(&j) = with(Role::Correct).first() {
            if let Some(Values::Matrix(matrix)) = column(j).map(|c| &c.values) {
                return Err(not_one_a_row(table, j, matrix.width));
            }
            outcome.correct = column(j).map(|c| truths(&c.values));
            outcome.correct_column = j;
        }
        Ok(outcome)
    }
}

/// Refuses a label column of measurements.
fn quantities(column: &NamedColumn) -> Result<()> {
    let Values::Numbers(values) = &column.values else {
        return Ok(());
    };
    let Some(row) = values.iter().position(|x| x.is_finite() && x.fract() != 0.0) else {
        return Ok(());
    };
    let mut distinct: Vec<f64> = Vec::new();
    for &x in values.iter().filter(|x| !x.is_nan()) {
        if !distinct.contains(&x) {
            distinct.push(x);
        }
        if distinct.len() > MOST_FRACTIONS {
            return Err(Error::new(
                "label_out_of_range",
                format!(
                    "Data row {}, column {}: {} is not a class; the column contains measurements.",
                    thousands(row + 1),
                    quoted(&column.name),
                    values.get(row).copied().unwrap_or(f64::NAN)
                ),
                "Choose the column with the class of each row.",
            ));
        }
    }
    Ok(())
}

/// The first row of proportions that sum to 1 of which none is 1.
fn first_mixed(matrix: &Matrix) -> Option<usize> {
    let mut row = vec![0.0; matrix.width];
    (0..matrix.rows()).find(|&i| {
        matrix.row_into(i, &mut row);
        matches!(row_form(&row), (true, false))
    })
}

/// Refuses shares where an outcome is expected: a soft label says how likely a class is, not which one happened.
fn soft(column: &NamedColumn, labels: &Labels) -> Result<()> {
    if let Values::Matrix(matrix) = &column.values
        && let Some(row) = first_mixed(matrix)
    {
        return Err(Error::new(
            "label_out_of_range",
            format!(
                "Data row {}, array {}: the labels are soft (proportions of {} classes), not one-hot.",
                thousands(row + 1),
                quoted(&column.name),
                thousands(matrix.width)
            ),
            "Write the class of each row, for example labels.argmax(axis=1).",
        ));
    }
    let share = |name: &String| name.parse::<f64>().is_ok_and(|x| 0.0 < x && x < 1.0);
    let Some(code) = labels.names.iter().position(share) else {
        return Ok(());
    };
    let row = labels.codes.iter().position(|&c| c as usize == code);
    Err(Error::new(
        "label_out_of_range",
        format!(
            "Data row {}, column {}: {} is a proportion, not an outcome.",
            thousands(row.unwrap_or(0) + 1),
            quoted(&column.name),
            labels.names.get(code).map_or("", String::as_str)
        ),
        message![
            "Assign the ",
            phrases::PLAIN_ROLE_LABEL,
            " to the 0/1 outcome column; a proportion such as 0.9 has the role probability."
        ],
    ))
}

fn one_hot_columns(columns: &[&NamedColumn]) -> Result<Labels> {
    let ambiguous = || {
        Error::new(
            "columns_ambiguous",
            message![
                format!("{} have the ", counted(columns.len(), "column")),
                phrases::ROLE_LABEL,
                format!(
                    " but are not one-hot (a single 1 among zeros in each row): {}.",
                    listed(columns.iter().map(|c| &c.name))
                )
            ],
            "Keep the role for one of them.",
        )
    };
    let numbers: Option<Vec<&[f64]>> = columns
        .iter()
        .map(|c| match &c.values {
            Values::Numbers(v) => Some(v.as_slice()),
            _ => None,
        })
        .collect();
    let numbers = numbers.ok_or_else(ambiguous)?;
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    let headless = names.iter().all(|name| name.starts_with("column "));
    let labels = Labels::of_columns(&numbers, names::classes(&names, &[], headless));
    if labels.codes.iter().filter(|&&code| code == MISSING).count() * 2 > labels.codes.len() {
        return Err(ambiguous());
    }
    Ok(labels)
}
