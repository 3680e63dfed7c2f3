//! What can be asked of a data set, as scripts write it.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::MethodSpec;
use crate::evaluation::proximity::ProximityOptions;
use crate::evaluation::trust::GammaChoice;
use crate::hypothesis::Null;
use crate::kernel::Engine;
use crate::metric::binning::BinOptions;

/// Options of `data.run`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct RunRequest {
    /// rows on which method `none` is scored
    #[tsify(optional)]
    pub evaluate_on: EvaluateOn,
    /// metric ids; default: those of the scorecard
    #[tsify(optional)]
    pub metrics: Option<Vec<String>>,
    /// method ids, or ids with names and settings; default: `none`
    #[tsify(optional)]
    pub methods: Option<Vec<MethodSpec>>,
    /// confidence bins; default: 15 of equal width, left-closed
    #[tsify(optional)]
    pub bins: BinOptions,
    /// settings of the local metrics; without them they are not computed
    #[tsify(optional)]
    pub local: Option<LocalOptions>,
    /// settings of the trust test behind `klce2_normalised`, `klce2_unbiased`, `p_bernoulli` and `p_code`
    #[tsify(optional)]
    pub klce: Option<KlceOptions>,
    /// settings of proximity, for the metrics and methods that need it
    #[tsify(optional)]
    pub proximity: Option<ProximityOptions>,
    /// one column whose values are groups, or two for their pairs, for the metrics of groups; default: the first with
    /// the role group
    #[tsify(optional)]
    pub groups: Option<Vec<String>>,
    /// replicates for intervals and floors; default by the number of rows; 0: none
    #[tsify(optional)]
    pub resamples: Option<usize>,
    /// seed of folds and replicates
    #[tsify(optional)]
    pub seed: u64,
}

/// Rows on which method `none` is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum EvaluateOn {
    /// the rows that the split scores
    #[default]
    Evaluation,
    /// every row
    All,
}

/// Settings of the local metrics.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct LocalOptions {
    /// coordinates that say which rows are near each other, as they stand in the file
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// `laplacian` (default), `gaussian`, `rbf`, `group` or `constant`
    #[tsify(optional)]
    pub kernel: Option<String>,
    /// bandwidth γ; default 0.4
    #[tsify(optional)]
    pub gamma: Option<f64>,
    /// confidence bins; default: those of the run
    #[tsify(optional)]
    pub bins: Option<BinOptions>,
    /// leave each row out of its own neighbourhood
    #[tsify(optional)]
    pub leave_one_out: bool,
    /// replicates for the interval and the floor of local metrics
    #[tsify(optional)]
    pub resamples: usize,
    /// the algorithm of the sums, where another than the cheapest is wanted: `pairs` is the plain reference
    #[tsify(optional)]
    pub engine: Option<Engine>,
}

/// Settings of the trust test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct KlceOptions {
    /// covariates on which rows are alike, any columns; default: those of the local settings
    #[tsify(optional)]
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    #[tsify(optional)]
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²); default 1 / (number of covariates)
    #[tsify(optional)]
    pub gamma: Option<GammaChoice>,
    /// draws of each null; default 1,000
    #[tsify(optional)]
    pub resamples: Option<usize>,
    /// the null of `p_code`; default `permute_centred`
    #[tsify(optional)]
    pub null: Option<Null>,
}
