//! What is told of an open file.

use serde::{Deserialize, Serialize};

use super::clusters::choice::ClusterSummary;
use super::options::SplitOption;
use super::predictions::View;
use super::statements::{Cohort, DateRange, Event, Statement};
use crate::table::Warning;

/// What was opened, for people and scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// rows kept
    pub rows: usize,
    /// number of classes (2 where only correctness is known)
    pub classes: usize,
    /// class names in class order
    pub labels: Vec<String>,
    /// pair that is looked at
    pub view: View,
    /// label counted as 1
    pub positive: Option<String>,
    /// every column with its role and the reason
    pub columns: Vec<super::roles::ColumnRole>,
    /// rows left out, by number in the file and reason
    pub dropped: Vec<DroppedRow>,
    /// what a person should know
    pub warnings: Vec<Warning>,
    /// whether a person should look at the columns first
    pub unsure: bool,
    /// how rows are divided, in words: "5-fold cross-fitting", "split column `set`: 500 calibrate, 250 are scored"
    pub split: String,
    /// true when the view is a choice (two classes with probabilities)
    pub views: Vec<View>,
    /// score columns or files that are models of the same rows, the open one first; empty where there is but one
    pub models: Vec<String>,
    /// what is missing before anything can be computed, and what supplies it; null where nothing is
    pub missing: Option<String>,
    /// columns that divide the rows: they name both sides, or are dates, of which the earlier half calibrates
    pub divisions: Vec<String>,
    /// ways to divide the rows that can be chosen, one of them as it is
    pub ways: Vec<Way>,
    /// whether the first row of the tables holds names; null where no file is a text table
    pub header: Option<bool>,
    /// whether the last row of a text table, which looks like totals of the others, was left out; absent where none does
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<bool>,
    /// whom the rows are, where only some of the files' are open
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Cohort>,
    /// the outcome that counts as 1, and how often it happened; null unless there are two
    pub event: Option<Event>,
    /// rows that belong together; absent where every row is independent of the others
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterSummary>,
    /// columns of dates, from when to when; the one that says when rows were predicted first
    pub dates: Vec<DateRange>,
    /// all of this in words, part by part
    pub told: Vec<Statement>,
    /// the first rows of the files, five at most, a text for each of `columns`: for eyes alone, never kept or exported
    pub preview: Vec<Vec<String>>,
}

/// A way to divide the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Way {
    /// for people
    pub label: String,
    /// as `open` takes it
    pub split: SplitOption,
    /// whether the rows are divided like this
    pub chosen: bool,
}

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DroppedRow {
    /// 1-based row number in the file
    pub row: usize,
    /// why
    pub reason: String,
}
