//! Ridge-local recalibration as a recalibrator.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Base, Grid, RidgeRows, Setting, Space, base_log_odds, cross_validated, recalibrated};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::{FeatureChoice, width_of};
use crate::kernel::{Kernel, Points, cheapest};
use crate::num::Rows;
use crate::num::special::sigmoid;
use crate::project::{Scale, Scaled, Scaling};
use crate::recalibrate::in_common::{self, InCommon, Parted, rows_by_code, width};
use crate::recalibrate::inner::{FEWEST, InnerValidation, inner_folds};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{CHOOSE, FEATURES, WITHIN, bounded, choice};
use crate::recalibrate::platt::{Platt, PlattInput};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, each, one};
use crate::request::bounds::{WIDTH, real};
use crate::words::number::significant;

/// A local correction of the log-odds, held back by a ridge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RidgeLocal {
    /// coordinates in which rows are near each other; several to choose from
    pub spaces: Vec<FeatureChoice>,
    /// what is corrected; none: chosen
    pub baseline: Option<Base>,
    /// γ in standard deviations; none: chosen
    pub gamma: Option<f64>,
    /// κ; none: chosen
    pub kappa: Option<f64>,
    /// which rows can be neighbors; none: all
    pub within: Option<String>,
    /// seed of the inner folds
    pub seed: u64,
}

/// What was learned, with what was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RidgeLocalFit {
    /// what is corrected
    pub baseline: Base,
    /// slope of the baseline
    pub a: f64,
    /// intercept of the baseline
    pub b: f64,
    /// γ in standard deviations; none: the baseline alone
    pub gamma: Option<f64>,
    /// κ; none: ∞, the baseline alone
    pub kappa: Option<f64>,
    /// coordinates
    pub features: FeatureChoice,
    /// what neighbors have in common; none: nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<InCommon>,
    /// mean of each coordinate over the calibration rows
    pub mean: Vec<f64>,
    /// 1 / standard deviation of each; 0 where it does not vary
    pub factor: Vec<f64>,
    /// what the inner folds said; none where everything was given
    pub inner: Option<InnerValidation<Setting>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    features: Option<FeatureChoice>,
    choose: Option<Vec<FeatureChoice>>,
    baseline: Option<Base>,
    gamma: Option<f64>,
    kappa: Option<f64>,
    within: Option<String>,
}

impl RidgeLocal {
    /// What is left to choose from.
    fn grid(&self) -> Grid {
        let all = Grid::default();
        Grid {
            bases: self.baseline.map_or(all.bases, |base| vec![base]),
            gammas: self.gamma.map_or(all.gammas, |gamma| vec![gamma]),
            kappas: self.kappa.map_or(all.kappas, |kappa| vec![kappa]),
            base_alone: self.kappa.is_none(),
        }
    }

    /// The setting where nothing is left to choose.
    fn fixed_setting(&self) -> Option<Setting> {
        let [_] = self.spaces.as_slice() else { return None };
        let (baseline, gamma, kappa) = (self.baseline?, self.gamma?, self.kappa?);
        Some(Setting { baseline, gamma: Some(gamma), kappa: Some(kappa), features: None })
    }
}

impl Recalibrator for RidgeLocal {
    type Learned = RidgeLocalFit;

