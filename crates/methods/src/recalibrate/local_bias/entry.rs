//! Correction by the witness as a recalibrator.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{BiasForm, MOST_RIDGE_ROWS, bias_at, corrected, ridge_weights};
use crate::data::Predictions;
use crate::error::{Error, Result, phrases};
use crate::feature::FeatureChoice;
use crate::hypothesis::WIDTH_P;
use crate::hypothesis::witness::WitnessKernel;
use crate::kernel::Points;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{FEATURES, bounded, choice};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, each, finite, one, together};
use crate::request::bounds::{WIDTH, WIDTH_OR_NONE, real};
use crate::words::number::count;

/// The score plus the mean residual of similar rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WitnessCorrection {
    /// covariates that define similarity
    pub features: Option<FeatureChoice>,
    /// how the bias is estimated
    pub form: BiasForm,
    /// width in the score, of the form `product`
    pub width_p: f64,
    /// inverse squared width in the covariates; default by the covariates
    pub gamma: Option<f64>,
    /// λ of the form `krr`
    pub ridge: f64,
}

/// clip(s + bias): the bias of similar calibration rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalBias {
    /// how the bias is estimated
    pub form: BiasForm,
    /// width in the score
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width_p: Option<f64>,
    /// inverse squared width in the covariates
    pub gamma: f64,
    /// λ of the form `krr`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
    /// covariates
    pub features: FeatureChoice,
    /// weights of the calibration rows, of the form `krr`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alpha: Vec<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    features: Option<FeatureChoice>,
    form: BiasForm,
    width_p: Option<f64>,
    gamma: Option<f64>,
    ridge: Option<f64>,
}

impl Recalibrator for WitnessCorrection {
    type Learned = LocalBias;

