//! Recalibration methods as they are asked for, and what their fits learn.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::features::FeatureChoice;
use super::proximity::ProximityOptions;
use crate::kernel::Kernel;
use crate::metric::binning::BinOptions;
use crate::recalibrate::bbq::BbqOptions;
use crate::recalibrate::bin_mean_shift::BinMeanShiftOptions;
use crate::recalibrate::density_ratio::DensityRatioOptions;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::platt::PlattOptions;

pub mod best;
mod by_cell;
mod by_group;
mod composed;
mod fit;
mod learned;
mod local_bias;
mod neighbours;
pub mod vector;

pub use best::{Choice, Chosen};
pub use by_cell::{ByCell, CellSettings};
pub use by_group::ByGroup;
pub use composed::{near_of, out_of_fold};
pub use fit::fit;
pub use learned::{Calibrator, Fitted};
pub use neighbours::{NEIGHBOURS, ptsk_scores, to_unit_length};

/// A method id with its settings, as asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a method is an id, or { id, name, parameters } with nothing else in it"
)]
pub enum MethodSpec {
    /// an id with every setting at its default
    Id(String),
    /// an id, a name to report it under, and its settings
    Named {
        /// the method's id
        id: String,
        /// name in reports and exports; default: the id
        #[serde(default)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        parameters: serde_json::Value,
    },
}

/// A recalibration method with checked settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Method {
    /// name in reports and exports
    pub name: String,
    /// what it does
    pub kind: MethodKind,
}

/// The methods, with their settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    /// the predictions as they are
    #[default]
    None,
    /// one temperature for all logits
    Temperature,
    /// the temperature with the least kernel calibration error
    MmceTemperature,
    /// a logistic curve through the log-odds of the score
    Platt {
        /// target smoothing and the rest
        options: PlattOptions,
    },
    /// a logistic curve in ln s and ln(1 − s)
    Beta,
    /// an increasing step function, interpolated
    Isotonic,
    /// isotonic regression with each outcome added in turn
    VennAbers,
    /// the mean outcome of each bin
    Histogram {
        /// the bins
        bins: BinOptions,
    },
    /// a weighted mean of many histogram binnings
    Bbq {
        /// variant and range
        options: BbqOptions,
    },
    /// a mixture of tempered, original and uniform probabilities
    Ets,
    /// a temperature a row, by a network that sees the largest logits
    Pts {
        /// trained as in the published comparison, far from converged
        published: bool,
    },
    /// the same, with the proximities of the nearest rows
    Ptsk {
        /// which rows are near each other
        features: Option<FeatureChoice>,
    },
    /// one isotonic curve for all classes
    Mir,
    /// a weight and an intercept per class
    Vector,
    /// an affine map of the logits
    Matrix,
    /// an affine map of the logarithms of the probabilities
    Dirichlet,
    /// the kernel-weighted mean outcome of near rows in the same bin
    Lore(LoreSettings),
    /// the score plus the mean residual of alike people
    Lcb(LocalBiasSettings),
    /// shifts until every bin of every group is right on average
    Multicalibration(CellSettings),
    /// one temperature for each group
    GroupTemperature {
        /// column that says the group
        groups: Option<String>,
        /// groups with fewer calibration rows use the fit to all; default 30
        min_group: Option<usize>,
    },
    /// the mean outcome of each bin within each group
    GroupHistogram {
        /// column that says the group
        groups: Option<String>,
        /// groups with fewer calibration rows use the fit to all; default 1
        min_group: Option<usize>,
        /// the bins
        bins: BinOptions,
    },
    /// the one of several that does best on calibration rows held back
    Best(Choice),
    /// one method, then another on its scores
    Composed {
        /// first
        base: Box<MethodKind>,
        /// fitted on the scores that the first gives to the rows it was fitted on
        then: Box<MethodKind>,
        /// or, of these inner folds, to rows that it was not fitted on
        inner: Option<InnerFolds>,
    },
    /// second only: how much more often score and proximity are seen among right rows
    DensityRatio {
        /// which rows are near each other
        proximity: Option<ProximityOptions>,
        /// bandwidth and floor
        options: DensityRatioOptions,
    },
    /// second only: the gap of rows of like score and proximity, or a share of it
    BinMeanShift {
        /// which rows are near each other
        proximity: Option<ProximityOptions>,
        /// λ and cells
        options: BinMeanShiftOptions,
    },
    /// a method fitted anew in each group of rows of like proximity
    ProximityStratified {
        /// the method
        base: Box<MethodKind>,
        /// which rows are near each other
        proximity: Option<ProximityOptions>,
        /// how many groups
        groups: usize,
    },
}

/// Seeded, stratified folds of calibration rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerFolds {
    /// how many
    pub folds: usize,
    /// seed
    pub seed: u64,
}

/// Settings of LoRe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoreSettings {
    /// which rows are near each other
    pub features: Option<FeatureChoice>,
    /// how near
    pub kernel: Kernel,
    /// confidence bins
    pub bins: BinOptions,
}

