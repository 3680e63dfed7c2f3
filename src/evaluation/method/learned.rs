//! What the fits of methods learn.

use serde::{Deserialize, Serialize};

use super::{ByCell, ByGroup, Chosen};
use crate::data::{Column, Warning};
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::proximity::ProximityOptions;
use crate::kernel::Kernel;
use crate::metric::binning::BinOptions;
use crate::recalibrate::affine::Affine;
use crate::recalibrate::bbq::Bbq;
use crate::recalibrate::beta::Beta;
use crate::recalibrate::bin_mean_shift::BinMeanShift;
use crate::recalibrate::density_ratio::DensityRatio;
use crate::recalibrate::ets::Ets;
use crate::recalibrate::histogram::Histogram;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::platt::Platt;
use crate::recalibrate::pts::Pts;
use crate::recalibrate::temperature::Temperature;
use crate::recalibrate::venn_abers::VennAbers;

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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        width_p: Option<f64>,
        /// inverse squared width in the covariates
        gamma: f64,
        /// λ of the form `krr`
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// the first, then the second on its scores
    Composed {
        /// first
        base: Box<Calibrator>,
        /// second
        then: Box<Calibrator>,
        /// inner folds, where the second was fitted on scores of rows that the first had not seen
        cross_fit: Option<usize>,
    },
    /// f₊ / (f₊ + r f₋) at (score, proximity)
    DensityRatio {
        /// bandwidths and r
        densities: DensityRatio,
        /// which rows are near each other
        proximity: ProximityOptions,
    },
    /// score + λ gap of its cell
    BinMeanShift {
        /// cells and gaps
        shift: BinMeanShift,
        /// which rows are near each other
        proximity: ProximityOptions,
    },
    /// the method of the group that the proximity falls in
    ProximityStratified {
        /// inner edges of ln D, closed on the left
        log_proximity_edges: Vec<f64>,
        /// one method a group
        groups: Vec<Calibrator>,
        /// groups that took the fit on all rows
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pooled: Vec<u32>,
        /// which rows are near each other
        proximity: ProximityOptions,
    },
    /// the identity
    Identity {},
    /// one of several, and why it
    Best(Chosen),
}

impl Calibrator {
    /// The parameters alone, as reports and exports write them.
    pub fn parameters(&self) -> serde_json::Value {
        match self {
            Calibrator::Composed { base, then, cross_fit } => {
                let mut parameters = then.parameters();
                if let Some(fields) = parameters.as_object_mut() {
                    fields.insert("base".to_owned(), base.parameters());
                    fields.extend(cross_fit.map(|folds| ("cross_fit".to_owned(), folds.into())));
                }
                return parameters;
            }
            Calibrator::ProximityStratified { groups, .. } => {
                let mut parameters = self.own_parameters();
                if let Some(fields) = parameters.as_object_mut() {
                    let groups = groups.iter().map(Calibrator::parameters).collect();
                    fields.insert("groups".to_owned(), groups);
                }
                return flattened(parameters, &["proximity"]);
            }
            Calibrator::Best(best) => {
                let mut scores = serde_json::Map::new();
                for (name, value) in &best.scores {
                    scores.insert(name.clone(), (*value).into());
                }
                return serde_json::json!({
                    "chosen": best.chosen,
                    "by": best.by,
                    "scores": scores,
                    "parameters": best.fit.parameters(),
                });
            }
            _ => {}
        }
        flattened(self.own_parameters(), &["densities", "options", "shift", "proximity"])
    }

    fn own_parameters(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let named = value.as_object_mut().and_then(|o| o.values_mut().next());
        let mut parameters = named.map(serde_json::Value::take).unwrap_or_default();
        if let (Calibrator::Lore { kernel, .. }, Some(fields)) = (self, parameters.as_object_mut()) {
            fields.insert("kernel".to_owned(), kernel.name().into());
            fields.extend(kernel.gamma().map(|gamma| ("gamma".to_owned(), gamma.into())));
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

/// The fields of some objects within an object, among its own.
fn flattened(mut parameters: serde_json::Value, inner: &[&str]) -> serde_json::Value {
    if let Some(fields) = parameters.as_object_mut() {
        for name in inner {
            if let Some(serde_json::Value::Object(more)) = fields.remove(*name) {
                fields.extend(more);
            }
        }
    }
    parameters
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
