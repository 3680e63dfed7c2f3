//! Recalibration in the large as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Shift, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, one};

/// The same shift of every log-odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intercept {}

impl Recalibrator for Intercept {
    type Learned = Shift;

    const ENTRY: Entry = Entry {
        id: "intercept",
        title: "Recalibration in the large",
        plain: "the same shift of every log-odds",
        definition: "σ(logit s + b)",
        minimises: "NLL, by Newton's method",
        source: "Cox (1958); Steyerberg (2019), section 15.3",
        parameters: &[],
        input: Input::Score(snippet!("intercept", [logit], [logit])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(10), learns: FittedNumbers::Fixed(1), ..Candidacy::ON_REQUEST },
        grid: GridPlace::None,
        offers: &[Offered { id: "intercept", title: "Recalibration in the large", usual: false, rank: 9 }],
        read_out: &[("b", "shift ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| Intercept {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 2e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Shift>> {
        on.fit_pairs(weighted_fit)
    }
}

impl ScoreMap for Shift {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, _m: usize) -> Validity {
        one("b", self.b, &COEFFICIENTS)
    }
}
