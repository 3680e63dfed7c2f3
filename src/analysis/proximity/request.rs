//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::proximity::{Form, Metric};

/// Options of `data.analyse("proximity")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProximityRequest {
    /// names of methods of the last run; default: all that have scores
    pub methods: Option<Vec<String>>,
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    pub features: Option<FeatureChoice>,
    /// K, nearest rows that count; default: as in the run, else 10
    pub neighbours: Option<usize>,
    /// `euclidean` or `cosine`
    pub distance: Option<Metric>,
    /// `paper` or `code`
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    pub row_normalise: Option<bool>,
    /// a column whose values are shown apart
    pub group: Option<String>,
    /// each row stands in one pair at most
    pub without_replacement: bool,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