/// Settings of the correction by the witness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalBiasSettings {
    /// covariates in which people are alike
    pub features: Option<FeatureChoice>,
    /// how the bias is estimated
    pub form: BiasForm,
    /// width in the score, of the form `product`
    pub width_p: f64,
    /// inverse squared width in the covariates; default by the covariates
    pub gamma: Option<f64>,
    /// λ of the form `krr`
    pub ridge: f64,
}

/// Every method: id, and what it does in a few words.
pub const METHODS: &[(&str, &str)] = &[
    ("none", "as they are"),
    ("temperature", "one factor on all logits"),
    ("platt", "a logistic curve"),
    ("isotonic", "an increasing curve"),
    ("histogram", "the outcome rate of each bin"),
    ("lore", "the outcome rate among similar rows of the same bin"),
    ("beta", "a logistic curve with two slopes"),
    ("venn_abers", "isotonic, with each outcome tried for the new row"),
    ("bbq", "a weighted mean of many binnings"),
    ("ets", "a mixture of tempered, original and uniform"),
    ("pts", "a temperature for each row"),
    ("ptsk", "a temperature for each row, by its logits and its neighbours"),
    ("mir", "one increasing curve for all classes"),
    ("mmce_temperature", "the temperature with the least kernel error"),
    ("vector", "a slope and an intercept per class"),
    ("matrix", "an affine map of the logits"),
    ("dirichlet", "an affine map of the log-probabilities"),
    ("group_temperature", "one factor on all logits for each group"),
    ("multicalibration", "shifts until every bin of every group is right"),
    ("proportional_multicalibration", "the same, gaps in proportion to the outcome rate"),
    ("lcb", "the score plus the mean error among alike people"),
    ("group_histogram", "the outcome rate of each bin within each group"),
    ("best", "the one that does best on calibration rows held back"),
];

/// Methods that come after another, `base+id`: id, and what they do in a few words.
pub const AFTER_BASE: &[(&str, &str)] = &[
    ("density_ratio", "the share of right rows among those of like score and distance from the others"),
    ("bin_mean_shift", "half of the gap of rows of like score and distance from the others"),
    ("proximity_stratified", "fitted anew in each of five groups by distance from the others"),
];

impl MethodKind {
    /// The id in reports and requests: `first+second` for a composition.
    pub fn id(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            MethodKind::Composed { base, then, .. } => {
                return Cow::Owned(format!("{}+{}", base.id(), then.id()));
            }
            MethodKind::ProximityStratified { base, .. } => {
                return Cow::Owned(format!("{}+proximity_stratified", base.id()));
            }
            MethodKind::DensityRatio { .. } => "density_ratio",
            MethodKind::BinMeanShift { .. } => "bin_mean_shift",
            MethodKind::None => "none",
            MethodKind::Temperature => "temperature",
            MethodKind::MmceTemperature => "mmce_temperature",
            MethodKind::Platt { .. } => "platt",
            MethodKind::Beta => "beta",
            MethodKind::Isotonic => "isotonic",
            MethodKind::VennAbers => "venn_abers",
            MethodKind::Histogram { .. } => "histogram",
            MethodKind::Bbq { .. } => "bbq",
            MethodKind::Ets => "ets",
            MethodKind::Pts { .. } => "pts",
            MethodKind::Ptsk { .. } => "ptsk",
            MethodKind::Mir => "mir",
            MethodKind::Vector => "vector",
            MethodKind::Matrix => "matrix",
            MethodKind::Dirichlet => "dirichlet",
            MethodKind::Lore(_) => "lore",
            MethodKind::Lcb(_) => "lcb",
            MethodKind::Multicalibration(settings) if settings.options.rho.is_some() => "proportional_multicalibration",
            MethodKind::Multicalibration(_) => "multicalibration",
            MethodKind::GroupTemperature { .. } => "group_temperature",
            MethodKind::GroupHistogram { .. } => "group_histogram",
            MethodKind::Best(_) => "best",
        })
    }

    /// The method, or the second of two, if its fit does not take sample weights.
    pub fn counts_rows(&self) -> Option<&MethodKind> {
        match self {
            MethodKind::Composed { then, .. } => then.counts_rows(),
            MethodKind::MmceTemperature
            | MethodKind::VennAbers
            | MethodKind::Bbq { .. }
            | MethodKind::Pts { .. }
            | MethodKind::Ptsk { .. }
            | MethodKind::Lore(_)
            | MethodKind::Lcb(_)
            | MethodKind::Multicalibration(_)
            | MethodKind::DensityRatio { .. }
            | MethodKind::BinMeanShift { .. } => Some(self),
            _ => None,
        }
    }

    /// The proximity that the method looks at: `None` where it looks at none, `Some(None)` where it is not known which.
    pub fn proximity(&self) -> Option<Option<&ProximityOptions>> {
        match self {
            MethodKind::DensityRatio { proximity, .. }
            | MethodKind::BinMeanShift { proximity, .. }
            | MethodKind::ProximityStratified { proximity, .. } => Some(proximity.as_ref()),
            MethodKind::Composed { base, then, .. } => then.proximity().or_else(|| base.proximity()),
            _ => None,
        }
    }
}
