//! Methods that repair the whole probability vector of a row.

use super::{Calibrator, MethodKind};
use crate::data::{Predictions, View, Warning};
use crate::error::{Error, Result};
use crate::evaluation::pair::{self, VectorLogits};
use crate::metric::weight::RowWeights;
use crate::num::special::softmax_in_place;
use crate::recalibrate::affine::{self, Shape};
use crate::recalibrate::pts::{self, PtsOptions};
use crate::recalibrate::temperature::{self, Loss, TemperatureOptions};
use crate::recalibrate::{ets, mir, mmce_temperature};

use super::fit::told_by;

impl Calibrator {
    /// Turns a row of logits into recalibrated probabilities, in place; false for a method that knows only scores.
    pub fn apply_logits(&self, row: &mut [f64]) -> bool {
        match self {
            Calibrator::Temperature(fit) => fit.apply_row(row),
            Calibrator::Ets(fit) => fit.apply_row(row),
            Calibrator::Pts(fit) => fit.apply_row(row),
            Calibrator::Vector(fit) | Calibrator::Matrix(fit) => fit.apply_row(row),
            Calibrator::Dirichlet(fit) => {
                softmax_in_place(row);
                row.iter_mut().for_each(|p| *p = p.max(f64::EPSILON).ln());
                fit.apply_row(row);
            }
            Calibrator::Mir(curve) => {
                softmax_in_place(row);
                mir::apply_row(curve, row);
            }
            Calibrator::Best(best) => return best.fit.apply_logits(row),
            _ => return false,
        }
        true
    }
}

/// Fits a method of the whole vector on `rows`; `None` for methods that know only scores.
///
/// # Errors
/// `label_missing` without classes; those of the method.
pub fn fit_vector(
    data: &Predictions,
    z: &VectorLogits,
    kind: &MethodKind,
    rows: &[u32],
    progress: &mut dyn FnMut(f64),
) -> Result<Option<(Calibrator, Vec<Warning>)>> {
    if !is_vector(kind) {
        return Ok(None);
    }
    let y = data.y.as_ref().ok_or_else(|| {
        Error::new("label_missing", "This method needs the class of each row.", "Give a column the role label.")
    })?;
    let y: Vec<u32> = rows.iter().map(|&row| y[row as usize]).collect();
    let w = data.weights.as_ref().map(|w| w.of_fit(rows));
    let w = w.as_deref();
    if let (MethodKind::Temperature, VectorLogits::LogOdds(z)) = (kind, z) {
        // Two classes: the same problem on one number a row.
        let z: Vec<f64> = rows.iter().map(|&row| z[row as usize]).collect();
        let t: Vec<u8> = y.iter().map(|&y| u8::from(y == 1)).collect();
        let fit = temperature::weighted_fit_binary(&z, &t, w, &TemperatureOptions::default())?;
        return Ok(Some((Calibrator::Temperature(fit.parameters), told_by(&fit))));
    }
    let logits = z.select(rows);
    Ok(Some(match kind {
        MethodKind::Temperature => {
            let fit = temperature::weighted_fit(&logits, &y, w, &TemperatureOptions::default())?;
            (Calibrator::Temperature(fit.parameters), told_by(&fit))
        }
        MethodKind::MmceTemperature => {
            let fit = mmce_temperature::fit(&logits, &y)?;
            (Calibrator::Temperature(fit.parameters), told_by(&fit))
        }
        MethodKind::Ets => {
            let fit = ets::weighted_fit(&logits, &y, w, Loss::Mse)?;
            (Calibrator::Ets(fit.parameters), told_by(&fit))
        }
        MethodKind::Pts { published } => {
            let options = if *published { PtsOptions::published() } else { PtsOptions::default() };
            let fit = pts::fit(&logits, &y, None, &options, progress)?;
            let told = told_by(&fit);
            (Calibrator::Pts(fit.parameters), told)
        }
        MethodKind::Mir => {
            let fit = mir::weighted_fit(&z.probabilities(rows), &y, w)?;
            let told = told_by(&fit);
            (Calibrator::Mir(fit.parameters), told)
        }
        MethodKind::Vector => {
            let penalty = Shape::Vector.default_penalty();
            let fit = affine::weighted_fit(&logits, &y, w, Shape::Vector, penalty)?;
            let told = told_by(&fit);
            (Calibrator::Vector(fit.parameters), told)
        }
        MethodKind::Matrix => {
            let penalty = Shape::Matrix.default_penalty();
            let fit = affine::weighted_fit(&logits, &y, w, Shape::Matrix, penalty)?;
            let told = told_by(&fit);
            (Calibrator::Matrix(fit.parameters), told)
        }
        _ => {
            let (z, penalty) = (z.log_probabilities(rows), Shape::Matrix.default_penalty());
            let fit = affine::weighted_fit(&z, &y, w, Shape::Matrix, penalty)?;
            let told = told_by(&fit);
            (Calibrator::Dirichlet(fit.parameters), told)
        }
    }))
}

