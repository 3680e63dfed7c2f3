//! A recalibrator, fitted on the calibration rows of one fold.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::features::{FeatureChoice, features};
use super::pair::{self, Logits};
use crate::data::{Column, Predictions, View, Warning};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Part, Points};
use crate::local::LocalSample;
use crate::metric::binning::BinOptions;
use crate::recalibrate::fit::Fit;
use crate::recalibrate::histogram::{self, EmptyBin, Histogram};
use crate::recalibrate::isotonic::{self, Interpolation, Isotonic};
use crate::recalibrate::lore::lore;
use crate::recalibrate::platt::{self, Platt, PlattOptions};
use crate::recalibrate::temperature::{self, Temperature, TemperatureOptions};

/// A method id with its settings, as asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(untagged)]
pub enum MethodSpec {
    /// an id with every setting at its default
    Id(String),
    /// an id, a name to report it under, and its settings
    Named {
        /// the method's id
        id: String,
        /// name in reports and exports; default: the id
        #[serde(default)]
        #[tsify(optional)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[tsify(optional, type = "Record<string, unknown>")]
        parameters: serde_json::Value,
    },
}

/// A recalibration method with checked settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Method {
    /// name in reports and exports
    pub name: String,
    /// what it does
    pub kind: MethodKind,
}

/// The methods, with their settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    /// the predictions as they are
    #[default]
    None,
    /// one temperature for all logits
    Temperature,
    /// a logistic curve through the log-odds of the score
    Platt {
        /// target smoothing and the rest
        options: PlattOptions,
    },
    /// an increasing step function, interpolated
    Isotonic,
    /// the mean outcome of each bin
    Histogram {
        /// the bins
        bins: BinOptions,
    },
    /// the kernel-weighted mean outcome of near rows in the same bin
    Lore(LoreSettings),
}

/// Settings of LoRe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoreSettings {
    /// which rows are near each other
    pub features: Option<FeatureChoice>,
    /// how near
    pub kernel: Kernel,
    /// confidence bins
    pub bins: BinOptions,
}

impl MethodKind {
    /// The id in reports and requests.
    pub fn id(&self) -> &'static str {
        match self {
            MethodKind::None => "none",
            MethodKind::Temperature => "temperature",
            MethodKind::Platt { .. } => "platt",
            MethodKind::Isotonic => "isotonic",
            MethodKind::Histogram { .. } => "histogram",
            MethodKind::Lore(_) => "lore",
        }
    }
}

/// What a fit learned; everything that is needed to apply it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Calibrator {
    /// softmax(Z / T), or σ(logit p / T)
    Temperature(Temperature),
    /// σ(a · logit s + b)
    Platt(Platt),
    /// linear interpolation through (x, y), constant outside
    Isotonic(Isotonic),
    /// the value of the score's bin; an empty bin keeps the score
    Histogram(Histogram),
    /// kernel-weighted mean outcome in the score's bin
    Lore {
        /// name of the kernel and its bandwidth
        #[serde(flatten)]
        kernel: Kernel,
        /// confidence bins
        bins: BinOptions,
        /// coordinates
        features: FeatureChoice,
    },
    /// the identity
    Identity {},
}

/// One fold's fit and the scores it gives to the rows of that fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// what was learned
    pub calibrator: Calibrator,
    /// recalibrated score of the view, one per scored row of the fold, ascending rows
    pub score: Column<f64>,
    /// what a person should know about the fit
    pub warnings: Vec<Warning>,
}

