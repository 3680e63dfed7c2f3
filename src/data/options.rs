//! What a person or a script can say when opening files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::predictions::View;
use super::roles::{Reading, Role};
use crate::table::Warning;

/// Options of `localcal.open`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// pair to look at; default: positive for one P(y = 1) column and two labels, else top-label
    pub view: Option<View>,
    /// role by column or array name, or by `file:name`
    pub roles: BTreeMap<String, Role>,
    /// how values are read, by column or array name, or by `file:name`
    pub readings: BTreeMap<String, Reading>,
    /// which of several models of the same rows is open, by one of the names in `summary.models`; default: the first
    pub model: Option<String>,
    /// the label counted as 1
    pub positive: Option<String>,
    /// how rows are divided
    pub split: SplitOption,
    /// what happens to rows with a missing or unusable value
    pub rows: RowPolicy,
    /// divide each row of probabilities by its sum (never done unasked)
    pub renormalise: bool,
}

/// What happens to rows with a missing or unusable value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RowPolicy {
    /// the first such row is an error
    #[default]
    Error,
    /// they are left out and counted
    Drop,
}

/// How rows are divided into calibration and evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "split is \"auto\", { folds: 5 }, { half: true }, { column, calibration }, { first: n } or { files: true }"
)]
pub enum SplitOption {
    /// `"auto"`: a split column, else a second file of other rows, else five folds
    Auto(Auto),
    /// `{ folds: 5 }`
    Folds {
        /// number of folds, at least 2
        folds: usize,
    },
    /// `{ half: true }`
    Half {
        /// must be true
        half: bool,
    },
    /// `{ column: "split", calibration: ["calibration"] }`
    Column {
        /// name of the column
        column: String,
        /// values whose rows calibrate; default: the known names
        #[serde(default)]
        calibration: Vec<String>,
    },
    /// `{ first: n }`: rows 1..n calibrate
    First {
        /// number of calibration rows
        first: usize,
    },
    /// `{ files: true }`: the first of two files calibrates, the second is scored, also where both look like two
    /// models of the same rows
    Files {
        /// must be true
        files: bool,
    },
}

/// The word `"auto"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Auto {
    /// let the file decide
    Auto,
}

impl Default for SplitOption {
    fn default() -> Self {
        SplitOption::Auto(Auto::Auto)
    }
}

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
