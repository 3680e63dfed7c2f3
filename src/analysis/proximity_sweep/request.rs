//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::proximity::{Form, Metric};

/// Options of `data.analyse("proximity_sweep")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProximitySweepRequest {
    /// names of methods of the last run; default: `none` and at most three more
    pub methods: Option<Vec<String>>,
    /// coordinates, as for `proximity`
    pub features: Option<FeatureChoice>,
    /// numbers of neighbours; default: 18 from 1 to 1,000, as far as there are rows
    pub neighbours: Option<Vec<usize>>,
    /// default: both
    pub distances: Option<Vec<Metric>>,
    /// `paper` or `code`
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    pub row_normalise: Option<bool>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
