//! Centered isotonic regression as a recalibrator.

use serde::{Deserialize, Serialize};

use super::weighted_fit;
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;

/// An increasing curve without flat stretches between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CenteredIsotonic {}

impl Recalibrator for CenteredIsotonic {
    type Learned = Isotonic;

    const ENTRY: Entry = Entry {
        id: "centered_isotonic",
        title: "Centered isotonic regression",
        plain: "a strictly increasing curve",
        definition: "isotonic regression with every flat stretch at the mean of its scores, linear between, constant \
                     outside",
        minimises: "squared error, by pool adjacent violators; then flat stretches are centered",
        source: "Oron and Flournoy (2017)",
        parameters: &[],
        input: Input::Score(snippet!("../isotonic/isotonic", [], [search, curve])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered { id: "centered_isotonic", title: "Centered isotonic regression", usual: false, rank: 11 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| CenteredIsotonic {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 4e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Isotonic>> {
        on.fit_pairs(weighted_fit)
    }
}
