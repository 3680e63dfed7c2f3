//! What can be asked.

use serde::{Deserialize, Serialize};


/// Options of `data.analyse("decide")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DecideRequest {
    /// w, the cost of a wrong answer; default 10
    pub wrong: Option<f64>,
    /// u, the cost of asking a person; default 1
    pub unsure: Option<f64>,
    /// names of methods of the last run; default: all
    pub methods: Option<Vec<String>>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
