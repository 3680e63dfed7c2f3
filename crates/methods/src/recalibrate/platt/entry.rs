//! Platt scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Platt, PlattOptions, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::num::special::PROB_CLIP;
use crate::recalibrate::parameter::{bounded, choice, switch};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, one};
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
        minimises: "NLL of Platt's smoothed targets, by Newton's method",
        source: "Platt (1999); Lin, Lin and Weng (2007)",
        parameters: &[
            switch("smoothing", "true", "targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0"),
            bounded("ridge", real(0.0, 1e100), "0", "λ of ½λa²"),
            switch("non_negative", "false", "a ≥ 0"),
            choice("input", &["logit", "raw_prob"], r#""logit""#, "input multiplied by the slope"),
            bounded("prob_clip", real(PROB_CLIP, 0.499), "2.220446049250313e-16", "clip of s before the logit"),
        ],
        input: Input::Score(snippet!("platt", [logit], [logit])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(30), learns: FittedNumbers::Fixed(2), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(10),
        offers: &[Offered { id: "platt", title: "Platt scaling", usual: true, rank: 2 }],
        read_out: &[("a", "slope "), ("b", "intercept ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        Ok(Self { options: asked.read()? })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Platt>> {
        on.fit_pairs(|s, t, w| weighted_fit(s, t, w, &self.options))
    }
}

impl ScoreMap for Platt {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, _m: usize) -> Validity {
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)
    }
}
