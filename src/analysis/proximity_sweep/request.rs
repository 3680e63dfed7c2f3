//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::evaluation::features::FeatureChoice;
use crate::proximity::{Form, Metric};

/// Options of `data.analyse("proximity_sweep")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct ProximitySweepRequest {
    /// names of methods of the last run; default: `none` and at most three more
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// coordinates, as for `proximity`
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// numbers of neighbours; default: 18 from 1 to 1,000, as far as there are rows
    #[tsify(optional)]
    pub neighbours: Option<Vec<usize>>,
    /// default: both
    #[tsify(optional, type = "(\"euclidean\" | \"cosine\")[]")]
    pub distances: Option<Vec<Metric>>,
    /// `paper` or `code`
    #[tsify(optional, type = "\"paper\" | \"code\"")]
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    #[tsify(optional)]
    pub row_normalise: Option<bool>,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
