//! Methods against each other: values and paired replicates under one division of the rows.

use crate::metric::Reason;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::local::LocalRows;
use super::method::Calibrator;
use super::resample;
use super::scored::Scored;
use crate::data::Predictions;
use crate::data::folds::{LEFT_OUT, Split};
use crate::error::{Error, Result};
use crate::metric::binning::BinOptions;
use crate::metric::entry::{Replicates, Value, ValueOf};
use crate::metric::registry;
use crate::num::order;
use crate::num::weight::RowWeights;
use crate::table::{Column, MISSING, Values};

/// Ids of the metrics that can be compared with intervals: those whose replicates are sums over weighted rows.
pub fn compared() -> impl Iterator<Item = &'static str> {
    registry::all().filter(|metric| metric.replicates.of_sums().is_some()).map(|metric| metric.id)
}

/// Whether the replicates of one of the metrics are sums over every class.
pub fn looks_at_classes(metrics: &[String]) -> bool {
    let mut asked = metrics.iter().filter_map(|id| registry::metric(id));
    asked.any(|metric| matches!(metric.replicates, Replicates::Classes(_)))
}

/// One method under one division: values, and some of their replicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// scored rows
    pub rows: usize,
    /// rows that the fits saw, on average over folds
    pub fitted: usize,
    /// what each fit chose, of a method that chooses
    pub chosen: Vec<String>,
    /// by metric id
    pub values: BTreeMap<String, Value>,
    /// on reweighted rows, by metric id
    pub draws: BTreeMap<String, Column<f64>>,
}

/// What methods are compared by.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonMetrics<'a> {
    /// bins of the metrics
    pub bins: &'a BinOptions,
    /// their ids
    pub metrics: &'a [String],
}

