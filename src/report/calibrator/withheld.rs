//! Stored calibrators without what was fitted to few rows.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::data::folds::Split;
use crate::data::{Predictions, pair};
use crate::error::Result;
use crate::evaluation::method::fitted_to;
use crate::feature::groups::groups;
use crate::recalibrate::recalibrator::FittedTo;
use crate::report::small_cells::left_out;
use crate::table::MISSING;

/// Methods with one number a value of a column, each fitted to all rows of that value: those of few rows can be taken out.
const BY_VALUE: &[&str] = &["group_intercept", "group_temperature"];

/// What is withheld from stored calibrators.
pub(in crate::report) enum Withheld {
    /// rows, and what was fitted to the rows of a value of which there are fewer than this
    Values(u64),
    /// that, and every method whose parameters tell of a bin, a class, a named slice or single rows
    All(u64),
}

impl Withheld {
    fn least(&self) -> u64 {
        match self {
            Self::Values(least) | Self::All(least) => *least,
        }
    }
}

/// Takes out of stored calibrators what may not leave.
///
/// * `calibrators`: as [`calibrator_value`](super::calibrator_value) writes them
/// * returns: of every method from which something was taken, or that was taken out: its name under `method`, and `why`
///
/// # Errors
/// Those of the columns of groups.
pub(in crate::report) fn withhold(
    data: &Predictions,
    split: &Split,
    calibrators: &mut Value,
    withheld: &Withheld,
) -> Result<Vec<Value>> {
    let least = withheld.least();
    let rows = split.all_calibration_rows();
    let mut told = Vec::new();
    let Some(methods) = calibrators.get_mut("methods").and_then(Value::as_array_mut) else { return Ok(told) };
    let text = |method: &Value, field: &str| method.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    methods.retain(|method| {
        let why = if text(method, "input").contains("features") {
            "it contains coordinates of rows; it is in the export `calibrator`".to_owned()
        } else if matches!(withheld, Withheld::All(_)) && !may_leave(&text(method, "id")) {
            format!(
                "its parameters may be fitted to fewer than {least} rows: a bin, a class, a subgroup or single rows"
            )
        } else {
            return true;
        };
        told.push(json!({ "method": text(method, "name"), "why": why }));
        false
    });
    for method in methods {
        let dropped = method.get_mut("parameters").map_or(Ok(0), |found| without_few(data, &rows, withheld, found))?;
        if dropped > 0 {
            told.push(json!({
                "method": text(method, "name"),
                "why": format!(
                    "values of fewer than {least} rows, and values that would reveal them, are treated as unseen; \
                     they are in the export `calibrator`"
                ),
            }));
        }
    }
    Ok(told)
}

/// Whether every part of a method was fitted to all rows, or to those of each value of a column.
fn may_leave(id: &str) -> bool {
    id.split('+').all(|id| BY_VALUE.contains(&id) || fitted_to(id) == FittedTo::AllRows)
}

/// Takes what was learned of few rows out of parameters by the values of a column, however deep they stand: objects with the
/// column under `groups`, and a shift or a fit a value.
///
/// * `rows`: of the data, which calibrated
/// * returns: values that were taken out
fn without_few(data: &Predictions, rows: &[u32], withheld: &Withheld, parameters: &mut Value) -> Result<usize> {
    let mut dropped = 0;
    match parameters {
        Value::Array(items) => {
            for item in items {
                dropped += without_few(data, rows, withheld, item)?;
            }
        }
        Value::Object(fields) => {
            let column = fields.get("groups").and_then(Value::as_str).map(str::to_owned);
            for learned in ["shifts", "fits"] {
                if let (Some(column), Some(Value::Object(by_value))) = (&column, fields.get_mut(learned)) {
                    let told = releasable_values(data, rows, withheld, column)?;
                    let before = by_value.len();
                    by_value.retain(|value, _| told.contains(value));
                    dropped += before - by_value.len();
                }
            }
            for item in fields.values_mut() {
                dropped += without_few(data, rows, withheld, item)?;
            }
        }
        _ => (),
    }
    Ok(dropped)
}

/// Values of a column that may be told of: by their rows; where all that tells of few is withheld, by those with and without
/// the outcome, too, which a shift tells.
fn releasable_values(data: &Predictions, rows: &[u32], withheld: &Withheld, column: &str) -> Result<BTreeSet<String>> {
    let by = groups(data, column)?;
    let targets = pair::targets(data)?;
    // missing values last
    let mut lines = vec![vec![0_u64; 3]; by.levels.len() + 1];
    for (code, row) in by.select(rows).into_iter().zip(rows) {
        let place = if code == MISSING { by.levels.len() } else { code as usize };
        let observed = targets.get(*row as usize) == Some(&1);
        if let Some([count, with, without]) = lines.get_mut(place).map(Vec::as_mut_slice) {
            let rows = data.rows_of(&[*row]) as u64;
            *count += rows;
            if matches!(withheld, Withheld::All(_)) {
                *(if observed { with } else { without }) += rows;
            }
        }
    }
    let out = left_out(&lines, withheld.least()).unwrap_or_else(|| vec![true; lines.len()]);
    Ok(by.levels.into_iter().zip(out).filter(|(_, out)| !out).map(|(value, _)| value).collect())
}
