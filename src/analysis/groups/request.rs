//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::GroupMetric;

/// Options of `data.analyse("groups")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct GroupsRequest {
    /// one column whose values are groups, or two for their pairs; default: the first that can be
    #[tsify(optional)]
    pub columns: Option<Vec<String>>,
    /// name of a method of the last run; default: `none`
    #[tsify(optional)]
    pub method: Option<String>,
    /// what the table of methods shows; default: MCE
    #[tsify(optional)]
    pub metric: Option<GroupMetric>,
    /// into how many groups of equal size a number is cut; default 4
    #[tsify(optional)]
    pub quantiles: Option<usize>,
    /// groups with fewer rows are left empty in `csv`; default 10
    #[tsify(optional)]
    pub least: Option<usize>,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
