//! The rows of a method for the KLCE test: scores, outcomes and audit covariates.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::method::Calibrator;
use super::scored::Scored;
use super::vectors::Vectors;
use crate::data::folds::Split;
use crate::data::{Predictions, View, pair};
use crate::error::{Error, Result};
use crate::feature::{FeatureChoice, features, is_place, no_row_has_a_place, no_test};
use crate::hypothesis::{DEPENDENT_ROWS, DETERMINES_OUTCOME};
use crate::hypothesis::{KlceKernel, KlceSample, KlceWork, Null, WIDTH_P, median_gamma, powerful_gamma};
use crate::kernel::Points;
use crate::num::rng::Lanes;

/// Rows that are tested at most; of more, evenly spaced ones are.
pub const MOST_ROWS: usize = 50_000;
/// Classes up to which whole vectors are tested; each costs a test of its own.
const MOST_PLANES: usize = 32;
/// Draws of each null, unless asked otherwise.
pub const DRAWS: usize = 1000;

/// γ of the kernel on covariates: a number, or how it is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "gamma is a number, \"default\", \"median\" or \"power\"")]
pub enum GammaChoice {
    /// exp(−γ ‖X − X′‖²)
    Number(f64),
    /// `default`: 1/d; `median`: 1 / median ‖X − X′‖²; `power`: chosen on half of the rows, tested on the other half
    Rule(String),
}

/// What is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KlceForm {
    /// (p, y) of the positive view
    Pair,
    /// probability vectors against one-hot labels
    Vectors,
    /// confidence against correctness
    TopLabel,
}

/// The form that a data set allows.
pub fn form(data: &Predictions) -> KlceForm {
    match data.view {
        View::Positive => KlceForm::Pair,
        View::TopLabel if pair::has_vector(data) && data.y.is_some() && pair::classes(data) <= MOST_PLANES => {
            KlceForm::Vectors
        }
        View::TopLabel => KlceForm::TopLabel,
    }
}

/// Residuals of a row: 1, or the number of classes.
pub fn planes(data: &Predictions) -> usize {
    match form(data) {
        KlceForm::Vectors => pair::classes(data),
        KlceForm::Pair | KlceForm::TopLabel => 1,
    }
}

/// Settings of a test with every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceSettings {
    /// audit covariates
    pub features: FeatureChoice,
    /// w_p, width of the kernel of scores
    pub width_p: f64,
    /// γ of the kernel of covariates, per squared unit
    pub gamma: GammaChoice,
    /// null distributions to compare with
    pub nulls: Vec<Null>,
    /// draws of each
    pub draws: usize,
    /// seed of the draws
    pub seed: u64,
}

impl KlceSettings {
    /// Refuses widths and numbers of draws that make no sense.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn new(
        features: FeatureChoice,
        width_p: Option<f64>,
        gamma: Option<&GammaChoice>,
        nulls: Vec<Null>,
        draws: Option<usize>,
        seed: u64,
    ) -> Result<Self> {
        let settings = Self {
            features,
            width_p: width_p.unwrap_or(WIDTH_P),
            gamma: gamma.cloned().unwrap_or(GammaChoice::Rule("default".to_owned())),
            nulls,
            draws: draws.unwrap_or(DRAWS),
            seed,
        };
        let gamma = match &settings.gamma {
            GammaChoice::Number(gamma) => *gamma,
            GammaChoice::Rule(rule) if matches!(rule.as_str(), "default" | "median" | "power") => 1.0,
            GammaChoice::Rule(other) => {
                return Err(Error::new(
                    "invalid_option",
                    format!("Unknown rule for gamma: `{other}`."),
                    "Use a number, \"default\" (one over the number of covariates), \"median\" or \"power\".",
                ));
            }
        };
        KlceKernel { width_p: settings.width_p, gamma }.check()?;
        if settings.draws > 100_000 || (1..20).contains(&settings.draws) {
            return Err(Error::new(
                "invalid_option",
                format!("{} draws were requested.", settings.draws),
                "Request 20 to 100,000, or 0 for the statistic alone; fewer than 20 cannot reach a p-value of 0.05.",
            ));
        }
        Ok(settings)
    }
}

/// Scored rows of a method.
#[derive(Clone, Copy)]
pub struct KlceRows<'a> {
    /// rows of the data
    pub rows: &'a [u32],
    /// fold of each
    pub fold: &'a [u8],
    /// score of the view of each
    pub score: &'a [f64],
    /// target of the view of each
    pub target: &'a [u8],
    /// what each fold learned
    pub calibrators: &'a [Calibrator],
}

impl<'a> From<&'a Scored> for KlceRows<'a> {
    fn from(scored: &'a Scored) -> Self {
        Self {
            rows: &scored.rows,
            fold: &scored.fold,
            score: &scored.score,
            target: &scored.target,
            calibrators: &scored.calibrators,
        }
    }
}

/// The work of a test on the scores under a division. Coordinates are fitted to its calibration rows, else to the scored
/// rows.
///
/// # Errors
/// Those of [`features`] and of [`klce_work`].
pub fn klce_work_of_scores(
    data: &Predictions,
    split: &Split,
    scored: &Scored,
    settings: &KlceSettings,
) -> Result<KlceWork> {
    let calibration = split.all_calibration_rows();
    let fit = if calibration.is_empty() { scored.rows.to_vec() } else { calibration };
    let places = features(data, &settings.features, &fit)?;
    klce_work(data, &scored.into(), (places.d, &places.values), settings)
}

