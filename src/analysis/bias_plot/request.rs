//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;

/// Options of `data.analyse("bias_plot")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BiasPlotRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// the numeric column across; default: the first with the role feature
    pub covariate: Option<String>,
    /// a panel for each value of this column; default: the first with the role group; empty: one panel
    pub by: Option<String>,
    /// a line for each value of this column; default: the next with the role group; empty: one line
    pub colour: Option<String>,
    /// in what people are alike, as it stands in the file; default: covariate (in units of its standard deviation) and groups
    pub features: Option<FeatureChoice>,
    /// inverse squared width; default 0.5
    pub gamma: Option<f64>,
    /// of each figure in CSS pixels
    pub width: Option<f64>,
}
