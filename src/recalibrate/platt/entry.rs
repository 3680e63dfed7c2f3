//! Platt scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Platt, PlattOptions, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::num::special::PROB_CLIP;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::sound::{COEFFICIENTS, Sound, one};
use crate::request::bounds::real;

/// A logistic curve through the log-odds of the score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlattScaling {
    /// target smoothing and the rest
    pub options: PlattOptions,
}

impl Recalibrator for PlattScaling {
    type Learned = Platt;

    const ENTRY: Entry = Entry {
        id: "platt",
        title: "Platt scaling",
        plain: "a logistic curve",
        definition: "σ(a · logit s + b)",
        source: "Platt (1999); Lin, Lin and Weng (2007)",
        parameters: &[
            Parameter {
                name: "smoothing",
                words: "targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0",
                default: "true",
            },
            Parameter { name: "ridge", words: "λ of ½λa², 0 or more", default: "0" },
            Parameter { name: "non_negative", words: "a ≥ 0", default: "false" },
            Parameter { name: "input", words: "what the slope multiplies: logit or raw_prob", default: r#""logit""# },
            Parameter {
                name: "prob_clip",
                words: "clip of probabilities before the logit",
                default: "2.220446049250313e-16",
            },
        ],
        bounds: &[("ridge", real(0.0, 1e100)), ("prob_clip", real(PROB_CLIP, 0.499))],
        input: Input::Score(snippet!("platt", [logit], [logit])),
        alone: None,
        needs: Need::Nothing,
        weighted: true,
        place: Place::Anywhere,
        offers: &[Offered { id: "platt", title: "Platt scaling", usual: true, rank: 2 }],
        read_out: &[("a", "slope "), ("b", "intercept ")],
    };

    fn checked(asked: Asked) -> Result<Self> {
        Ok(Self { options: asked.read()? })
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<Platt>> {
        on.fit_pairs(|s, t, w| weighted_fit(s, t, w, &self.options))
    }
}

impl Learned for Platt {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.mapped(|s| self.apply(s))
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, _m: usize) -> Sound {
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)
    }
}