    const ENTRY: Entry = Entry {
        id: "lore_ridge",
        title: "Ridge LoRe (local recalibration)",
        plain: "shifted by the error of similar rows, shrunk toward a baseline",
        definition: "σ(logit g + Σ k r / (Σ k w + κ)), r = t − g, w = g (1 − g) over calibration rows; g the score or Platt",
        minimises: "NLL over 5 inner folds, for baseline, γ, κ; the smoothest within one standard error",
        source: "Luo et al. (2022), shrunk to a baseline",
        parameters: &[
            FEATURES,
            CHOOSE,
            choice("baseline", &["none", "platt"], "", "baseline; default: tuned on inner folds"),
            bounded("gamma", WIDTH, "", "bandwidth in standard deviations; default: tuned on inner folds"),
            bounded("kappa", real(0.0, 1e9), "", "ridge κ; default: tuned on inner folds, including ∞"),
            WITHIN,
        ],
        input: Input::Score(snippet!("lore_ridge", [logit, projected], [logit, projected])),
        alone: None,
        needs: MethodRequirement::Features,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(120), uses: AdviceInput::Coordinates, ..Candidacy::ON_REQUEST },
        grid: GridPlace::None,
        offers: &[Offered { id: "lore_ridge", title: "Ridge LoRe (local recalibration)", usual: true, rank: 5 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let (data, run) = (asked.data, asked.run);
        let mut given: RawSettings = asked.read()?;
        if let Some(gamma) = given.gamma {
            Kernel::parsed("laplacian", gamma)?;
        }
        let spaces = spaces(given.features.take(), given.choose.take(), run.features.as_ref())?;
        let within = in_common::restriction(data, given.within.take(), run.within.as_ref())?;
        let RawSettings { baseline, gamma, kappa, .. } = given;
        Ok(Self { spaces, baseline, gamma, kappa, within, seed: run.seed })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: !self.spaces.is_empty() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let grid = self.grid();
        // 2 × 5 right-hand sides a baseline, in blocks of eight: each block takes some 1.6 times as long as one of them
        let sums = match self.fixed_setting() {
            Some(_) => 0.0,
            None => grid.gammas.len() as f64 * (1.0 + 2.0 * grid.bases.len() as f64),
        };
        let kernel = Kernel::Laplacian { gamma: 1.0 };
        let cost = |choice: &FeatureChoice| {
            let (n, d) = (data.rows, width_of(data, choice));
            let fit = n * 4 / 5;
            sums * cheapest(kernel, fit, fit, d, true).1 + cheapest(kernel, n / 5, fit, d, false).1
        };
        self.spaces.iter().map(cost).sum()
    }

    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<RidgeLocalFit>> {
        let (all, placed, within) = on.spaces(&self.spaces, self.within.as_deref(), "Ridge LoRe")?;
        let (s, t) = on.of(&placed).pairs()?;
        let several = self.spaces.len() > 1;
        let mut scales = Vec::with_capacity(all.len());
        let mut spaces = Vec::with_capacity(all.len());
        for (features, choice) in all.iter().zip(&self.spaces) {
            let parted = Parted::of(&features.select(&placed.rows), features.d, width(within.as_ref()));
            let scale = Scaling::Standardise.fit(&Points::row_major(parted.d, &parted.x)?, 0);
            let at = standardized(&scale, parted.d, &parted.x)?;
            let codes = parted.own_codes();
            spaces.push(Space { features: several.then(|| choice.clone()), d: parted.d, at, codes });
            scales.push(scale);
        }
        let (mut setting, mut inner, mut warnings) = (self.fixed_setting(), None, Vec::new());
        if setting.is_none() && s.len() >= FEWEST {
            let fold = inner_folds(on.data, &placed.rows, self.seed);
            inner = cross_validated(&s, &t, &spaces, &fold, &self.grid(), progress)?;
            setting = inner.as_ref().and_then(InnerValidation::setting).cloned();
        }
        let setting = setting.unwrap_or_else(|| {
            let rows = s.len();
            warnings.push(warning(
                "fit",
                format!("Too few calibration rows ({rows}) to tune a local correction; scores are unchanged."),
            ));
            Setting { baseline: Base::None, gamma: None, kappa: None, features: None }
        });
        let place = self.spaces.iter().position(|choice| setting.features.as_ref() == Some(choice)).unwrap_or(0);
        let chosen = all.into_iter().nth(place).zip(scales.into_iter().nth(place)).zip(self.spaces.get(place));
        let ((features, scale), choice) = chosen.ok_or_else(|| missing_features("Ridge LoRe"))?;
        let curve = setting.baseline.fit(&s, &t)?;
        let memory = Memory::of_places(&features, &placed.rows).with_outcomes(s, t);
        let learned = RidgeLocalFit {
            baseline: setting.baseline,
            a: curve.a,
            b: curve.b,
            gamma: setting.gamma,
            kappa: setting.kappa,
            features: choice.clone(),
            within,
            mean: scale.shift,
            factor: scale.factor,
            inner,
        };
        Ok(FitOutcome { learned, memory, warnings, coordinates: Some(features) })
    }
}

/// Places in units of a scale, row-major.
fn standardized(scale: &Scale, d: usize, x: &[f64]) -> Result<Vec<f64>> {
    let points = Points::row_major(d, x)?;
    let scaled = Scaled { of: &points, scale };
    let mut out = vec![0.0; x.len()];
    out.chunks_exact_mut(d).enumerate().for_each(|(i, row)| scaled.read(i, row));
    Ok(out)
}

/// Bandwidths.
const WIDTHS: RangeInclusive<f64> = 1e-150..=1e150;

impl RidgeLocalFit {
    fn curve(&self) -> Platt {
        Platt { a: self.a, b: self.b, input: PlattInput::Logit }
    }

