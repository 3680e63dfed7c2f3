//! What can be asked.

use serde::{Deserialize, Serialize};

use super::GroupMetric;

/// Options of `data.analyse("groups")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GroupsRequest {
    /// one column whose values are groups, or two for their pairs; default: the first that can be
    pub columns: Option<Vec<String>>,
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// what the table of methods shows; default: MCE
    pub metric: Option<GroupMetric>,
    /// into how many groups of equal size a number is cut; default 4
    pub quantiles: Option<usize>,
    /// groups with fewer rows are left empty in `csv`; default 10
    pub least: Option<usize>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
