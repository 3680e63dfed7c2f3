//! Files that a person takes away: recalibrated predictions as CSV, the report as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::csv::{guarded, number};
use super::row_names::{Names, cell, row_number};
use super::{MethodRows, Report, RunOutcome};
use crate::data::folds::{CALIBRATES, LEFT_OUT, Split};
use crate::data::{Predictions, Role, View, pair};
use crate::error::{Error, Result};
use crate::evaluation::method::vector::leaving_scores;
use crate::feature::Places;
use crate::num::Rows;
use crate::plot::Figure;
use crate::table::Array;
use crate::table::Column;
use crate::table::column::with_columns_out;
use crate::words::number::count;
use crate::words::text::counted;

/// A file: bytes beside the message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bytes {
    /// all of it
    pub bytes: Column<u8>,
    /// what a person should know of it, in sentences
    pub notes: Vec<String>,
    /// figures that belong beside it, in reading order: those that an article includes
    pub figures: Vec<Figure>,
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), notes: Vec::new(), figures: Vec::new() }
    }
}

/// What is said of a column whose cells are empty where a method has nothing to compare a row with.
pub(super) fn empty_without_place(column: &str, rows: usize, all: usize) -> String {
    format!(
        "`{column}` is empty in {} of {}: a feature is missing there, so the method has no similar rows.",
        count(rows as u64),
        counted(all, "row"),
    )
}

/// The predictions with one recalibrated column per method, as CSV in the order of the file.
///
/// Columns: the id (or `row`), question and attempt of an evaluation log, the text of the row where there is one, `set`, `fold`, `label`, `predicted`, `confidence`, then `confidence_<method>`; in the
/// positive view `p` and `p_<method>` instead. Numbers are written so that they read back to the same bits. A row
/// that no fit scored (it calibrated) has an empty cell, and so has one that lacks a feature by which a method compares rows:
/// the notes count those. Scores are in [0, 1], those of `mir` of rows divided by their sums. Text that a spreadsheet would run as a formula gets an
/// apostrophe in front.
///
/// # Errors
/// `score_missing` if the file holds no scores.
pub fn predictions_csv(data: &Predictions, run: Option<&RunOutcome>, names: Names) -> Result<Bytes> {
    let scores = pair::scores(data)?;
    let score_name = score_name(data.view);
    let prefix = format!("{score_name}_");
    let seed = run.map_or(0, |run| run.report.settings.seed);
    let split = Split::new(data, seed).ok();
    let methods: Vec<&MethodRows> =
        run.iter().flat_map(|run| &run.rows).filter(|rows| rows.method.kind.id() != "none").collect();
    let columns: Vec<Vec<Option<f64>>> = methods.iter().map(|method| by_row(data, method)).collect();

    let classes = ClassColumns::of(data);
    let mut out = String::with_capacity(data.rows * (40 + 20 * methods.len()));
    let mut header: Vec<String> = names.head(data).into_iter().chain(names.text_head(data)).collect();
    let has_text = header.len() > 1;
    header.extend(["set".into(), "fold".into()]);
    header.extend(classes.heads());
    header.push(score_name.into());
    header.extend(methods.iter().map(|method| guarded(&format!("{prefix}{}", method.method.name))));
    out.push_str(&header.join(","));
    out.push('\n');

    for i in 0..data.rows {
        if let Some(name) = names.cell(data, i) {
            out.push_str(&name);
            out.push(',');
        }
        if has_text {
            out.push_str(&names.text_cell(data, i));
            out.push(',');
        }
        let (set, fold) = set_of(split.as_ref(), i);
        out.push_str(set);
        out.push(',');
        if let Some(fold) = fold {
            let _ = write!(out, "{fold}");
        }
        classes.write(&mut out, i);
        out.push(',');
        number(&mut out, scores[i]);
        for column in &columns {
            out.push(',');
            if let Some(value) = column[i] {
                number(&mut out, value);
            }
        }
        out.push('\n');
    }
    let some = methods.iter().filter(|method| !method.without_place.is_empty());
    let note = |method: &&MethodRows| {
        let (column, empty) = (format!("{prefix}{}", method.method.name), method.without_place.len());
        empty_without_place(&column, empty, method.rows.len())
    };
    Ok(Bytes { notes: some.map(note).collect(), ..out.into_bytes().into() })
}

/// The columns of the outcome and of the predicted class, as far as a file has them.
pub(super) struct ClassColumns<'a> {
    data: &'a Predictions,
    labels: Vec<String>,
}

impl<'a> ClassColumns<'a> {
    pub fn of(data: &'a Predictions) -> Self {
        Self { data, labels: data.labels.iter().map(|label| guarded(label)).collect() }
    }

    /// `label`, or `correct` where no label is known; `predicted`.
    pub fn heads(&self) -> impl Iterator<Item = String> {
        let outcome = match (&self.data.y, &self.data.correct) {
            (Some(_), _) => Some("label"),
            (None, correct) => correct.as_ref().map(|_| "correct"),
        };
        let predicted = self.data.predicted.as_ref().map(|_| "predicted");
        outcome.into_iter().chain(predicted).map(str::to_owned)
    }

