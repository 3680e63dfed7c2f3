//! What can be asked of a data set, as scripts write it.

use serde::{Deserialize, Serialize};

use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::MethodSpec;
pub use crate::evaluation::projection::{ProjectionRequest, TsneRequest};
pub use crate::evaluation::proximity::ProximityOptions;
use crate::kernel::Engine;
use crate::metric::binning::BinOptions;

mod analysis;
mod beside;
mod trust;

pub use crate::evaluation::trust::GammaChoice;
use crate::hypothesis::Null;

pub use analysis::{
    AnalysisRequest, CompareLayout, CompareRequest, DecideRequest, GammaGrid, GroupsRequest, KlceRequest,
    LibrariesRequest, MultiplesRequest, NeighbourhoodsRequest, ProximityRequest, ProximitySweepRequest, RegionRequest,
    SweepRequest,
};
pub use beside::{CorrelationRequest, ModelsRequest};
pub use trust::{BiasPlotRequest, InferenceRequest, WitnessRequest};

/// Options of `data.run`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RunRequest {
    /// rows on which method `none` is scored
    pub evaluate_on: EvaluateOn,
    /// metric ids; default: those of the scorecard
    pub metrics: Option<Vec<String>>,
    /// method ids, or ids with names and settings; default: `none`
    pub methods: Option<Vec<MethodSpec>>,
    /// confidence bins; default: 15 of equal width, left-closed
    pub bins: BinOptions,
    /// settings of the local metrics; without them they are not computed
    pub local: Option<LocalOptions>,
    /// settings of the trust test behind `klce2_normalised`, `klce2_unbiased`, `p_bernoulli` and `p_code`
    pub klce: Option<KlceOptions>,
    /// settings of proximity, for the metrics and methods that need it
    pub proximity: Option<ProximityOptions>,
    /// one column whose values are groups, or two for their pairs, for the metrics of groups; default: the first with
    /// the role group
    pub groups: Option<Vec<String>>,
    /// replicates for intervals and floors; default by the number of rows; 0: none
    pub resamples: Option<usize>,
    /// seed of folds and replicates
    pub seed: u64,
}

/// Rows on which method `none` is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EvaluateOn {
    /// the rows that the split scores
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
    /// coordinates that say which rows are near each other, as they stand in the file
    pub features: Option<FeatureChoice>,
    /// `laplacian` (default), `gaussian`, `rbf`, `group` or `constant`
    pub kernel: Option<String>,
    /// bandwidth γ; default 0.4
    pub gamma: Option<f64>,
    /// confidence bins; default: those of the run
    pub bins: Option<BinOptions>,
    /// leave each row out of its own neighbourhood
    pub leave_one_out: bool,
    /// replicates for the interval and the floor of local metrics
    pub resamples: usize,
    /// the algorithm of the sums, where another than the cheapest is wanted: `pairs` is the plain reference
    pub engine: Option<Engine>,
}

/// Settings of the trust test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KlceOptions {
    /// covariates on which rows are alike, any columns; default: those of the local settings
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²); default 1 / (number of covariates)
    pub gamma: Option<GammaChoice>,
    /// draws of each null; default 1,000
    pub resamples: Option<usize>,
    /// the null of `p_code`; default `permute_centred`
    pub null: Option<Null>,
}

/// Which chart of the last run to draw. In JavaScript an object whose `chart` is the name of the variant
/// (`ChartMessage`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChartRequest {
    /// the reliability diagram of one method, or of `none` and one method on one axis
    Reliability {
        /// method name to lay over `none`
        #[serde(default)]
        method: Option<String>,
        /// kernel-smoothed instead of isotonic curve
        #[serde(default)]
        smooth: bool,
        /// width in CSS pixels
        #[serde(default)]
        width: Option<f64>,
    },
    /// the map of signed local error
    Map(MapRequest),
    /// the distribution of local error in a bin
    Cdf(MapRequest),
}

impl ChartRequest {
    /// Every chart and what it shows, in the order of the variants.
    pub const KINDS: &[(&str, &str)] = &[
        ("reliability", "the share that happened against the score, with what a calibrated model would show"),
        ("map", "signed local error, row by row, in two coordinates"),
        ("cdf", "the distribution of local error in a bin"),
    ];
}

/// What the map shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRequest {
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    pub features: Option<FeatureChoice>,
    /// the two coordinates that are drawn, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// what the map shows of the plane: left, right, lower and upper edge; default: every row
    pub window: Option<[f64; 4]>,
    /// bandwidth γ
    pub gamma: Option<f64>,
    /// `each` (the default): every row, compared within its confidence bin; `all`: every row, as one bin; or the rows of
    /// one bin: by index, `worst` or `best`
    pub bin: Option<BinChoice>,
    /// confidence bins; default: those of the run's local settings
    pub bins: Option<BinOptions>,
    /// name of a method of the last run whose scores are shown; default: `none`
    pub method: Option<String>,
    /// name of another method of the last run: colours get limits that hold for both, and both distributions
    /// stand on one axis
    pub beside: Option<String>,
    /// width in CSS pixels
    pub width: Option<f64>,
    /// width of the companions in CSS pixels; default: that of the map, 420 at most
    pub companion_width: Option<f64>,
    /// device pixels per CSS pixel
    pub dpr: Option<f64>,
    /// colours for a dark page
    pub dark: bool,
    /// while a slider moves: leave out what can wait (the field behind many points, what could be chance)
    pub draft: bool,
}

impl MapRequest {
    /// What is computed, without how it is drawn.
    pub fn computed(&self) -> MapRequest {
        MapRequest { window: None, width: None, companion_width: None, dpr: None, dark: false, ..self.clone() }
    }
}

/// A confidence bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "bin is an index from 0, \"each\", \"all\", \"worst\" or \"best\"")]
pub enum BinChoice {
    /// by index, from 0
    Index(usize),
    /// `each` (every row, within its bin), `all` (every row, as one bin), `worst` or `best`
    Word(String),
}
