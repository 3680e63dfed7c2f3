//! Questions about for whom a model is wrong.

use serde::{Deserialize, Serialize};

use crate::evaluation::features::FeatureChoice;
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

/// Options of `data.analyse("inference")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InferenceRequest {
    /// names of methods of the last run; default: all
    pub methods: Option<Vec<String>>,
    /// the numeric column whose mean among those with the outcome is wanted; default: the first with the role feature;
    /// empty: none
    pub of: Option<String>,
    /// the column whose groups are compared; default: the first with the role group; empty: none
    pub group: Option<String>,
    /// draws for the intervals; default: as many as in a run
    pub resamples: Option<usize>,
    /// seed of the draws
    pub seed: u64,
    /// of each figure in CSS pixels
    pub width: Option<f64>,
}
