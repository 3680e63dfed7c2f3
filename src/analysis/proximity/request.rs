//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::evaluation::features::FeatureChoice;
use crate::proximity::{Form, Metric};

/// Options of `data.analyse("proximity")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct ProximityRequest {
    /// names of methods of the last run; default: all that have scores
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// K, nearest rows that count; default: as in the run, else 10
    #[tsify(optional)]
    pub neighbours: Option<usize>,
    /// `euclidean` or `cosine`
    #[tsify(optional, type = "\"euclidean\" | \"cosine\"")]
    pub distance: Option<Metric>,
    /// `paper` or `code`
    #[tsify(optional, type = "\"paper\" | \"code\"")]
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    #[tsify(optional)]
    pub row_normalise: Option<bool>,
    /// a column whose values are shown apart
    #[tsify(optional)]
    pub group: Option<String>,
    /// each row stands in one pair at most
    #[tsify(optional)]
    pub without_replacement: bool,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
