//! What can be asked of a data set, as scripts write it.

use serde::{Deserialize, Serialize};

use crate::evaluation::klce::GammaChoice;
use crate::evaluation::method::{MethodKind, MethodSpec};
use crate::feature::FeatureChoice;
use crate::feature::proximity::ProximityOptions;
use crate::hypothesis::Null;
use crate::kernel::Engine;
use crate::metric::binning::BinOptions;

/// Options of `data.run`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RunRequest {
    /// rows on which the original predictions are evaluated
    pub evaluate_on: EvaluateOn,
    /// metric ids; default: those of the scorecard
    pub metrics: Option<Vec<String>>,
    /// method ids, or ids with names and settings; default: `none`
    pub methods: Option<Vec<MethodSpec>>,
    /// confidence bins; default: 15 of equal width, left-closed
    pub bins: BinOptions,
    /// settings of the local metrics; without them they are not computed
    pub local: Option<LocalOptions>,
    /// settings of the KLCE calibration test, for `klce2_normalised`, `klce2_unbiased`, `p_bernoulli` and `p_code`
    pub klce: Option<KlceOptions>,
    /// settings of proximity, for the metrics and methods that need it
    pub proximity: Option<ProximityOptions>,
    /// one column whose values are groups, or two for their pairs, for the metrics of groups; default: the first with
    /// the role group
    pub groups: Option<Vec<String>>,
    /// resamples for intervals and null ranges; default by the number of rows; 0: none
    pub resamples: Option<usize>,
    /// seed of folds and resamples
    pub seed: u64,
}

impl RunRequest {
    /// Whether a recalibration is requested.
    pub fn recalibrates(&self) -> bool {
        let none = MethodKind::NONE.id();
        self.methods.iter().flatten().any(|spec| match spec {
            MethodSpec::Id(id) | MethodSpec::Named { id, .. } => *id != none,
        })
    }
}

/// Rows on which the original predictions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EvaluateOn {
    /// the evaluation rows of the data split
    #[default]
    Evaluation,
    /// every row
    All,
}

/// Settings of the local metrics.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LocalOptions {
    /// coordinates that define similarity, unscaled
    pub features: Option<FeatureChoice>,
    /// `laplacian` (default), `gaussian`, `rbf`, `group` or `constant`
    pub kernel: Option<String>,
    /// bandwidth γ; default 0.4
    pub gamma: Option<f64>,
    /// confidence bins; default: those of the run
    pub bins: Option<BinOptions>,
    /// which rows can be neighbors: `all` (default), those of the same predicted class (`predicted`), or those with
    /// the same value of a column, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// exclude each row from its own neighborhood
    pub leave_one_out: bool,
    /// resamples for the interval and the null range of local metrics
    pub resamples: usize,
    /// the algorithm of the sums; default: the fastest; `pairs` is the reference
    pub engine: Option<Engine>,
}

/// Settings of the KLCE calibration test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KlceOptions {
    /// covariates that define similarity, any columns; default: those of the local settings
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²); default 1 / (number of covariates)
    pub gamma: Option<GammaChoice>,
    /// draws of each null; default 1,000
    pub resamples: Option<usize>,
    /// null distribution of `p_code`; default: permuted residuals, centered
    pub null: Option<Null>,
}
