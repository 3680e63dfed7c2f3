//! What is told of an open file.

use serde::Serialize;

use super::clusters::choice::ClusterSummary;
use super::options::SplitOption;
use super::rows::DroppedRow;
use super::statements::{Cohort, DateRange, Event, Statement};
use super::view::View;
use crate::table::Warning;

/// Summary of an opened data set.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// number of rows kept
    pub rows: usize,
    /// number of classes; 2 if only correctness is known
    pub classes: usize,
    /// class names in class order
    pub labels: Vec<String>,
    /// the score and target that are evaluated
    pub view: View,
    /// class that counts as 1; null if there is none
    pub positive: Option<String>,
    /// every column, with its role and the reason for it
    pub columns: Vec<super::roles::ColumnRole>,
    /// excluded rows, the first 1,000 of them: row number in the file and reason
    pub dropped: Vec<DroppedRow>,
    /// warnings
    pub warnings: Vec<Warning>,
    /// true if the column roles should be checked before use
    pub unsure: bool,
    /// how rows are divided into calibration and evaluation: "5-fold cross-fitting", "split column `set`: 500 calibrate,
    /// 250 are scored"
    pub split: String,
    /// views that can be chosen; empty or a single one if there is no choice
    pub views: Vec<View>,
    /// score columns or files that are models of the same rows, the current one first; empty if there is only one
    pub models: Vec<String>,
    /// what is required before anything can be computed, and how to provide it; null if nothing is missing
    pub missing: Option<String>,
    /// columns that can divide the rows: columns that name both parts, or dates, of which the earlier half calibrates
    pub divisions: Vec<String>,
    /// available divisions of the rows, including the current one
    pub ways: Vec<Way>,
    /// whether the first row of the tables contains column names; null if no file is a text table
    pub header: Option<bool>,
    /// whether the last row of a text table, which appears to contain totals, was excluded; absent if there is no such
    /// row
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<bool>,
    /// conditions that define the rows, if only part of the files' rows is open
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Cohort>,
    /// the outcome that counts as 1 and its frequency; null unless there are two outcomes
    pub event: Option<Event>,
    /// clusters of dependent rows; absent if all rows are independent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterSummary>,
    /// columns that explain much of the outcome in addition to the scores or determine it for some rows, and may be
    /// known only after it: nothing is recommended before their role is given or they are ignored
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible_leakage: Vec<String>,
    /// date columns and their ranges; the date of the prediction first
    pub dates: Vec<DateRange>,
    /// this summary in sentences, by topic
    pub told: Vec<Statement>,
    /// first rows of the files, at most five, one text for each of `columns`: for display only, never stored or exported
    pub preview: Vec<Vec<String>>,
}

/// A way to divide the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Way {
    /// display name
    pub label: String,
    /// value of the option `split` of `open`
    pub split: SplitOption,
    /// whether this is the current division
    pub chosen: bool,
}