/// The work of a test on these rows.
///
/// * `places`: (d, coordinates of every row of the data, row-major)
///
/// # Errors
/// As [`KlceSample::pairs`]; `too_few_rows` where half of the rows are none.
pub fn klce_work(
    data: &Predictions,
    scored: &KlceRows,
    (d, places): (usize, &[f64]),
    settings: &KlceSettings,
) -> Result<KlceWork> {
    // A row with a missing covariate is not similar to any.
    let has_place = |row: &u32| {
        let from = *row as usize * d;
        places.get(from..from + d).is_some_and(is_place)
    };
    let placed: Vec<u32> = (0u32..).zip(scored.rows).filter(|(_, row)| has_place(row)).map(|(k, _)| k).collect();
    if placed.is_empty() && !scored.rows.is_empty() {
        return Err(no_row_has_a_place());
    }
    let n = placed.len();
    let taken = n.min(MOST_ROWS);
    let all: Vec<u32> = (0..taken).filter_map(|k| placed.get(k * n / taken).copied()).collect();
    let by_power = settings.gamma == GammaChoice::Rule("power".to_owned());
    let (chooses, tested) = if by_power { halves(&all, settings.seed) } else { (Vec::new(), all) };
    let at = |kept: &[u32]| -> Vec<f64> {
        kept.iter()
            .flat_map(|&k| {
                let row = scored.rows[k as usize] as usize;
                &places[row * d..(row + 1) * d]
            })
            .copied()
            .collect()
    };
    let own = at(&tested);
    let points = Points::row_major(d, &own)?;
    let usual = KlceKernel { width_p: settings.width_p, ..KlceKernel::usual(d) };
    let with = |gamma: f64| KlceKernel { gamma, ..usual };
    let kernel = match &settings.gamma {
        GammaChoice::Number(gamma) => with(*gamma),
        GammaChoice::Rule(rule) if rule == "default" => usual,
        GammaChoice::Rule(_) if !by_power => with(median_gamma(points).unwrap_or(usual.gamma)),
        GammaChoice::Rule(_) => {
            if chooses.len() < 2 || tested.len() < 2 {
                return Err(Error::new(
                    "too_few_rows",
                    format!("{n} rows are too few for a half to tune and a half to test."),
                    "Set gamma, or use \"median\".",
                ));
            }
            let values = at(&chooses);
            let points = Points::row_major(d, &values)?;
            let start = median_gamma(points).unwrap_or(usual.gamma);
            let sample = |gamma: f64| sample(data, scored, &chooses, points, with(gamma));
            with(powerful_gamma(start, sample)?)
        }
    };
    let sample = sample(data, scored, &tested, points, kernel)?;
    Ok(KlceWork {
        no_test: match no_test(data, &settings.features) {
            Some(_) => Some(DETERMINES_OUTCOME.to_owned()),
            None => data.dependent_rows().map(|_| DEPENDENT_ROWS.to_owned()),
        },
        ..KlceWork::new(sample, kernel, &settings.nulls, settings.draws, settings.seed)
    })
}

/// Deals rows to two halves by a seeded coin.
fn halves(rows: &[u32], seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut coins = vec![0; rows.len()];
    Lanes::seeded(seed, u64::from_le_bytes(*b"halves\0\0")).fill_bernoulli(&vec![0; rows.len()], &mut coins);
    let with = |side: u8| {
        let of = rows.iter().zip(&coins).filter(|(_, coin)| **coin == side);
        of.map(|(row, _)| *row).collect()
    };
    (with(0), with(1))
}

/// Scores are cut at 0 and 1: rounding leaves some beyond, and MIR, f(p) + 10⁻⁹ p, adds a little to 1.
fn sample(
    data: &Predictions,
    scored: &KlceRows,
    kept: &[u32],
    points: Points,
    kernel: KlceKernel,
) -> Result<KlceSample> {
    let kept = kept.iter().map(|&k| k as usize);
    if form(data) == KlceForm::Vectors
        && let (Some(vectors), Some(y)) = (Vectors::new(data, scored.calibrators)?, &data.y)
    {
        let m = vectors.width();
        let mut p = Array2::zeros((points.n(), m));
        let mut classes = Vec::with_capacity(points.n());
        let mut vector = vec![0.0; m];
        for (k, mut to) in kept.zip(p.rows_mut()) {
            let row = scored.rows[k] as usize;
            vectors.vector_into(row, scored.fold[k], scored.score[k], &mut vector);
            to.iter_mut().zip(&vector).for_each(|(to, p)| *to = p.clamp(0.0, 1.0));
            classes.push(y[row]);
        }
        return KlceSample::vectors(p.view(), &classes, points, kernel);
    }
    let p: Vec<f64> = kept.clone().map(|k| scored.score[k].clamp(0.0, 1.0)).collect();
    let y: Vec<u8> = kept.map(|k| scored.target[k]).collect();
    KlceSample::pairs(&p, &y, points, kernel)
}
