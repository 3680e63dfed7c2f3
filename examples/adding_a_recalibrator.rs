//! A recalibrator as it is added: every score is moved towards the outcome rate of the calibration rows.
//!
//! In the program this file is `crates/methods/src/recalibrate/<name>/mod.rs`, its lines of Python and JavaScript stand
//! beside it (`snippet!`), and `OutcomeRate: super::outcome_rate::OutcomeRate,` in
//! `crates/methods/src/recalibrate/registry.rs` is all that remains
//! to be written: requests take it, runs score it, calibrators store it, read it back and apply it, the page offers it.
//! `crates/methods/src/recalibrate/intercept/` came in this way.

#![allow(clippy::expect_used)]

use localcal::Result;
use localcal::data::Predictions;
use localcal::metric::brier::weighted_brier_pair;
use localcal::num::weight::{RowWeights, check_weighted, weighted_share};
use localcal::recalibrate::fit::Fit;
use localcal::recalibrate::parameter::bounded;
use localcal::recalibrate::recalibrator::*;
use localcal::recalibrate::snippet::Snippet;
use localcal::recalibrate::validity::{UNIT, Validity, one};
use localcal::request::bounds::real;
use serde::{Deserialize, Serialize};

/// The settings. Their bounds stand in the entry, and are looked at before anything is read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeRate {
    /// λ, share of the way
    pub share: f64,
}

impl Default for OutcomeRate {
    fn default() -> Self {
        Self { share: 0.5 }
    }
}

/// What is learned: p′ = p + λ (r − p).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Towards {
    /// r, the outcome rate of the calibration rows
    pub rate: f64,
    /// λ
    pub share: f64,
}

impl Towards {
    /// p′ of every score.
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        p.iter().map(|p| p + self.share * (self.rate - p)).collect()
    }
}

/// r = Σ w t / Σ w.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn fit(p: &[f64], t: &[u8], w: RowWeights, settings: OutcomeRate) -> Result<Fit<Towards>> {
    check_weighted(p.len(), t.len(), w)?;
    let found = Towards { rate: weighted_share(t, w), share: settings.share };
    Ok(Fit::plain(found, weighted_brier_pair(p, t, w)?, weighted_brier_pair(&found.apply(p), t, w)?))
}

impl Recalibrator for OutcomeRate {
    type Learned = Towards;

    const ENTRY: Entry = Entry {
        id: "outcome_rate",
        title: "Towards the outcome rate",
        plain: "every score moved towards the outcome rate",
        definition: "s + λ (mean t − s)",
        minimises: "nothing: a mean",
        source: "this example",
        parameters: &[bounded("share", real(0.0, 1.0), "0.5", "λ, share of the way")],
        input: Input::Score(Snippet {
            python: &["    return s + c[\"share\"] * (c[\"rate\"] - s)\n"],
            javascript: &["  return s.map((v) => v + c.share * (c.rate - v));\n"],
        }),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::AllRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered { id: "outcome_rate", title: "Towards the outcome rate", usual: false, rank: 30 }],
        read_out: &[("rate", "rate ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read()
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Nothing
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 1e-5
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Towards>> {
        on.fit_pairs(|s, t, w| fit(s, t, w, *self))
    }
}

impl ScoreMap for Towards {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, _m: usize) -> Validity {
        one("rate", self.rate, &UNIT)?;
        one("share", self.share, &UNIT)
    }
}

fn main() {
    // Half of the rows happen where the scores say one in four: half of the way is 3/8.
    let found = fit(&[0.25; 4], &[0, 1, 0, 1], None, OutcomeRate::default()).expect("valid");
    assert_eq!(found.parameters.apply(&[0.25]), [0.375]);
    assert!(found.objective_after < found.objective_before);
    println!("{}: r = {}", OutcomeRate::ENTRY.title, found.parameters.rate);
}
