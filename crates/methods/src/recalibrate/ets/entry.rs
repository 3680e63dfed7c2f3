//! Ensemble temperature scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Ets, weighted_fit};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::temperature::Loss;
use crate::recalibrate::validity::{TEMPERATURES, Validity, one, shares};

/// A mixture of tempered, original and uniform probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnsembleTemperature {}

impl Recalibrator for EnsembleTemperature {
    type Learned = Ets;

    const ENTRY: Entry = Entry {
        id: "ets",
        title: "Ensemble temperature",
        plain: "a mixture of tempered, original and uniform",
        definition: "w₁ softmax(Z / T) + w₂ softmax(Z) + w₃ / m",
        minimises: "squared error, T in [0.05, 5]",
        source: "Zhang, Kailkhura and Han (2020)",
        parameters: &[],
        input: Input::Logits(snippet!("ets", [softmax], [softmax])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::AllRows,
        place: Place::First,
        candidacy: Candidacy { learns: FittedNumbers::Fixed(3), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(3),
        offers: &[Offered { id: "ets", title: "Ensemble temperature", usual: false, rank: 13 }],
        read_out: &[("temperature", "T = ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| EnsembleTemperature {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 2e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Ets>> {
        on.fit_logits(|z, y, w| weighted_fit(&z.select(on.rows), y, w, Loss::Mse))
    }
}

impl Learned for Ets {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, _m: usize) -> Validity {
        one("temperature", self.temperature, &TEMPERATURES)?;
        shares("weights", &self.weights)
    }
}

impl LogitMap for Ets {
    fn apply_logits(&self, row: &mut [f64]) {
        self.apply_row(row);
    }
}
