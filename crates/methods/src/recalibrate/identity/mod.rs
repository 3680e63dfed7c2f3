//! The original predictions.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::Validity;

/// Changes nothing: what every method is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {}

impl Recalibrator for Identity {
    type Learned = Identity;

    const ENTRY: Entry = Entry {
        id: "none",
        title: "Original predictions",
        plain: "original predictions",
        definition: "s",
        minimises: "nothing",
        source: "",
        parameters: &[],
        input: Input::Score(snippet!("none", [], [])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Untouched,
        candidacy: Candidacy { learns: FittedNumbers::Fixed(0), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(1),
        offers: &[],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| Identity {})
    }

    fn cost(&self, _data: &Predictions) -> f64 {
        0.1
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Identity>> {
        on.pairs()?;
        Ok(FitOutcome::new(Identity {}, Vec::new()))
    }
}

impl Learned for Identity {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.mapped(<[f64]>::to_vec)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Untouched
    }

    fn check(&self, _m: usize) -> Validity {
        Ok(())
    }
}
