//! What can be asked.

use serde::{Deserialize, Serialize};


/// Options of `data.analyse("correlation")`, beside `others`: data sets of which each is one repeat.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CorrelationRequest {
    /// names of methods of the last run; default: all. `none` is always among them
    pub methods: Option<Vec<String>>,
    /// metric ids; default: `ece`, `mce`, `nll`, `brier`, and with local settings of the run `mlce` and `mean_lce`
    pub metrics: Option<Vec<String>>,
    /// the metric that they are held against; default: `group_mce_max`
    pub against: Option<String>,
    /// one column whose values are groups, or two; default: those of the run, else the first that can be
    pub groups: Option<Vec<String>>,
    /// how many times the rows are divided, methods fitted and scored; default: 20 times, or as the file says; with `others`
    /// once in each file
    pub repeats: Option<usize>,
    /// a column that says which rows belong to which repeat, as in `compare`
    pub by: Option<String>,
    /// what the files are called where there are `others`, that of the last run first; default: as they are called
    pub names: Option<Vec<String>>,
    /// of the first division; default: the run's
    pub seed: Option<u64>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
