//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::evaluation::features::FeatureChoice;

/// Options of `data.analyse("bias_plot")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct BiasPlotRequest {
    /// name of a method of the last run; default: `none`
    #[tsify(optional)]
    pub method: Option<String>,
    /// the numeric column across; default: the first with the role feature
    #[tsify(optional)]
    pub covariate: Option<String>,
    /// a panel for each value of this column; default: the first with the role group; empty: one panel
    #[tsify(optional)]
    pub by: Option<String>,
    /// a line for each value of this column; default: the next with the role group; empty: one line
    #[tsify(optional)]
    pub colour: Option<String>,
    /// in what people are alike, as it stands in the file; default: covariate (in units of its standard deviation) and groups
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// inverse squared width; default 0.5
    #[tsify(optional)]
    pub gamma: Option<f64>,
    /// of each figure in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
