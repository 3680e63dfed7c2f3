//! What the fits of methods learn.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Chosen, best, stratified};
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::identity::Identity;
use crate::recalibrate::proximity_parameters::flattened;
use crate::recalibrate::recalibrator::OfVectors;
use crate::recalibrate::registry::AnyLearned;
use crate::table::{Column, Warning};

/// What a fit learned; with the calibration rows that it remembers everything that is needed to apply it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibrator {
    /// the fit of one recalibrator
    Single {
        /// what it learned
        fit: AnyLearned,
        /// it looks at the logits of every class, not at the score of the view
        of_logits: bool,
    },
    /// the first, then the second on its scores
    Composed {
        /// first
        base: Box<Calibrator>,
        /// second
        then: Box<Calibrator>,
        /// inner folds, where the second was fitted on scores of rows that the first had not seen
        cross_fit: Option<usize>,
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
    /// one of several, and why it
    Best(Chosen),
}

impl Calibrator {
    /// The original predictions.
    pub const NONE: Self = Self::Single { fit: AnyLearned::Identity(Identity {}), of_logits: false };

    /// The method's id: `first+second` for a composition.
    pub fn id(&self) -> Cow<'static, str> {
        match self {
            Self::Single { fit, .. } => Cow::Borrowed(fit.entry().id),
            Self::Best(_) => Cow::Borrowed(best::ENTRY.id),
            Self::Composed { base, then, .. } => Cow::Owned(format!("{}+{}", base.id(), then.id())),
            Self::ProximityStratified { groups, .. } => {
                let base = groups.first().map(Self::id).unwrap_or_default();
                Cow::Owned(format!("{base}+{}", stratified::ENTRY.id))
            }
        }
    }

    /// The parameters alone, as reports and exports write them.
    pub fn parameters(&self) -> Value {
        match self {
            Self::Single { fit, .. } => fit.parameters(),
            Self::Composed { base, then, cross_fit } => {
                let mut parameters = then.parameters();
                if let Some(fields) = parameters.as_object_mut() {
                    fields.insert("base".to_owned(), base.parameters());
                    fields.extend(cross_fit.map(|folds| ("cross_fit".to_owned(), folds.into())));
                }
                parameters
            }
            Self::ProximityStratified { log_proximity_edges, groups, pooled, proximity } => {
                let mut parameters = flattened(&serde_json::json!({ "proximity": proximity }), &["proximity"]);
                if let Some(fields) = parameters.as_object_mut() {
                    fields.insert("log_proximity_edges".to_owned(), serde_json::json!(log_proximity_edges));
                    fields.insert("groups".to_owned(), groups.iter().map(Self::parameters).collect());
                    if !pooled.is_empty() {
                        fields.insert("pooled".to_owned(), serde_json::json!(pooled));
                    }
                }
                parameters
            }
            Self::Best(best) => {
                let mut scores = serde_json::Map::new();
                for (name, value) in &best.scores {
                    scores.insert(name.clone(), (*value).into());
                }
                serde_json::json!({
                    "chosen": best.chosen,
                    "by": best.by,
                    "scores": scores,
                    "parameters": best.fit.parameters(),
                })
            }
        }
    }

    /// What is applied: itself, or the fit that was chosen.
    pub fn applied(&self) -> &Calibrator {
        match self {
            Self::Best(best) => best.fit.applied(),
            other => other,
        }
    }

    /// What becomes of the probabilities of every class; of two methods by the second, which knows scores alone.
    pub fn of_vectors(&self) -> OfVectors<'_> {
        match self {
            Self::Single { fit, of_logits: true } => fit.of_vectors(),
            Self::Single { fit, of_logits: false } => match fit.of_vectors() {
                OfVectors::Untouched => OfVectors::Untouched,
                _ => OfVectors::Lifted,
            },
            Self::Composed { .. } | Self::ProximityStratified { .. } => OfVectors::Lifted,
            Self::Best(best) => best.fit.of_vectors(),
        }
    }

    /// Turns a row of logits into recalibrated probabilities, in place; false for a method that needs more than these.
    pub fn apply_logits(&self, row: &mut [f64]) -> bool {
        match self.of_vectors() {
            OfVectors::Mapped(map) | OfVectors::Unnormalized(map) => map.apply_logits(row),
            OfVectors::Untouched | OfVectors::Lifted | OfVectors::ByGroup(_) | OfVectors::Tempered => return false,
        }
        true
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
    /// scored rows, ascending, that have a gap in a feature by which the fit compares rows
    pub without_place: Column<u32>,
}
