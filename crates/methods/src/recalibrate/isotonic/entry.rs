//! Isotonic regression as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Interpolation, Isotonic, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{UNIT, Validity, curve, each, rising, together};

/// An increasing step function, interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IsotonicRegression {}

impl Recalibrator for IsotonicRegression {
    type Learned = Isotonic;

    const ENTRY: Entry = Entry {
        id: "isotonic",
        title: "Isotonic regression",
        plain: "an increasing curve",
        definition: "the increasing curve of least squares, linear between its corners, constant outside",
        minimises: "squared error, by pool adjacent violators; rows of the same score are one",
        source: "Zadrozny and Elkan (2002)",
        parameters: &[],
        input: Input::Score(snippet!("isotonic", [], [search, curve])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(90), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(7),
        offers: &[Offered { id: "isotonic", title: "Isotonic regression", usual: true, rank: 4 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| IsotonicRegression {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Isotonic>> {
        on.fit_pairs(|s, t, w| weighted_fit(s, t, w, Interpolation::Linear))
    }
}

impl ScoreMap for Isotonic {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, m: usize) -> Validity {
        together(!self.x.is_empty() && curve(&self.x, &self.y), m)?;
        each("y", &self.y, &UNIT)?;
        rising("y", &self.y)
    }
}
