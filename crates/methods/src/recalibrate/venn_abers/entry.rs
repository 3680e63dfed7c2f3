//! Venn–Abers prediction as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{VennAbers, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{UNIT, Validity, curve, each, together};

/// Isotonic regression with each outcome added in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VennAbersPrediction {}

impl Recalibrator for VennAbersPrediction {
    type Learned = VennAbers;

    const ENTRY: Entry = Entry {
        id: "venn_abers",
        title: "Venn–Abers",
        plain: "isotonic regression with each possible outcome of the new row",
        definition: "p₁ / (1 − p₀ + p₁)",
        minimises: "squared error, by pool adjacent violators, with each outcome for the new row",
        source: "Vovk, Petej and Fedorova (2015)",
        parameters: &[],
        input: Input::Score(snippet!("venn_abers", [search], [search])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered { id: "venn_abers", title: "Venn–Abers", usual: false, rank: 11 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| VennAbersPrediction {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<VennAbers>> {
        on.fit_pairs(|s, t, _| fit(s, t))
    }
}

impl ScoreMap for VennAbers {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, m: usize) -> Validity {
        let (lower, upper) = (&self.lower, &self.upper);
        together(curve(&lower.x, &lower.y) && curve(&upper.x, &upper.y), m)?;
        each("lower.y", &lower.y, &UNIT)?;
        each("upper.y", &upper.y, &UNIT)
    }
}