/// Fits `method` on `fit_rows` and scores `score_rows`.
///
/// # Errors
/// `score_missing`, `label_missing`, and for LoRe `features_missing`, `unknown_column`, `not_a_number`.
pub fn fit(data: &Predictions, method: &MethodKind, fit_rows: &[u32], score_rows: &[u32]) -> Result<Fitted> {
    let s = pair::scores(data)?;
    let t = pair::targets(data)?;
    let pick = |rows: &[u32]| rows.iter().map(|&row| s[row as usize]).collect::<Vec<f64>>();
    let t_fit: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
    let mut told = Vec::new();
    let (calibrator, score) = match method {
        MethodKind::None => (Calibrator::Identity {}, pick(score_rows)),
        MethodKind::Temperature => {
            let fit = fit_temperature(data, fit_rows, &t_fit)?;
            told.extend(told_by(&fit));
            let score = temperature_scores(data, &fit.parameters, score_rows)?;
            (Calibrator::Temperature(fit.parameters), score)
        }
        MethodKind::Platt { options } => {
            let fit = platt::fit(&pick(fit_rows), &t_fit, options)?;
            told.extend(told_by(&fit));
            let score = fit.parameters.apply(&pick(score_rows));
            (Calibrator::Platt(fit.parameters), score)
        }
        MethodKind::Isotonic => {
            let fit = isotonic::fit(&pick(fit_rows), &t_fit, Interpolation::Linear)?;
            told.extend(told_by(&fit));
            let score = fit.parameters.apply(&pick(score_rows));
            (Calibrator::Isotonic(fit.parameters), score)
        }
        MethodKind::Histogram { bins } => {
            let fit = histogram::fit(&pick(fit_rows), &t_fit, bins, EmptyBin::Keep)?;
            told.extend(told_by(&fit));
            let score = fit.parameters.apply(&pick(score_rows));
            (Calibrator::Histogram(fit.parameters), score)
        }
        MethodKind::Lore(settings) => {
            let choice = settings.features.clone().ok_or_else(|| {
                Error::new(
                    "features_missing",
                    "LoRe needs features: it asks what happened to near rows.",
                    "Name them in parameters.features or in local.features.",
                )
            })?;
            let all = features(data, &choice, fit_rows)?;
            let (s_fit, s_new) = (pick(fit_rows), pick(score_rows));
            let bins = settings.bins.binning(&s_fit)?;
            let (x_fit, x_new) = (all.select(fit_rows), all.select(score_rows));
            let sample = LocalSample::new(&s_fit, &t_fit, &bins.assignment, Points::new(all.d, &x_fit)?)?;
            let places = Points::new(all.d, &x_new)?;
            let result = lore(&sample, &bins.edges.assignment(&s_new), &s_new, places, settings.kernel, Part::WHOLE)?;
            if result.kept > 0 {
                told.push(warning("empty_bin", format!("{} rows kept their score: no calibration row shares their bin.", result.kept)));
            }
            let calibrator =
                Calibrator::Lore { kernel: settings.kernel, bins: settings.bins, features: choice };
            (calibrator, result.score)
        }
    };
    Ok(Fitted { calibrator, score: score.into(), warnings: told })
}

fn warning(code: &str, message: String) -> Warning {
    Warning { code: code.to_owned(), message, row: None, column: None }
}

fn told_by<P>(fit: &Fit<P>) -> Vec<Warning> {
    let bound = fit.at_bound.iter().map(|bound| warning("at_bound", format!("The fit stopped at a bound: {bound}.")));
    bound.chain(fit.warnings.iter().map(|message| warning("fit", message.clone()))).collect()
}

fn fit_temperature(data: &Predictions, rows: &[u32], t: &[u8]) -> Result<Fit<Temperature>> {
    let options = TemperatureOptions::default();
    match pair::logits(data)? {
        Logits::Pair(z) => {
            let z: Vec<f64> = rows.iter().map(|&row| z[row as usize]).collect();
            // In the top-label view a single P(y = 1) is still fitted on y, as the vector (1 − p, p) is.
            match data.y.as_ref().filter(|_| data.view == View::TopLabel && pair::has_vector(data)) {
                Some(y) => {
                    let t: Vec<u8> = rows.iter().map(|&row| u8::from(y[row as usize] == 1)).collect();
                    temperature::fit_binary(&z, &t, &options)
                }
                None => temperature::fit_binary(&z, t, &options),
            }
        }
        Logits::Vector(z) => {
            let y = data.y.as_ref().ok_or_else(|| {
                Error::new("label_missing", "Temperature scaling needs the class of each row.", "Give a column the role label.")
            })?;
            let y: Vec<u32> = rows.iter().map(|&row| y[row as usize]).collect();
            temperature::fit(&z.select(rows), &y, &options)
        }
    }
}

fn temperature_scores(data: &Predictions, fit: &Temperature, rows: &[u32]) -> Result<Vec<f64>> {
    let predicted = data.predicted.as_ref();
    Ok(match pair::logits(data)? {
        Logits::Pair(z) => {
            let flip = data.view == View::TopLabel && pair::has_vector(data);
            let signed = rows.iter().map(|&row| {
                let class_0 = flip && predicted.is_some_and(|y| y[row as usize] == 0);
                if class_0 { -z[row as usize] } else { z[row as usize] }
            });
            fit.apply_binary(&signed.collect::<Vec<f64>>())
        }
        Logits::Vector(z) => {
            let mut vector = vec![0.0; z.width()];
            rows.iter()
                .map(|&row| {
                    z.row_into(row as usize, &mut vector);
                    fit.apply_row(&mut vector);
                    let class = predicted.map_or(0, |y| y[row as usize] as usize);
                    vector.get(class).copied().unwrap_or(0.0)
                })
                .collect()
        }
    })
}
