//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::MultiplesBy;

/// Options of `data.analyse("multiples")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct MultiplesRequest {
    /// `method` (the default), `class` or `group`
    #[tsify(optional)]
    pub by: MultiplesBy,
    /// name of a method of the last run whose classes or groups are shown; default: `none`
    #[tsify(optional)]
    pub method: Option<String>,
    /// one column whose values are groups, or two; default: the first that can be
    #[tsify(optional)]
    pub columns: Option<Vec<String>>,
    /// every diagram, not only the first twelve
    #[tsify(optional)]
    pub all: bool,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
