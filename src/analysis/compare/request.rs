//! What can be asked.

use serde::{Deserialize, Serialize};


/// Options of `data.analyse("compare")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CompareRequest {
    /// names of methods of the last run; default: all. `none` is always among them
    pub methods: Option<Vec<String>>,
    /// metric ids; default: `nll`, `brier` and `ece`
    pub metrics: Option<Vec<String>>,
    /// how many times the rows are divided, methods fitted and scored; default: once
    pub repeats: Option<usize>,
    /// a column that says which rows belong to which repeat; default: a column called `seed`, where the file says which
    /// rows calibrate
    pub by: Option<String>,
    /// of the first division and of the replicates; default: the run's
    pub seed: Option<u64>,
    /// replicates behind the intervals; default by the number of rows
    pub resamples: Option<usize>,
    /// `table` (default): methods × metrics; `paper`: every method beside what it builds on, "base → + ours"
    pub layout: CompareLayout,
    /// of the figure in CSS pixels
    pub width: Option<f64>,
}

/// How a comparison is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompareLayout {
    /// one line a method, one column a metric
    #[default]
    Table,
    /// one line a pair: what a method builds on, and what it makes of it
    Paper,
}