    /// The setting in a few words: what a table shows of it.
    fn words(&self) -> String {
        let base = match self.baseline {
            Base::None => "the score",
            Base::Platt => "Platt",
        };
        match (self.gamma, self.kappa) {
            (Some(gamma), Some(kappa)) => format!("{base}, γ {}, κ {}", significant(gamma), significant(kappa)),
            _ => format!("{base} alone"),
        }
    }
}

impl Learned for RidgeLocalFit {
    const REMEMBERS: Remembers = Remembers::Outcomes;

    fn scores(&self, memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let s = to.scores()?;
        let (Some(gamma), Some(kappa)) = (self.gamma, self.kappa) else {
            return Ok(self.far_from_all(&s).into());
        };
        let scale = Scale { shift: self.mean.clone(), factor: self.factor.clone() };
        let last = width(self.within.as_ref());
        let (known, new) = (Parted::of(&memory.x, memory.d, last), Parted::of(&to.places(memory)?, memory.d, last));
        let [known_codes, new_codes] = known.codes(&new);
        let (there, at) = (standardized(&scale, known.d, &known.x)?, standardized(&scale, new.d, &new.x)?);
        let (there, at) = (Points::row_major(known.d, &there)?, Points::row_major(new.d, &at)?);
        let base = self.curve();
        if known_codes.is_empty() {
            let rows = RidgeRows { score: &memory.score, target: &memory.target, at: there, base };
            return Ok(recalibrated(&rows, &s, at, gamma, kappa)?.into());
        }
        // rows that have nothing in common with any calibration row are as far from them all
        let mut moved = self.far_from_all(&s);
        let known_rows = rows_by_code(&known_codes, memory.score.len());
        for (code, rows) in rows_by_code(&new_codes, s.len()) {
            let Some(near) = known_rows.get(&code) else { continue };
            let score: Vec<f64> = near.iter().map(|&row| memory.score[row as usize]).collect();
            let target: Vec<u8> = near.iter().map(|&row| memory.target[row as usize]).collect();
            let (there, here) = (there.gather(near), at.gather(&rows));
            let sources = RidgeRows { score: &score, target: &target, at: Points::row_major(known.d, &there)?, base };
            let own: Vec<f64> = rows.iter().map(|&row| s[row as usize]).collect();
            let found = recalibrated(&sources, &own, Points::row_major(new.d, &here)?, gamma, kappa)?;
            rows.iter().zip(found).for_each(|(&row, score)| moved[row as usize] = score);
        }
        Ok(moved.into())
    }

    fn far_from_all(&self, s: &[f64]) -> Vec<f64> {
        match self.baseline {
            Base::None => s.to_vec(),
            Base::Platt => s.iter().map(|&s| sigmoid(base_log_odds(&self.curve(), s))).collect(),
        }
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, _m: usize) -> Validity {
        if self.gamma.is_some() != self.kappa.is_some() {
            return Err("gamma and kappa must both be numbers, or both be null".to_owned());
        }
        one("gamma", self.gamma.unwrap_or(1.0), &WIDTHS)?;
        one("kappa", self.kappa.unwrap_or(1.0), &(0.0..=1e9))?;
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)?;
        each("mean", &self.mean, &(-1e300..=1e300))?;
        each("factor", &self.factor, &(0.0..=1e300))
    }

    fn check_memory(&self, memory: &mut Memory, _parameters: &Map<String, Value>) -> Validity {
        InCommon::check(self.within.as_ref(), memory.d)?;
        let d = memory.d - width(self.within.as_ref());
        match self.mean.len() == d && self.factor.len() == d {
            true => Ok(()),
            false => Err(format!("mean and factor must hold {d} numbers, one a coordinate")),
        }
    }

    fn parameters(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("chosen".to_owned(), self.words().into());
        }
        value
    }
}
