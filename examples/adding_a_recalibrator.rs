//! A recalibrator as it is added: recalibration in the large, which moves every log-odds by the same amount.
//!
//! In the program this file is `src/recalibrate/intercept/mod.rs`, its lines of Python and JavaScript stand beside it
//! (`include_str!`), and `Intercept: super::intercept::Intercept,` in `src/recalibrate/registry.rs` is all that remains to
//! be written: requests take it, runs score it, calibrators store it, read it back and apply it, the page offers it.

#![allow(clippy::expect_used)]

use localcal::Result;
use localcal::data::Predictions;
use localcal::feature::proximity::ProximityOptions;
use localcal::num::special::{PROB_CLIP, ln_sigmoid, logit, sigmoid};
use localcal::recalibrate::fit::Fit;
use localcal::recalibrate::memory::{Memory, Remembers};
use localcal::recalibrate::recalibrator::*;
use localcal::recalibrate::snippet::Snippet;
use localcal::recalibrate::sound::{COEFFICIENTS, Sound, one};
use serde::{Deserialize, Serialize};

/// The settings: there are none. What may be asked for would be fields, checked in [`Recalibrator::checked`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intercept {}

/// What is learned: p′ = σ(logit p + b).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// b; above 0 where events are more frequent than the scores say
    pub b: f64,
}

/// b by maximum likelihood: Σ w σ(logit s + b) = Σ w t, by bisection. Source: Steyerberg (2019), section 15.3.
///
/// # Errors
/// None for scores and targets of one length.
pub fn fit(s: &[f64], t: &[u8], w: Option<&[f64]>) -> Result<Fit<Shift>> {
    let weight = |i: usize| w.map_or(1.0, |w| w[i]);
    let z: Vec<f64> = s.iter().map(|&s| logit(s, PROB_CLIP)).collect();
    let excess = |b: f64| (0..z.len()).map(|i| weight(i) * (sigmoid(z[i] + b) - f64::from(t[i]))).sum::<f64>();
    let nll = |b: f64| {
        let of = |i: usize| weight(i) * ln_sigmoid(if t[i] == 1 { z[i] + b } else { -z[i] - b });
        -(0..z.len()).map(of).sum::<f64>() / z.len() as f64
    };
    let (mut low, mut high) = (-100.0, 100.0);
    while high - low > 1e-13 {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        if excess(middle) > 0.0 { high = middle } else { low = middle }
    }
    let b = 0.5 * (low + high);
    Ok(Fit::plain(Shift { b }, nll(0.0), nll(b)))
}

impl Recalibrator for Intercept {
    type Learned = Shift;

    const ENTRY: Entry = Entry {
        id: "intercept",
        title: "Recalibration in the large",
        plain: "the same shift of every log-odds",
        definition: "σ(logit s + b)",
        source: "Steyerberg (2019)",
        parameters: &[],
        bounds: &[],
        input: Input::Score(Snippet {
            python: &["    return 1 / (1 + np.exp(-(np.log(s / (1 - s)) + c[\"b\"])))\n"],
            javascript: &["  return s.map((v) => 1 / (1 + Math.exp(-(Math.log(v / (1 - v)) + c.b))));\n"],
        }),
        alone: None,
        needs: Need::Nothing,
        weighted: true,
        place: Place::Anywhere,
        offers: &[Offered { id: "intercept", title: "Recalibration in the large", usual: false, rank: 30 }],
        read_out: &[("b", "shift ")],
    };

    fn checked(asked: Asked) -> Result<Self> {
        asked.read_none().map(|()| Intercept {})
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<Shift>> {
        on.fit_pairs(fit)
    }
}

impl Learned for Shift {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.mapped(|s| s.iter().map(|&s| sigmoid(logit(s, PROB_CLIP) + self.b)).collect())
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, _m: usize) -> Sound {
        one("b", self.b, &COEFFICIENTS)
    }
}

fn main() {
    // Half of the rows happen where the scores say one in four: odds of 1/3 become 1, so b = ln 3.
    let found = fit(&[0.25; 4], &[0, 1, 0, 1], None).expect("valid");
    assert!((found.parameters.b - 3.0_f64.ln()).abs() < 1e-12);
    assert!(found.objective_after < found.objective_before);
    println!("{}: b = {}", Intercept::ENTRY.title, found.parameters.b);
}
