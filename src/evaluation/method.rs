//! Recalibration methods as they are asked for, and what their fits learn.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::features::FeatureChoice;
use crate::data::{Column, Warning};
use crate::kernel::Kernel;
use crate::metric::binning::BinOptions;
use crate::recalibrate::affine::Affine;
use crate::recalibrate::bbq::{Bbq, BbqOptions};
use crate::recalibrate::beta::Beta;
use crate::recalibrate::ets::Ets;
use crate::recalibrate::histogram::Histogram;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::platt::{Platt, PlattOptions};
use crate::recalibrate::pts::Pts;
use crate::recalibrate::temperature::Temperature;
use crate::recalibrate::venn_abers::VennAbers;

pub mod best;
mod by_cell;
mod by_group;
mod fit;
mod local_bias;
mod neighbours;
pub mod vector;

pub use best::{Choice, Chosen};
pub use by_cell::{ByCell, CellSettings};
pub use by_group::ByGroup;
pub use fit::fit;
pub use neighbours::{NEIGHBOURS, ptsk_scores, to_unit_length};

/// A method id with its settings, as asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
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
        #[tsify(optional)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[tsify(optional, type = "Record<string, unknown>")]
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
    (
        "lore",
        "the outcome rate among similar rows of the same bin",
    ),
    ("beta", "a logistic curve with two slopes"),
    (
        "venn_abers",
        "isotonic, with each outcome tried for the new row",
    ),
    ("bbq", "a weighted mean of many binnings"),
    ("ets", "a mixture of tempered, original and uniform"),
    ("pts", "a temperature for each row"),
    (
        "ptsk",
        "a temperature for each row, by its logits and its neighbours",
    ),
    ("mir", "one increasing curve for all classes"),
    (
        "mmce_temperature",
        "the temperature with the least kernel error",
    ),
    ("vector", "a slope and an intercept per class"),
    ("matrix", "an affine map of the logits"),
    ("dirichlet", "an affine map of the log-probabilities"),
    (
        "group_temperature",
        "one factor on all logits for each group",
    ),
    (
        "multicalibration",
        "shifts until every bin of every group is right",
    ),
    (
        "proportional_multicalibration",
        "the same, gaps in proportion to the outcome rate",
    ),
    ("lcb", "the score plus the mean error among alike people"),
    (
        "group_histogram",
        "the outcome rate of each bin within each group",
    ),
    (
        "best",
        "the one that does best on calibration rows held back",
    ),
];

impl MethodKind {
    /// The id in reports and requests.
    pub fn id(&self) -> &'static str {
        match self {
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
            MethodKind::Multicalibration(settings) if settings.options.rho.is_some() => {
                "proportional_multicalibration"
            }
            MethodKind::Multicalibration(_) => "multicalibration",
            MethodKind::GroupTemperature { .. } => "group_temperature",
            MethodKind::GroupHistogram { .. } => "group_histogram",
            MethodKind::Best(_) => "best",
        }
    }
}

