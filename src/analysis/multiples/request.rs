//! What can be asked.

use serde::{Deserialize, Serialize};

use super::MultiplesBy;

/// Options of `data.analyse("multiples")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MultiplesRequest {
    /// `method` (the default), `class` or `group`
    pub by: MultiplesBy,
    /// name of a method of the last run whose classes or groups are shown; default: `none`
    pub method: Option<String>,
    /// one column whose values are groups, or two; default: the first that can be
    pub columns: Option<Vec<String>>,
    /// every diagram, not only the first twelve
    pub all: bool,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
