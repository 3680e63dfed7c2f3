//! What a run found: the report that scripts read, the row scores that exports write, the words the page shows.

pub mod about;
pub mod calibrator;
pub mod csv;
pub mod disclosure;
pub mod export;
pub mod gap;
pub mod gate;
pub mod interval;
pub mod line_order;
pub mod mapped_rows;
pub mod merged_counts;
pub mod methods_table;
pub mod of_run;
pub mod reading;
pub mod row_names;
pub mod scorecard;
pub mod session;
pub mod sheet;
pub mod small_cells;
pub mod verdict;
pub mod view;

use crate::evaluation::method::title;
use crate::metric::Reason;
use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::subgroup::Condition;
use crate::data::{ClusterIds, PresentClusters, Reading, View};
use crate::evaluation::ends::Clipped;
use crate::evaluation::klce::KlceRows;
use crate::evaluation::method::{Calibrator, Method};
use crate::evaluation::request::{LocalOptions, RunRequest};
use crate::kernel::Engine;
use crate::metric::entry::IntervalKind;
use crate::metric::gap::Gap;
use crate::metric::reliability::ReliabilityBin;
use crate::num::weight::{RowWeights, Sampling, tally};
use crate::packed::page_only;
use crate::table::{Column, Warning};
use scorecard::Presentation;

/// Name and version of the report's form.
pub const SCHEMA: &str = "localcal-report/1";

/// A metric with its interval and null range; undefined values are null, with a reason.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricValue {
    /// the value, by the usual definition
    pub value: Option<f64>,
    /// 2 · value − mean of the replicates, for metrics that noise inflates (ECE and related ones): the interval refers to
    /// it, low ≤ corrected ≤ high; null for others
    pub corrected: Option<f64>,
    /// lower limit of the 95% CI
    pub low: Option<f64>,
    /// upper limit of that interval
    pub high: Option<f64>,
    /// method of the interval; null without an interval
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<IntervalKind>,
    /// mean if calibrated, over outcomes drawn from the predicted probabilities
    pub floor_mean: Option<f64>,
    /// 2.5% quantile of these values (lower end of the 95% null range)
    pub floor_low: Option<f64>,
    /// 97.5% quantile of these values (upper end of the 95% null range)
    pub floor_high: Option<f64>,
    /// number of replicates of a bootstrap interval and of the null range
    pub resamples: usize,
    /// why values are null; of a difference, `0 within folds`: it comes from pooling folds, since the order of the rows of each fold
    /// is that of the original scores
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub reason: Option<Reason>,
    /// number of clipped probabilities and the clipping limit; null unless the metric depends on them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipped: Option<Clipped>,
}

/// Draws sum in single precision: numbers that are no further apart may be the same.
const SAME: f64 = 1e-6;

impl MetricValue {
    /// Whether the value is larger than 39 of 40 of those that a calibrated model would show.
    pub fn above_floor(&self) -> bool {
        matches!((self.value, self.floor_high), (Some(v), Some(high)) if v > high + SAME)
    }

    /// Whether the value lies outside what a calibrated model would show 19 times out of 20.
    pub fn outside_floor(&self) -> bool {
        let below = matches!((self.value, self.floor_low), (Some(v), Some(low)) if v < low - SAME);
        below || self.above_floor()
    }
}

/// What `data.run` resolves to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`]
    pub schema: String,
    /// about the data
    pub data: ReportData,
    /// every setting, defaults filled in
    pub settings: RunRequest,
    /// one entry per method, in the requested order
    pub methods: Vec<MethodReport>,
    /// local error of every scored row of the first method; null without local settings, and where no metric asks for it
    pub local: Option<LocalReport>,
    /// `none` on the rows on which the other methods are scored, if it is scored on more rows (`evaluate_on: "all"`): the
    /// reference of differences, displayed in tables of methods
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common: Option<CommonRows>,
    /// record of what was withheld; null if small counts were not withheld
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<disclosure::Audit>,
}

/// `none` on rows that all methods share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommonRows {
    /// their number
    pub rows: usize,
    /// by metric id
    pub metrics: BTreeMap<String, MetricValue>,
}

/// The data of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportData {
    /// number of rows kept
    pub rows: usize,
    /// number of classes
    pub classes: usize,
    /// the score and target that are evaluated
    pub view: View,
    /// class that counts as 1; null if there is none
    pub positive: Option<String>,
    /// division of the rows into calibration and evaluation, in words
    pub split: String,
    /// number of rows available for fits
    pub calibration_rows: usize,
    /// number of scored rows
    pub evaluation_rows: usize,
    /// column of sample weights; null if all rows have weight 1
    pub weights: Option<String>,
    /// cluster column, whose rows are treated as dependent; absent if all rows are independent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<String>,
    /// model that was scored, if there are several of the same rows; null if there is only one
    pub model: Option<String>,
    /// columns whose values were converted, and how
    pub readings: BTreeMap<String, Reading>,
    /// conditions that all rows meet, if others were excluded
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Condition>,
}

/// One method's results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodReport {
    /// method id
    pub id: String,
    /// requested name
    pub name: String,
    /// fitted parameters: one object, or one per fold
    pub parameters: serde_json::Value,
    /// notes for the user
    pub warnings: Vec<Warning>,
    /// by metric id
    pub metrics: BTreeMap<String, MetricValue>,
    /// this method minus `none` on the same rows, by metric id; intervals are paired
    pub differences: BTreeMap<String, MetricValue>,
}

