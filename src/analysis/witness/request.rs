//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::hypothesis::witness::WitnessForm;

/// Options of `data.analyse("witness")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WitnessRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// covariates in which people are alike, as they stand in the file; default: as for the map
    pub features: Option<FeatureChoice>,
    /// width in the score; default 0.1
    pub width_p: Option<f64>,
    /// inverse squared width in the covariates; default: one over their number (0.5 for the form `concatenated`), or
    /// one over the median squared distance where that would compare nobody or everybody
    pub gamma: Option<f64>,
    /// how nearness in score and covariates are put together
    pub form: WitnessForm,
    /// leave each row out of its own neighbours
    pub leave_one_out: bool,
    /// the two coordinates of the map, by position; the one after the last covariate is the score; default: the first two
    pub axes: Option<[usize; 2]>,
    /// the coordinate across, by name
    pub x: Option<String>,
    /// the coordinate up, by name
    pub y: Option<String>,
    /// the score at which the field behind the rows is drawn; default: whatever the score
    pub at: Option<f64>,
    /// of the figure in CSS pixels
    pub width: Option<f64>,
    /// device pixels per CSS pixel
    pub dpr: Option<f64>,
    /// colours for a dark page
    pub dark: bool,
}