/// Values and replicates `part` of some metrics.
///
/// Replicate r weighs the rows of the *data* by Poisson(1) draws of stream 2r: methods, and divisions of the same rows,
/// see the same weights, so that their differences are paired.
///
/// # Errors
/// Those of [`resample::bootstrap`].
pub fn resampled(
    data: &Predictions,
    split: &Split,
    scored: &Scored,
    ComparisonMetrics { bins, metrics }: ComparisonMetrics,
    seed: u64,
    part: std::ops::Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<Drawn> {
    let asked = |id: &String| metrics.contains(id);
    // Class-wise sums are looked at only where they are asked for: they cost as much as all the rest.
    let vectors = resample::needs_vectors(data) && looks_at_classes(metrics);
    let mut draws = BTreeMap::new();
    if !part.is_empty() {
        let data_of = vectors.then_some(data);
        let all = resample::bootstrap(data_of, scored, bins, data.rows, seed, part, progress)?;
        draws.extend(all.into_iter().filter(|(id, _)| asked(id)));
    }
    let mut values = BTreeMap::new();
    let known = scored.values.iter().filter(|(id, _)| asked(id));
    values.extend(known.map(|(id, value)| (id.clone(), value.clone())));
    let folds = split.folds.max(1);
    let fitted = (0..folds).map(|f| split.calibration_rows(f).len());
    Ok(Drawn {
        rows: scored.rows.len(),
        fitted: fitted.sum::<usize>() / folds,
        chosen: scored.calibrators.iter().filter_map(chosen).collect(),
        values,
        draws,
    })
}

impl Drawn {
    /// Takes in the metrics of neighborhoods that are among `metrics`, from the local error of the scored rows.
    ///
    /// * `w`: sample weights of the scored rows, as in the report of a run
    pub fn take_local(&mut self, rows: &LocalRows, w: RowWeights, metrics: &[String]) {
        let found = rows.summary(self.rows, w);
        for metric in metrics.iter().filter_map(|id| registry::metric(id)) {
            let ValueOf::Neighbourhoods { value, .. } = metric.value else {
                continue;
            };
            let value = match rows.place.is_empty() {
                true => Err(Reason::NoLocalSettings),
                false if w.is_some() && !metric.weights.is_defined() => Err(Reason::NotWithWeights),
                false => value(&found),
            };
            self.values.insert(metric.id.to_owned(), value);
        }
    }
}

fn chosen(calibrator: &Calibrator) -> Option<String> {
    match calibrator {
        Calibrator::Best(best) => Some(best.chosen.clone()),
        _ => None,
    }
}

/// Most values of a column that says which rows belong to which repeat.
const MOST_REPEATS: usize = 100;

/// The values of a column that names repeats (such as the seed of a split), in ascending order.
///
/// # Errors
/// `unknown_column`; `invalid_option` for an array, for one value or more than 100, or a cell without one.
pub fn repeats_of(data: &Predictions, column: &str) -> Result<Vec<String>> {
    Ok(levels(data, column)?.0)
}

/// Values in ascending order, and the place of each row's among them.
fn levels(data: &Predictions, column: &str) -> Result<(Vec<String>, Vec<u32>)> {
    let refused = |what: String| {
        Error::new(
            "invalid_option",
            format!("The column `{column}` {what}."),
            "Choose a column that assigns each row to a repeat, with 2 to 100 values.",
        )
    };
    let found = data.table.columns.iter().find(|known| known.name == column);
    let found = found.ok_or_else(|| {
        Error::new("unknown_column", format!("Unknown column or array `{column}`."), "Check the spelling.")
    })?;
    let empty = |i: usize| {
        let row = data.row_numbers.get(i).copied().unwrap_or(0);
        refused(format!("is empty in row {row}"))
    };
    let (names, places) = match &found.values {
        Values::Numbers(numbers) => {
            if let Some(i) = numbers.iter().position(|v| !v.is_finite()) {
                return Err(empty(i));
            }
            let mut distinct = numbers.to_vec();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let place = |v: &f64| distinct.partition_point(|known| known < v) as u32;
            let places: Vec<u32> = numbers.iter().map(place).collect();
            (distinct.iter().map(f64::to_string).collect(), places)
        }
        Values::Text { codes, levels } => {
            if let Some(i) = codes.iter().position(|&code| code == MISSING) {
                return Err(empty(i));
            }
            let mut names: Vec<String> = levels.iter().map(str::to_owned).collect();
            order::sort(&mut names, &Ord::cmp);
            names.dedup();
            let place = |&code: &u32| names.partition_point(|known| known.as_str() < levels.text(code)) as u32;
            let places: Vec<u32> = codes.iter().map(place).collect();
            (names, places)
        }
        Values::Matrix(_) => return Err(refused("is an array".to_owned())),
    };
    if !(2..=MOST_REPEATS).contains(&names.len()) {
        return Err(refused(format!("has {} values", names.len())));
    }
    Ok((names, places))
}

/// The division of the rows of one repeat, all others left out.
///
/// # Errors
/// Those of [`repeats_of`] and [`Split::new`]; `split_empty` if no row of the repeat is scored.
pub fn split_of_repeat(data: &Predictions, column: &str, repeat: usize, seed: u64) -> Result<Split> {
    let (names, places) = levels(data, column)?;
    let whole = Split::new(data, seed)?;
    let fold = whole.fold.iter().zip(&places);
    let fold = fold.map(|(&fold, &place)| if place as usize == repeat { fold } else { LEFT_OUT });
    let split = Split::plain(whole.folds, fold.collect());
    if split.evaluation_rows().is_empty() || split.all_calibration_rows().is_empty() {
        return Err(Error::new(
            "split_empty",
            format!(
                "Of the rows with `{column}` = {}, {} calibrate and {} are evaluated.",
                names.get(repeat).map_or("", String::as_str),
                split.all_calibration_rows().len(),
                split.evaluation_rows().len()
            ),
            "Every repeat needs rows of both kinds.",
        ));
    }
    Ok(split)
}