/// Local error of every scored row, in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalReport {
    /// settings, defaults filled in
    pub settings: LocalOptions,
    /// signed local error; positive: over-confident
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Option<f64>>"))]
    pub slce: Column<f64>,
    /// Σ k; Σ w k with sample weights
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Option<f64>>"))]
    pub mass: Column<f64>,
    /// (Σ k)² / Σ k²; NaN with sample weights
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Option<f64>>"))]
    pub n_eff: Column<f64>,
    /// the algorithm of the sums in the fullest bin
    pub engine: Option<Engine>,
}

/// What stays of a run for charts and exports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOutcome {
    /// for scripts
    pub report: Report,
    /// for the page
    #[serde(with = "page_only")]
    pub presentation: Presentation,
    /// per-row results
    pub rows: Vec<MethodRows>,
    /// `none` on the rows of the others, where it is scored on more
    pub common: Option<MethodRows>,
}

/// One method's scores, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRows {
    /// the method
    pub method: Method,
    /// scored rows, ascending
    pub rows: Column<u32>,
    /// fold of each
    pub fold: Column<u8>,
    /// s′ of each
    pub score: Column<f64>,
    /// t of each
    pub target: Column<u8>,
    /// w of each; empty where every row counts once
    pub weight: Column<f64>,
    /// whether each weight is a number of rows that were counted elsewhere
    #[serde(default)]
    pub counted: bool,
    /// clusters of the rows
    #[serde(default)]
    pub clusters: ClusterIds,
    /// reliability table
    pub bins: Vec<ReliabilityBin>,
    /// what each fold learned
    pub calibrators: Vec<Calibrator>,
    /// signed local error of each scored row; empty where the report holds none
    pub slce: Column<f64>,
    /// scored rows, ascending, that have a gap in a feature by which the method compares rows
    #[serde(default)]
    pub without_place: Column<u32>,
}

impl RunOutcome {
    /// A method as it is put beside others: on the rows that all share.
    pub fn beside_others<'a>(&'a self, rows: &'a MethodRows) -> &'a MethodRows {
        self.common.as_ref().filter(|common| common.method == rows.method).unwrap_or(rows)
    }

    /// Every method on the rows that all share.
    pub fn compared(&self) -> impl Iterator<Item = &MethodRows> {
        self.rows.iter().map(|rows| self.beside_others(rows))
    }

    /// What a bootstrap draws again, in words.
    pub fn resampled_units(&self) -> &'static str {
        self.rows.first().map_or("rows", MethodRows::resampled_units)
    }

    /// Names of the methods, each with what it is called.
    pub fn method_choices(&self) -> Vec<(String, String)> {
        let names = self.rows.iter().map(|rows| rows.method.name.clone());
        names.map(|name| (name.clone(), title(&name).into_owned())).collect()
    }
}

impl<'a> From<&'a MethodRows> for KlceRows<'a> {
    fn from(rows: &'a MethodRows) -> Self {
        Self {
            rows: &rows.rows,
            fold: &rows.fold,
            score: &rows.score,
            target: &rows.target,
            calibrators: &rows.calibrators,
        }
    }
}

impl MethodRows {
    /// What the method is called.
    pub fn title(&self) -> Cow<'_, str> {
        title(&self.method.name)
    }

    /// Some of the rows, at these positions; the table of bins stays that of all rows.
    pub(crate) fn at(&self, positions: &[u32]) -> Self {
        fn picked<T: Copy>(values: &[T], positions: &[u32]) -> Column<T> {
            positions.iter().filter_map(|&i| values.get(i as usize).copied()).collect()
        }
        let rows = picked(&self.rows, positions);
        let nowhere = |row: &u32| self.without_place.binary_search(row).is_ok();
        Self {
            method: self.method.clone(),
            without_place: rows.iter().copied().filter(nowhere).collect(),
            rows,
            fold: picked(&self.fold, positions),
            score: picked(&self.score, positions),
            target: picked(&self.target, positions),
            weight: picked(&self.weight, positions),
            counted: self.counted,
            clusters: self.clusters.at(positions),
            bins: self.bins.clone(),
            calibrators: self.calibrators.clone(),
            slce: picked(&self.slce, positions),
        }
    }

    /// Number of scored rows and of those with the outcome; of counts as many as were counted.
    pub fn tally(&self) -> (usize, usize) {
        tally(&self.target, self.weights().filter(|_| self.counted))
    }

    /// Mean score − observed share of events, with its interval and its test. O(n).
    pub(crate) fn gap(&self) -> Gap {
        let present = self.clusters.present();
        let sampling = Sampling { clusters: present.as_ref().map(PresentClusters::rows), counted: self.counted };
        Gap::of_rows(&self.score, &self.target, self.weights(), sampling)
    }

    /// What a bootstrap draws again, in words: rows, or whole clusters where rows are dependent.
    pub fn resampled_units(&self) -> &'static str {
        if self.clusters.of.is_empty() { "rows" } else { "whole clusters" }
    }

    /// w of every scored row, where rows have weights.
    pub fn weights(&self) -> RowWeights<'_> {
        (!self.weight.is_empty()).then_some(&self.weight)
    }
}
