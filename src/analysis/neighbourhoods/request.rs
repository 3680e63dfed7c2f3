//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::report::view::request::BinChoice;

/// Where to look for the worst neighbourhoods.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NeighbourhoodsRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// coordinates, as for the map
    pub features: Option<FeatureChoice>,
    /// the two coordinates that name a place, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// bandwidth γ, as for the map
    pub gamma: Option<f64>,
    /// with whom rows are compared, as for the map: within their confidence bin (`each`, the default), `all` as one bin, or
    /// the rows of one bin
    pub bin: Option<BinChoice>,
    /// permutations; default: 200, fewer where they would take long
    pub resamples: Option<usize>,
    /// seed of the permutations
    pub seed: u64,
}