    /// The cells of a row, each behind a comma.
    pub fn write(&self, out: &mut String, row: usize) {
        let label = |class: u32| self.labels.get(class as usize).map_or("", String::as_str);
        let outcome = match (&self.data.y, &self.data.correct) {
            (Some(y), _) => Some(label(y[row])),
            (None, correct) => correct.as_ref().map(|correct| if correct[row] == 1 { "1" } else { "0" }),
        };
        let predicted = self.data.predicted.as_ref().map(|predicted| label(predicted[row]));
        for cell in outcome.into_iter().chain(predicted) {
            out.push(',');
            out.push_str(cell);
        }
    }
}

/// Which set a row is in, and where all rows are cross-fitted the number of its fold.
fn set_of(split: Option<&Split>, row: usize) -> (&'static str, Option<u8>) {
    let Some(split) = split else { return ("", None) };
    match split.fold[row] {
        fold if split.folds > 1 && fold < CALIBRATES => ("cross-fitted", Some(fold + 1)),
        CALIBRATES => ("calibration", None),
        LEFT_OUT => ("left out", None),
        _ => ("evaluation", None),
    }
}

/// Some rows as a CSV file: their ids, or their numbers in the file; their text where there is one; `label` (or `correct`),
/// `predicted`, the score as `p` or `confidence`, and the columns that define groups.
///
/// * `rows`: each with its score
pub fn rows_csv(data: &Predictions, rows: impl Iterator<Item = (u32, f64)>, names: Names) -> Vec<u8> {
    let classes = ClassColumns::of(data);
    let groups = data.table.columns.iter().zip(&data.roles).filter(|(_, role)| role.role == Role::Group);
    let groups: Vec<_> = groups.map(|(column, _)| column).collect();
    // a list of rows without names is one of their numbers in the file
    let mut heads = vec![names.head(data).unwrap_or_else(|| "row".to_owned())];
    heads.extend(names.text_head(data));
    let has_text = heads.len() > 1;
    heads.extend(classes.heads());
    heads.push(score_name(data.view).to_owned());
    heads.extend(groups.iter().map(|column| guarded(&column.name)));
    let mut out = heads.join(",");
    for (row, score) in rows {
        let row = row as usize;
        out.push('\n');
        out.push_str(&names.cell(data, row).unwrap_or_else(|| row_number(data, row)));
        if has_text {
            out.push(',');
            out.push_str(&names.text_cell(data, row));
        }
        classes.write(&mut out, row);
        out.push(',');
        number(&mut out, score);
        for group in &groups {
            out.push(',');
            out.push_str(&guarded(&cell(&group.values, row).unwrap_or_default()));
        }
    }
    out.push('\n');
    out.into_bytes()
}

/// What the column of scores is called.
pub(super) fn score_name(view: View) -> &'static str {
    match view {
        View::Positive => "p",
        View::TopLabel => "confidence",
    }
}

/// The coordinates of a feature map (or of any column or array) as CSV in the order of the file: the id (or `row`), then
/// one column per coordinate. They can be opened again beside the predictions.
///
/// # Errors
/// `unknown_column`, `not_a_number`.
pub fn coordinates_csv(data: &Predictions, name: &str, names: Names) -> Result<Vec<u8>> {
    let places = Places::new(data, &[name.to_owned()])?;
    let heads: Vec<String> =
        names.head(data).into_iter().chain(places.names.iter().map(|name| guarded(name))).collect();
    let mut out = heads.join(",");
    out.push('\n');
    let mut row = vec![0.0; places.d()];
    for i in 0..data.rows {
        let named = names.cell(data, i);
        out.push_str(named.as_deref().unwrap_or_default());
        places.read(i, &mut row);
        for (place, value) in row.iter().enumerate() {
            if place > 0 || named.is_some() {
                out.push(',');
            }
            number(&mut out, *value);
        }
        out.push('\n');
    }
    Ok(out.into_bytes())
}

fn by_row(data: &Predictions, method: &MethodRows) -> Vec<Option<f64>> {
    let mut column = vec![None; data.rows];
    let fold = |k: usize| method.fold.get(k).copied().unwrap_or(0);
    let scores = leaving_scores(data, &method.calibrators, &method.rows, fold, &method.score);
    for (&row, score) in method.rows.iter().zip(scores) {
        if let Some(cell) = column.get_mut(row as usize) {
            *cell = method.without_place.binary_search(&row).is_err().then_some(score);
        }
    }
    column
}

/// The report as JSON text; columns become arrays, values that are not finite become null.
///
/// # Errors
/// `invalid_option` if the report cannot be written, which no report of a run causes.
pub fn report_json(report: &Report) -> Result<Vec<u8>> {
    let (message, cargo) = with_columns_out(|| serde_json::to_value(report));
    let failed = |error: serde_json::Error| {
        Error::new("invalid_option", format!("The report cannot be written: {error}."), "Run again.")
    };
    let mut value = message.map_err(failed)?;
    if let Some(local) = value.get_mut("local").and_then(serde_json::Value::as_object_mut) {
        for name in ["slce", "mass", "n_eff"] {
            let place = local.get(name).and_then(serde_json::Value::as_u64);
            if let Some(Array::F64(values)) = place.and_then(|place| cargo.get(place as usize)) {
                local.insert(name.to_owned(), values.iter().copied().map(finite_or_null).collect());
            }
        }
    }
    serde_json::to_vec_pretty(&value).map_err(failed)
}

fn finite_or_null(value: f64) -> serde_json::Value {
    serde_json::Number::from_f64(value).map_or(serde_json::Value::Null, serde_json::Value::Number)
}
