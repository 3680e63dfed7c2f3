//! The smoothing spline as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Spline, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::inner::inner_folds;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, ascending, each, finite, one, together};

/// A smooth curve through the log-odds of the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmoothingSpline {}

impl Recalibrator for SmoothingSpline {
    type Learned = Spline;

    const ENTRY: Entry = Entry {
        id: "spline",
        title: "Smoothing spline",
        plain: "a smooth curve",
        definition: "σ(f(logit s)), f a natural cubic spline of up to 11 knots",
        minimises: "NLL with 20 rows' weight of points on the diagonal + λ |β|²/d, λ by 5-fold cross-validation",
        source: "Lucena (2018)",
        parameters: &[],
        input: Input::Score(snippet!("spline", [], [])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered { id: "spline", title: "Smoothing spline", usual: true, rank: 4 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| SmoothingSpline {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 2e-3 + data.rows.min(4_000) as f64 * 5e-2
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Spline>> {
        let fold = inner_folds(on.data, on.rows, 0);
        on.fit_pairs(|s, t, w| fit(s, t, w, &fold))
    }
}

impl ScoreMap for Spline {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, m: usize) -> Validity {
        let functions = self.knots.len().max(2);
        let distinct = self.knots.windows(2).all(|pair| pair[0] < pair[1]);
        together(self.coefficients.len() == functions && finite(&self.coefficients), m)?;
        together(ascending(&self.knots) && distinct, m)?;
        each("coefficients", &self.coefficients, &COEFFICIENTS)?;
        one("strength", self.strength, &(0.0..=1e15))
    }
}