    const ENTRY: Entry = Entry {
        id: "lcb",
        title: "Local bias correction (LCB)",
        plain: "score plus the mean error of similar rows",
        definition: "clip(s + Σ k eᵢ / Σ k), e = t − s of similar calibration rows",
        minimises: "none: a kernel mean, or for `krr` squared error + λ ‖f‖²",
        source: "Vashistha and Farahi (2025)",
        parameters: &[
            FEATURES,
            choice(
                "form",
                &["product", "concatenated", "krr"],
                "\"product\"",
                "kernels of score and covariates multiplied, one kernel of both, or a kernel ridge regression",
            ),
            bounded("width_p", WIDTH, "0.1", "score bandwidth"),
            bounded("gamma", WIDTH_OR_NONE, "", "inverse squared width in the covariates"),
            bounded("ridge", real(1e-9, 1e9), "1", "λ of the form krr"),
        ],
        input: Input::Score(snippet!("lcb", [projected], [projected])),
        alone: None,
        needs: MethodRequirement::Features,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Second(4),
        offers: &[Offered { id: "lcb", title: "Local bias correction (LCB)", usual: false, rank: 25 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let run = asked.run.features.clone();
        let given: RawSettings = asked.read()?;
        let (width_p, ridge) = (given.width_p.unwrap_or(WIDTH_P), given.ridge.unwrap_or(1.0));
        WitnessKernel { form: given.form.kernel_form(), width_p, gamma: given.gamma.unwrap_or(1.0) }.check()?;
        if !(ridge > 0.0 && ridge.is_finite()) {
            return Err(invalid(
                format!("ridge is {ridge}; λ of a kernel ridge regression must be positive."),
                "The published comparison uses 1.",
            ));
        }
        Ok(Self { features: given.features.or(run), form: given.form, width_p, gamma: given.gamma, ridge })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: self.features.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let n = data.rows as f64;
        n * n * 2e-6
    }

    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<LocalBias>> {
        let choice = self.features.clone().ok_or_else(|| {
            Error::new(
                "features_missing",
                "The local bias correction needs feature columns, which define similarity.",
                phrases::FEATURES_OF_METHOD,
            )
        })?;
        let (all, placed) = on.features(&choice)?;
        let (s, t) = on.of(&placed).pairs()?;
        let memory = Memory::of_places(&all, &placed.rows).with_outcomes(s, t);
        let (form, width) = (self.form.kernel_form(), (self.width_p, self.gamma));
        let there = Points::row_major(memory.d, &memory.x)?;
        let (kernel, note) = WitnessKernel::chosen(form, width, there, &memory.score)?;
        let mut warnings: Vec<_> = note.into_iter().map(|note| warning("bandwidth", note)).collect();
        let mut learned = LocalBias {
            form: self.form,
            width_p: (self.form == BiasForm::Product).then_some(kernel.width_p),
            gamma: kernel.gamma,
            ridge: (self.form == BiasForm::Krr).then_some(self.ridge),
            features: choice,
            alpha: Vec::new(),
        };
        if self.form == BiasForm::Krr {
            let n = memory.score.len();
            let kept = regressed(n);
            if kept.len() < n {
                warnings.push(warning(
                    "rows_left_out",
                    format!(
                        "The regression was fitted on {} of {} calibration rows, evenly spaced in the file.",
                        count(kept.len() as u64),
                        count(n as u64)
                    ),
                ));
            }
            let places = kernel.places(there, &memory.score)?;
            let few = Points::new(places.view())?.gather(&kept);
            let residual = residuals(&memory);
            let e: Vec<f64> = kept.iter().map(|&i| residual[i as usize]).collect();
            let few = Points::row_major(memory.d + 1, &few)?;
            let weights = ridge_weights(few, &e, self.ridge, &mut |share| progress(REGRESSION * share))?;
            learned.alpha = vec![0.0; n];
            for (&i, weight) in kept.iter().zip(&weights) {
                learned.alpha[i as usize] = *weight;
            }
        }
        Ok(FitOutcome { learned, memory, warnings, coordinates: Some(all) })
    }
}

/// Share of the work of the form `krr` that is the regression.
const REGRESSION: f64 = 0.9;

/// The rows of a regression on `n` calibration rows: all of them, or as many as it takes, evenly spaced.
fn regressed(n: usize) -> Vec<u32> {
    let most = n.min(MOST_RIDGE_ROWS);
    (0..most).map(|k| (k * n / most) as u32).collect()
}

/// t − s of the remembered rows.
fn residuals(memory: &Memory) -> Vec<f64> {
    memory.score.iter().zip(&memory.target).map(|(s, &t)| f64::from(t) - s).collect()
}

/// Widths and bandwidths.
const WIDTHS: RangeInclusive<f64> = 1e-150..=1e150;

impl Learned for LocalBias {
    const REMEMBERS: Remembers = Remembers::Outcomes;

    fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores> {
        let s = to.scores()?;
        let form = self.form.kernel_form();
        let kernel = WitnessKernel { form, width_p: self.width_p.unwrap_or(WIDTH_P), gamma: self.gamma };
        let d = memory.d + 1;
        let new = to.places(memory)?;
        let at = kernel.places(Points::row_major(memory.d, &memory.x)?, &memory.score)?;
        let new = kernel.places(Points::row_major(memory.d, &new)?, &s)?;
        let (at, new) = (Points::new(at.view())?, Points::new(new.view())?);
        let bias = if self.form == BiasForm::Krr {
            let kept = regressed(memory.score.len());
            let few = at.gather(&kept);
            let alpha: Vec<f64> = kept.iter().filter_map(|&i| self.alpha.get(i as usize).copied()).collect();
            let told = &mut |share| progress(REGRESSION + (1.0 - REGRESSION) * share);
            bias_at(Points::row_major(d, &few)?, &alpha, new, true, told)?
        } else {
            bias_at(at, &residuals(memory), new, false, progress)?
        };
        let (score, clipped) = corrected(&s, &bias);
        let mut scores = Scores::from(score);
        if clipped > 0 {
            scores.warnings.push(warning(
                "clipped",
                format!(
                    "{} of {} corrected scores were outside [0, 1] and were clipped; the published evaluation \
                     excludes such rows.",
                    count(clipped as u64),
                    count(scores.score.len() as u64)
                ),
            ));
        }
        Ok(scores)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Validity {
        together(finite(&self.alpha) && self.alpha.is_empty() == (self.form != BiasForm::Krr), m)?;
        if self.form == BiasForm::Product {
            one("width_p", self.width_p.unwrap_or(f64::NAN), &WIDTHS)?;
        }
        one("gamma", self.gamma, &(0.0..=*WIDTHS.end()))?;
        each("alpha", &self.alpha, &COEFFICIENTS)
    }

    fn check_memory(&self, memory: &mut Memory, _parameters: &Map<String, Value>) -> Validity {
        match self.alpha.is_empty() {
            true => Ok(()),
            false => memory.as_many(self.alpha.len(), "alpha"),
        }
    }
}
