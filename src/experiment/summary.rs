//! Mean and spread of every method, and which is the best of its column as far as anybody can tell.

use serde::{Deserialize, Serialize};

use super::comparisons::{Against, Comparison, DifferenceVerdict, Over, Pairs};
use super::outline::{Column, Outline, Settings};
use crate::num::moments::mean_and_sd;
use crate::words::number::count;

/// One method's values of one metric, over the divisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MethodSummary"))]
pub struct Summary {
    /// name of the data set, where there are several
    pub data: Option<String>,
    /// name of the method
    pub method: String,
    /// space that defines similarity for the metric
    pub space: Option<String>,
    /// values of the settings that were varied, as far as they bear on it
    pub at: Settings,
    /// metric id
    pub metric: String,
    /// mean over the divisions that have a value; null without any
    pub mean: Option<f64>,
    /// standard deviation over them, n − 1; null with one
    pub sd: Option<f64>,
    /// divisions that have a value
    pub n: usize,
    /// whether the mean is the best of all methods that have as many values as any: lowest, highest or nearest to the ideal
    /// (by the mean distance), as the metric goes; of exact ties each
    pub best: bool,
    /// whether it is not the best and not significantly different from it: the interval of the paired difference holds zero
    pub tied: bool,
    /// why values are missing
    pub reason: Option<String>,
}

/// A column with what its pairs say.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedColumn<'a> {
    /// the values
    pub column: &'a Column,
    /// one a series
    pub summary: Vec<Summary>,
    /// every pair of methods
    pub pairs: Pairs<'a>,
    /// against the scores as they came, then against the best
    pub comparisons: Vec<Comparison>,
    /// place of the best
    pub best: Option<usize>,
}

impl ComparedColumn<'_> {
    /// A series against the best.
    pub fn to_best(&self, place: usize) -> Option<&Comparison> {
        self.of(place, Against::Best)
    }

    /// A series against the scores as they came.
    pub fn to_none(&self, place: usize) -> Option<&Comparison> {
        self.of(place, Against::None)
    }

    fn of(&self, place: usize, against: Against) -> Option<&Comparison> {
        let variant = &self.column.series.get(place)?.variant;
        self.comparisons
            .iter()
            .find(|one| one.against == against && one.method == variant.method && one.at == variant.at)
    }
}

/// What every column says. O(columns · methods² · divisions).
pub fn compared(outline: &Outline) -> Vec<ComparedColumn<'_>> {
    outline.columns.iter().map(compare).collect()
}

fn compare(column: &Column) -> ComparedColumn<'_> {
    let best = column.best();
    let pairs = Pairs::of(column, Over::Divisions);
    let comparisons = pairs.all(best);
    let mut compared = ComparedColumn { column, summary: Vec::new(), pairs, comparisons, best };
    compared.summary = (0..column.series.len()).filter_map(|place| summary(&compared, place)).collect();
    compared
}

fn summary(compared: &ComparedColumn, place: usize) -> Option<Summary> {
    let column = compared.column;
    let series = column.series.get(place)?;
    let known: Vec<f64> = series.known().collect();
    let n = known.len();
    let (mean, sd) = mean_and_sd(&known);
    // values that are all the same have no spread, whatever rounding says of their mean
    let same = known.iter().all(|v| Some(v) == known.first());
    let finite = |v: f64| Some(v).filter(|v| v.is_finite());
    let missing = column.divisions.len() - n;
    let reason = series.reason.as_ref().filter(|_| missing > 0).map(|reason| match n {
        0 => reason.clone(),
        _ => {
            format!("missing in {} of {} splits: {reason}", count(missing as u64), count(column.divisions.len() as u64))
        }
    });
    // of several that are equal, none is better than the others
    let best = compared.best.is_some_and(|best| column.is_as_good(place, best));
    let to_best = compared.to_best(place).and_then(|one| one.verdict);
    Some(Summary {
        data: column.data.clone(),
        method: series.variant.method.clone(),
        space: column.space.clone(),
        at: series.at.clone(),
        metric: column.measure.id.to_owned(),
        mean: if same { known.first().copied() } else { finite(mean) },
        sd: finite(if same { 0.0 } else { sd }).filter(|_| n > 1),
        n,
        best,
        tied: !best && to_best == Some(DifferenceVerdict::NotSignificant),
        reason,
    })
}