fn is_vector(kind: &MethodKind) -> bool {
    matches!(
        kind,
        MethodKind::Temperature
            | MethodKind::MmceTemperature
            | MethodKind::Ets
            | MethodKind::Pts { .. }
            | MethodKind::Mir
            | MethodKind::Vector
            | MethodKind::Matrix
            | MethodKind::Dirichlet
    )
}

/// Scores of the view that a vector calibrator gives to `rows`.
pub fn vector_scores(data: &Predictions, z: &VectorLogits, calibrator: &Calibrator, rows: &[u32]) -> Vec<f64> {
    let mut vector = vec![0.0; z.width()];
    rows.iter()
        .map(|&row| {
            z.row_into(row as usize, &mut vector);
            calibrator.apply_logits(&mut vector);
            let class = pair::scored_class(data, row as usize);
            vector.get(class).copied().unwrap_or(0.0)
        })
        .collect()
}

/// Scores of the view as they leave, for `rows` under the fits of their folds: in [0, 1], and of one distribution a row.
///
/// MIR alone repairs the classes of a row without regard to each other; its metrics are those of what it gives, what is
/// exported is divided by the sum of the row.
pub fn leaving_scores(
    data: &Predictions,
    calibrators: &[Calibrator],
    rows: &[u32],
    fold: impl Fn(usize) -> u8,
    scores: &[f64],
) -> Vec<f64> {
    let mir = |c: &Calibrator| matches!(c.applied(), Calibrator::Mir(_));
    let z = calibrators.iter().any(mir).then(|| pair::vector_logits(data));
    let z = z.flatten();
    let mut vector = vec![0.0; z.as_ref().map_or(0, VectorLogits::width)];
    let each = rows.iter().zip(scores).enumerate();
    each.map(|(k, (&row, &score))| {
        let calibrator = calibrators.get(usize::from(fold(k)));
        let alone = calibrator.filter(|c| mir(c)).zip(z.as_ref());
        let Some((calibrator, z)) = alone else {
            return score.clamp(0.0, 1.0);
        };
        z.row_into(row as usize, &mut vector);
        calibrator.apply_logits(&mut vector);
        mir::onto_simplex(&mut vector);
        let class = pair::scored_class(data, row as usize);
        vector.get(class).copied().unwrap_or(score)
    })
    .collect()
}

/// Only confidence and correctness are known: temperature on log-odds of the confidence.
pub fn fit_pair_temperature(
    data: &Predictions,
    kind: &MethodKind,
    s: &[f64],
    t: &[u8],
    w: RowWeights,
) -> Result<Option<(Calibrator, Vec<Warning>)>> {
    let z = pair::log_odds(s);
    let fit = match kind {
        MethodKind::Temperature => temperature::weighted_fit_binary(&z, t, w, &TemperatureOptions::default())?,
        MethodKind::MmceTemperature => mmce_temperature::fit_binary(&z, t, data.view == View::Positive)?,
        _ => return Ok(None),
    };
    Ok(Some((Calibrator::Temperature(fit.parameters), told_by(&fit))))
}
