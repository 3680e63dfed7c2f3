//! Stored calibrators without what was fitted to few rows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::data::folds::Split;
use crate::data::grouping::{Grouping, QUANTILES, grouping};
use crate::data::{Predictions, pair};
use crate::error::Result;
use crate::evaluation::method::fitted_to;
use crate::feature::groups::groups;
use crate::recalibrate::recalibrator::FittedTo;
use crate::report::RunOutcome;
use crate::report::small_cells::ColumnCounts;
use crate::table::MISSING;

/// What is withheld from stored calibrators.
pub(in crate::report) enum Withheld {
    /// rows, and what was fitted to the rows of a value of which there are fewer than this
    Values(u64),
    /// that for each of these counts, and every method whose parameters tell of a bin, a class, a named subgroup or single rows
    All(Vec<u64>),
}

impl Withheld {
    fn least(&self) -> u64 {
        match self {
            Self::Values(least) => *least,
            Self::All(least) => least.iter().copied().max().unwrap_or(u64::MAX),
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
    (data, run): (&Predictions, &RunOutcome),
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
        } else if matches!(withheld, Withheld::All(_)) && fitted_to(&text(method, "id")) == FittedTo::SomeRows {
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
        let dropped =
            method.get_mut("parameters").map_or(Ok(0), |found| without_few((data, run), &rows, withheld, found))?;
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

/// Takes what was learned of few rows out of parameters by the values of a column, however deep they stand: objects with the
/// column under `groups`, and a shift or a fit a value.
///
/// * `rows`: of the data, which calibrated
/// * returns: values that were taken out
fn without_few(
    (data, run): (&Predictions, &RunOutcome),
    rows: &[u32],
    withheld: &Withheld,
    parameters: &mut Value,
) -> Result<usize> {
    let mut dropped = 0;
    match parameters {
        Value::Array(items) => {
            for item in items {
                dropped += without_few((data, run), rows, withheld, item)?;
            }
        }
        Value::Object(fields) => {
            let column = fields.get("groups").and_then(Value::as_str).map(str::to_owned);
            for learned in ["shifts", "fits"] {
                if let (Some(column), Some(Value::Object(by_value))) = (&column, fields.get_mut(learned)) {
                    let told = releasable_values((data, run), rows, withheld, column)?;
                    let before = by_value.len();
                    by_value.retain(|value, _| told.contains(value));
                    dropped += before - by_value.len();
                }
            }
            for item in fields.values_mut() {
                dropped += without_few((data, run), rows, withheld, item)?;
            }
        }
        _ => (),
    }
    Ok(dropped)
}

/// Values of a column that may be told of: by their rows; where all that tells of few is withheld, by those with and without
/// the outcome, too, which a shift tells. Of the rows that are scored these are the values that every table of the column has.
fn releasable_values(
    (data, run): (&Predictions, &RunOutcome),
    rows: &[u32],
    withheld: &Withheld,
    column: &str,
) -> Result<BTreeSet<String>> {
    let by = groups(data, column)?;
    // in the order of a table of the column
    let mut order: Vec<usize> = (0..by.levels.len()).collect();
    if let Ok(of_tables) = grouping(data, &[column.to_owned()], QUANTILES) {
        let of_tables: BTreeMap<&String, usize> = of_tables.names.iter().zip(0..).collect();
        let place = |level: &usize| by.levels.get(*level).and_then(|level| of_tables.get(level)).copied();
        order.sort_by_key(|level| (place(level).is_none(), place(level)));
    }
    let mut place = vec![MISSING; by.levels.len()];
    for (at, level) in (0u32..).zip(&order) {
        place[*level] = at;
    }
    let placed = |code: u32| place.get(code as usize).copied().unwrap_or(MISSING);
    let names: Vec<String> = order.iter().map(|level| by.levels[*level].clone()).collect();
    let targets = pair::targets(data)?;
    let of_rows: Vec<u8> = rows.iter().map(|row| targets.get(*row as usize).copied().unwrap_or_default()).collect();
    let weights: Vec<f64> = rows.iter().map(|row| data.rows_of(&[*row]) as f64).collect();
    let codes = by.select(rows).into_iter().map(placed);
    let fitted = ColumnCounts::of_rows(names.len(), codes, &of_rows, Some(&weights));
    let codes = by.codes.iter().map(|code| placed(*code)).collect();
    let by = Grouping { title: column.to_owned(), names: names.clone(), code: codes, of_columns: None };
    let scored = ColumnCounts::of(run, &by);
    let out = match withheld {
        Withheld::Values(least) => fitted.of_rows_alone().left_out(*least),
        Withheld::All(least) => {
            let (fitted, scored) = (fitted.left_out_for_each(least), scored.left_out_for_each(least));
            fitted.into_iter().zip(scored).map(|(fitted, scored)| fitted || scored).collect()
        }
    };
    Ok(names.into_iter().zip(out).filter(|(_, out)| !out).map(|(value, _)| value).collect())
}
