//! Beta calibration as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Beta, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, one};

/// A logistic curve in ln s and ln(1 − s).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BetaCalibration {}

impl Recalibrator for BetaCalibration {
    type Learned = Beta;

    const ENTRY: Entry = Entry {
        id: "beta",
        title: "Beta calibration",
        plain: "a logistic curve with two slopes",
        definition: "σ(a ln s − b ln(1 − s) + c), a, b ≥ 0",
        minimises: "NLL",
        source: "Kull, Silva Filho and Flach (2017)",
        parameters: &[],
        input: Input::Score(snippet!("beta", [], [])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(40), learns: FittedNumbers::Fixed(3), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(9),
        offers: &[Offered { id: "beta", title: "Beta calibration", usual: true, rank: 3 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| BetaCalibration {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Beta>> {
        on.fit_pairs(weighted_fit)
    }
}

impl ScoreMap for Beta {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, _m: usize) -> Validity {
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)?;
        one("c", self.c, &COEFFICIENTS)
    }
}
