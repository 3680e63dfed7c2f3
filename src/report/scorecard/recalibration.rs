//! Methods × metrics as the page shows them: values, differences to leaving the predictions alone, verdicts.

use crate::evaluation::method::title;
use crate::num::order::sort_short;
use serde::Serialize;

use super::{name, without_rounding};
use crate::evaluation::method::{PROXIMITY_STRATIFIED, entry};
use crate::metric::entry::{Better, Interval, Metric};
use crate::report::interval::{NONE_WITHIN_FOLDS, difference_parts, is_of_pooling};
use crate::report::reading::{self, Side, side};
use crate::report::{MethodReport, Report};
use crate::words::number::{count, significant};

/// Methods × metrics.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalibrationTable {
    /// metrics, those that decide first
    pub columns: Vec<RecalibrationColumn>,
    /// one row a method
    pub rows: Vec<RecalibrationRow>,
}

/// One metric of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalibrationColumn {
    /// metric id
    pub id: String,
    /// the field's name
    pub name: String,
    /// definition, convention, source
    pub definition: String,
    /// shown before a person asks for all of them
    pub main: bool,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalibrationRow {
    /// requested name
    pub name: String,
    /// display name
    pub title: String,
    /// description in plain words
    pub plain: String,
    /// parameters in plain words
    pub parameters: String,
    /// one cell a metric
    pub cells: Vec<RecalibrationCell>,
    /// whether it helped
    pub verdict: String,
    /// warnings
    pub warnings: Vec<String>,
}

/// One metric of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalibrationCell {
    /// the value as a number, to sort by
    pub number: Option<f64>,
    /// the value
    pub value: String,
    /// difference to leaving the predictions alone, with its interval, in parts; of a maximum its null range
    pub difference: Vec<String>,
    /// `better`, `worse` or empty: only where the interval of the difference leaves out zero
    pub side: String,
}

pub(super) fn recalibration(report: &Report, metrics: &[&Metric]) -> RecalibrationTable {
    // Those that decide between methods come first; accuracy is the same for all.
    let place = |metric: &&Metric| metric.decides.unwrap_or(u8::MAX);
    let mut metrics = metrics.to_vec();
    sort_short(&mut metrics, |a, b| place(a) < place(b));
    let column = |metric: &&Metric| RecalibrationColumn {
        id: metric.id.to_owned(),
        name: name(metric, report),
        definition: metric.words(),
        main: metric.decides.is_some(),
    };
    RecalibrationTable {
        columns: metrics.iter().map(column).collect(),
        rows: report.methods.iter().map(|method| recalibration_row(method, &metrics, report)).collect(),
    }
}

fn recalibration_row(method: &MethodReport, metrics: &[&Metric], report: &Report) -> RecalibrationRow {
    // One population in one table: `none` on the rows of the others, where it is scored on more.
    let common = report.common.as_ref();
    let values = match common.filter(|_| method.id == "none") {
        Some(common) => &common.metrics,
        None => &method.metrics,
    };
    let cells = metrics
        .iter()
        .map(|metric| {
            let value = values.get(metric.id).and_then(|v| v.value);
            let difference = method.differences.get(metric.id);
            let side = match (metric.better, difference.and_then(side)) {
                (Better::Lower, Some(Side::Better)) | (Better::Higher, Some(Side::Worse)) => "better",
                (Better::Lower, Some(Side::Worse)) | (Better::Higher, Some(Side::Better)) => "worse",
                _ => "",
            };
            let parts = difference.and_then(|d| {
                let mut parts = difference_parts(d.value?, d.corrected, d.low.zip(d.high));
                parts.extend(is_of_pooling(d).then(|| NONE_WITHIN_FOLDS.to_owned()));
                Some(parts)
            });
            // a maximum has no interval: what a calibrated model would show says how much of it to believe
            let floor = values.get(metric.id).and_then(|v| {
                let (low, high) = (v.floor_low?, v.floor_high?);
                let range = format!("{} to {}", significant(low), significant(high));
                let is_maximum = metric.is_local() && metric.interval == Interval::Maximum;
                is_maximum.then(|| vec!["95% null range".to_owned(), range])
            });
            RecalibrationCell {
                number: value,
                value: value.map_or_else(|| "–".to_owned(), |value| significant(without_rounding(metric, value))),
                difference: floor.or(parts).unwrap_or_default(),
                side: side.to_owned(),
            }
        })
        .collect();
    RecalibrationRow {
        name: method.name.clone(),
        title: match common {
            Some(common) if method.id == "none" => {
                format!("{} (n = {})", title(&method.name), count(common.rows as u64))
            }
            _ => title(&method.name).into_owned(),
        },
        plain: plain(&method.id).to_owned(),
        parameters: parameters(method),
        cells,
        verdict: if method.id == "none" {
            String::new()
        } else {
            let rows = common.map_or(report.data.evaluation_rows, |common| common.rows);
            reading::verdict(method, rows, report.methods.len() > 2)
        },
        warnings: method.warnings.iter().map(|warning| warning.message.clone()).collect(),
    }
}

/// What a method does, in a few words.
pub fn plain(id: &str) -> String {
    let words = |id: &str| entry(id).map_or("", |entry| entry.plain);
    match id.split_once('+') {
        None => words(id).to_owned(),
        Some(("none", second)) => words(second).to_owned(),
        Some((first, second)) if second == PROXIMITY_STRATIFIED.id => {
            format!("{}, {}", words(first), words(second))
        }
        Some(_) => id.split('+').map(words).collect::<Vec<_>>().join(", then "),
    }
}

/// A few parameters worth reading, averaged over folds; nothing of a method that has none.
pub fn parameters(method: &MethodReport) -> String {
    let of = |key: &str| -> Option<f64> {
        let folds = match &method.parameters {
            serde_json::Value::Array(folds) => folds.as_slice(),
            one => std::slice::from_ref(one),
        };
        let values: Vec<f64> = folds.iter().filter_map(|fold| fold.get(key)?.as_f64()).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let read_out = entry(&method.id).map_or(&[] as &[_], |entry| entry.read_out);
    let told = read_out.iter().map(|(key, before)| Some(format!("{before}{}", significant(of(key)?))));
    let mut told = told.collect::<Option<Vec<String>>>().unwrap_or_default();
    // of a method by group, whose groups
    let first = method.parameters.get(0).unwrap_or(&method.parameters);
    if let Some(column) = first.get("groups").and_then(serde_json::Value::as_str) {
        told.insert(0, format!("groups: {column}"));
    }
    if told.is_empty() { chosen(&method.parameters) } else { told.join(", ") }
}

/// What was chosen, and in how many folds.
fn chosen(parameters: &serde_json::Value) -> String {
    let folds = match parameters {
        serde_json::Value::Array(folds) => folds.as_slice(),
        one => std::slice::from_ref(one),
    };
    let names: Vec<_> = folds.iter().filter_map(|fold| fold.get("chosen")?.as_str()).map(title).collect();
    reading::often(&names, "folds")
}
