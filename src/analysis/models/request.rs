//! What can be asked.

use serde::{Deserialize, Serialize};


/// Options of `data.analyse("models")`, beside `others`: the data sets of the other models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelsRequest {
    /// what the models are called, that of the last run first; default: by their files
    pub names: Option<Vec<String>>,
    /// metric id across; default: `accuracy`
    pub x: Option<String>,
    /// metric id up; default: `bias_index`, or `ece` where nothing says which rows are near each other
    pub y: Option<String>,
    /// names of methods of the last run; default: all. `none` is always among them
    pub methods: Option<Vec<String>>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