/// What a fit learned; everything that is needed to apply it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibrator {
    /// softmax(Z / T), or σ(logit p / T)
    Temperature(Temperature),
    /// σ(a · logit s + b)
    Platt(Platt),
    /// σ(a ln s − b ln(1 − s) + c)
    Beta(Beta),
    /// linear interpolation through (x, y), constant outside
    Isotonic(Isotonic),
    /// p₁ / (1 − p₀ + p₁)
    VennAbers(VennAbers),
    /// the value of the score's bin; an empty bin keeps the score
    Histogram(Histogram),
    /// weighted mean of the values of the score's bins
    Bbq(Bbq),
    /// w₁ softmax(Z / T) + w₂ softmax(Z) + w₃ / m
    Ets(Ets),
    /// softmax(Z / |h|), h a network of the largest logits
    Pts(Pts),
    /// the same, h also of exp(−distance²) to the five nearest calibration rows
    Ptsk {
        /// h
        network: Pts,
        /// coordinates
        features: FeatureChoice,
        /// rows of coordinates are brought to length 1
        unit_length: bool,
    },
    /// the curve at every probability; rows need not sum to 1
    Mir(Isotonic),
    /// softmax(W Z + b), W diagonal
    Vector(Affine),
    /// softmax(W Z + b)
    Matrix(Affine),
    /// softmax(W ln P + b)
    Dirichlet(Affine),
    /// kernel-weighted mean outcome in the score's bin
    Lore {
        /// kernel and bandwidth
        kernel: Kernel,
        /// confidence bins
        bins: BinOptions,
        /// coordinates
        features: FeatureChoice,
    },
    /// clip(s + bias): the bias of alike calibration rows
    Lcb {
        /// how the bias is estimated
        form: BiasForm,
        /// width in the score
        #[serde(skip_serializing_if = "Option::is_none")]
        width_p: Option<f64>,
        /// inverse squared width in the covariates
        gamma: f64,
        /// λ of the form `krr`
        #[serde(skip_serializing_if = "Option::is_none")]
        ridge: Option<f64>,
        /// covariates
        features: FeatureChoice,
        /// weights of the calibration rows, of the form `krr`
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        alpha: Vec<f64>,
    },
    /// shifts of bins of groups, in order
    Multicalibration(ByCell),
    /// a temperature for each group
    GroupTemperature(ByGroup<Temperature>),
    /// a histogram for each group
    GroupHistogram(ByGroup<Histogram>),
    /// the identity
    Identity {},
    /// one of several, and why it
    Best(Chosen),
}

impl Calibrator {
    /// The parameters alone, as reports and exports write them.
    pub fn parameters(&self) -> serde_json::Value {
        if let Calibrator::Best(best) = self {
            let scores: serde_json::Map<String, serde_json::Value> = best
                .scores
                .iter()
                .map(|(name, value)| (name.clone(), (*value).into()))
                .collect();
            return serde_json::json!({
                "chosen": best.chosen,
                "by": best.by,
                "scores": scores,
                "parameters": best.fit.parameters(),
            });
        }
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let named = value.as_object_mut().and_then(|o| o.values_mut().next());
        let mut parameters = named.map(serde_json::Value::take).unwrap_or_default();
        if let (Calibrator::Lore { kernel, .. }, Some(fields)) = (self, parameters.as_object_mut())
        {
            fields.insert("kernel".to_owned(), kernel.name().into());
            fields.extend(
                kernel
                    .gamma()
                    .map(|gamma| ("gamma".to_owned(), gamma.into())),
            );
        }
        parameters
    }

    /// What is applied: itself, or the fit that was chosen.
    pub fn applied(&self) -> &Calibrator {
        match self {
            Calibrator::Best(best) => best.fit.applied(),
            other => other,
        }
    }

    /// The recalibrated scores of a method that looks at the score of the view alone; `None` for the others.
    pub fn apply_scores(&self, s: &[f64]) -> Option<Vec<f64>> {
        Some(match self.applied() {
            Calibrator::Platt(fit) => fit.apply(s),
            Calibrator::Beta(fit) => fit.apply(s),
            Calibrator::Isotonic(curve) => curve.apply(s),
            Calibrator::VennAbers(fit) => fit.apply(s),
            Calibrator::Histogram(fit) => fit.apply(s),
            Calibrator::Bbq(fit) => fit.apply(s),
            Calibrator::Identity {} => s.to_vec(),
            _ => return None,
        })
    }

    /// Whether it turns a vector of logits into probabilities; see [`apply_logits`](Self::apply_logits).
    pub fn takes_logits(&self) -> bool {
        matches!(
            self.applied(),
            Calibrator::Temperature(_)
                | Calibrator::Ets(_)
                | Calibrator::Pts(_)
                | Calibrator::Ptsk { .. }
                | Calibrator::Mir(_)
                | Calibrator::Vector(_)
                | Calibrator::Matrix(_)
                | Calibrator::Dirichlet(_)
        )
    }
}

/// One fold's fit and the scores it gives to the rows of that fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// what was learned
    pub calibrator: Calibrator,
    /// recalibrated score of the view, one per scored row of the fold, ascending rows
    pub score: Column<f64>,
    /// what a person should know about the fit
    pub warnings: Vec<Warning>,
}
