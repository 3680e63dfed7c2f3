//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::evaluation::features::FeatureChoice;
use crate::evaluation::trust::GammaChoice;
use crate::hypothesis::Null;

/// Options of `data.analyse("klce")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct KlceRequest {
    /// names of methods of the last run; default: all that have scores
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// covariates on which rows are alike, any columns; default: those of the run
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    #[tsify(optional)]
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²): a number, `default` (1/d), `median` or `power`
    #[tsify(optional)]
    pub gamma: Option<GammaChoice>,
    /// default: all four
    #[tsify(optional)]
    pub nulls: Option<Vec<Null>>,
    /// draws of each null; default 1,000
    #[tsify(optional)]
    pub resamples: Option<usize>,
    /// seed of the draws
    #[tsify(optional)]
    pub seed: u64,
    /// level of the test; default 0.05
    #[tsify(optional)]
    pub alpha: Option<f64>,
    /// find by simulation what the test would have caught; default: by an approximation alone
    #[tsify(optional)]
    pub simulate: bool,
    /// of the figures in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
