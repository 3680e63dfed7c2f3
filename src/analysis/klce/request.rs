//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::evaluation::trust::GammaChoice;
use crate::hypothesis::Null;

/// Options of `data.analyse("klce")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KlceRequest {
    /// names of methods of the last run; default: all that have scores
    pub methods: Option<Vec<String>>,
    /// covariates on which rows are alike, any columns; default: those of the run
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²): a number, `default` (1/d), `median` or `power`
    pub gamma: Option<GammaChoice>,
    /// default: all four
    pub nulls: Option<Vec<Null>>,
    /// draws of each null; default 1,000
    pub resamples: Option<usize>,
    /// seed of the draws
    pub seed: u64,
    /// level of the test; default 0.05
    pub alpha: Option<f64>,
    /// find by simulation what the test would have caught; default: by an approximation alone
    pub simulate: bool,
    /// of the figures in CSS pixels
    pub width: Option<f64>,
}
