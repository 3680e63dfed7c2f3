//! Quadratic scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Quadratic, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, one};

/// A logistic curve through the log-odds of the score and their square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuadraticScaling {}

impl Recalibrator for QuadraticScaling {
    type Learned = Quadratic;

    const ENTRY: Entry = Entry {
        id: "quadratic",
        title: "Quadratic scaling",
        plain: "a logistic curve with curvature",
        definition: "σ(a + b logit s + c (logit s)²)",
        minimises: "NLL, by Newton's method",
        source: "Berta, Holzmüller, Jordan and Bach (2026)",
        parameters: &[],
        input: Input::Score(snippet!("quadratic", [logit], [logit])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy { learns: FittedNumbers::Fixed(3), ..Candidacy::ON_REQUEST },
        grid: GridPlace::None,
        offers: &[Offered { id: "quadratic", title: "Quadratic scaling", usual: false, rank: 10 }],
        read_out: &[("a", "intercept "), ("b", "slope "), ("c", "curvature ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| QuadraticScaling {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Quadratic>> {
        on.fit_pairs(weighted_fit)
    }
}

impl ScoreMap for Quadratic {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, _m: usize) -> Validity {
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)?;
        one("c", self.c, &COEFFICIENTS)
    }
}
