//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::report::view::request::BinChoice;

/// A region of the map: one of box, polygon and rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RegionRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// coordinates, as for the map
    pub features: Option<FeatureChoice>,
    /// the two coordinates of box and polygon, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// the bin whose rows are shown, as for the map
    pub bin: Option<BinChoice>,
    /// [x0, x1, y0, y1], edges included
    #[serde(rename = "box")]
    pub rectangle: Option<[f64; 4]>,
    /// corners of a closed polygon
    pub polygon: Option<Vec<[f64; 2]>>,
    /// rows of the data, from 0, as `map.rows` names them
    pub rows: Option<Vec<u32>>,
}
