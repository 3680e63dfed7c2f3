//! The temperature of least kernel error as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{fit_binary, fit_matrix};
use crate::data::pair::{classes, log_odds};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::temperature::Temperature;

/// The temperature with the least kernel calibration error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MmceTemperature {}

impl Recalibrator for MmceTemperature {
    type Learned = Temperature;

    const ENTRY: Entry = Entry {
        id: "mmce_temperature",
        title: "Temperature by kernel error (MMCE)",
        plain: "the temperature with the least kernel error",
        definition: "softmax(Z / T), or σ(logit s / T)",
        minimises: "MMCE², over 200 temperatures, then refined",
        source: "Kumar, Sarawagi and Jain (2018)",
        parameters: &[],
        input: Input::Either {
            logits: snippet!("../temperature/of_logits", [softmax], [softmax]),
            score: snippet!("../temperature/of_score", [logit], [logit]),
        },
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered {
            id: "mmce_temperature",
            title: "Temperature by kernel error (MMCE)",
            usual: false,
            rank: 15,
        }],
        read_out: &[("temperature", "T = ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| MmceTemperature {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 2e-3
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Temperature>> {
        match on.logits() {
            None => on.fit_pairs(|s, t, _| fit_binary(&log_odds(s), t, on.data.view == View::Positive)),
            Some(z) => fit_matrix(&z.select(on.rows), &on.classes()?).map(FitOutcome::from),
        }
    }
}
