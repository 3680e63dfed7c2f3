//! Temperature scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Temperature, TemperatureOptions, weighted_fit, weighted_fit_binary};
use crate::data::Predictions;
use crate::data::pair::{VectorLogits, classes, log_odds};
use crate::error::Result;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{TEMPERATURES, Validity, one};

/// One temperature for all logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemperatureScaling {}

impl Recalibrator for TemperatureScaling {
    type Learned = Temperature;

    const ENTRY: Entry = Entry {
        id: "temperature",
        title: "Temperature scaling",
        plain: "one factor on all logits",
        definition: "softmax(Z / T), or σ(logit s / T)",
        minimises: "NLL, by Newton's method in 1/T, T in [0.01, 100]",
        source: "Guo et al. (2017)",
        parameters: &[],
        input: Input::Either {
            logits: snippet!("of_logits", [softmax], [softmax]),
            score: snippet!("of_score", [logit], [logit]),
        },
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(20), learns: FittedNumbers::Fixed(1), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(2),
        offers: &[Offered { id: "temperature", title: "Temperature scaling", usual: true, rank: 1 }],
        read_out: &[("temperature", "T = ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| TemperatureScaling {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 2e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Temperature>> {
        let options = TemperatureOptions::default();
        let fit_pairs = |s: &[f64], t: &[u8], w: Option<&[f64]>| weighted_fit_binary(&log_odds(s), t, w, &options);
        match on.logits() {
            None => on.fit_pairs(fit_pairs),
            // Two classes: the same problem on one number a row.
            Some(VectorLogits::LogOdds(z)) => {
                let z: Vec<f64> = on.rows.iter().map(|&row| z[row as usize]).collect();
                let t: Vec<u8> = on.classes()?.iter().map(|&y| u8::from(y == 1)).collect();
                weighted_fit_binary(&z, &t, on.weights().as_deref(), &options).map(FitOutcome::from)
            }
            Some(z) => weighted_fit(&z.select(on.rows), &on.classes()?, on.weights().as_deref(), &options)
                .map(FitOutcome::from),
        }
    }
}

impl Learned for Temperature {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        match to.logits() {
            Some(_) => to.by_logit_map(self),
            None => to.mapped(|s| self.apply_binary(&log_odds(s))),
        }
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, _m: usize) -> Validity {
        one("temperature", self.temperature, &TEMPERATURES)
    }
}

impl LogitMap for Temperature {
    fn apply_logits(&self, row: &mut [f64]) {
        self.apply_row(row);
    }
}
