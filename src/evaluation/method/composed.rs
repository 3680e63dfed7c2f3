//! One method after another.
//!
//! The second is fitted on the scores that the first gives to the very rows it was fitted on, as in the published
//! comparison, or, where inner folds are asked for, to rows that it was not fitted on: the rows that are scored are seen
//! by neither.

use serde::{Deserialize, Serialize};

use super::fitted::{FittedMethod, Rows, ToScore, fit_and_score, fit_single};
use super::{Calibrator, MethodKind, fit};
use crate::data::Predictions;
use crate::data::folds::{CALIBRATES, LEFT_OUT, Split};
use crate::error::{Error, Result};
use crate::evaluation::proximity::{Proximities, log_proximities_of};
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::memory::Memory;
use crate::recalibrate::recalibrator::{Progress, Scores, needs_logits};

/// One method, then a recalibrator on its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// first
    pub base: Box<MethodKind>,
    /// fitted on the scores that the first gives to the rows it was fitted on
    pub then: Box<MethodKind>,
    /// or, of these inner folds, to rows that it was not fitted on
    pub inner: Option<InnerFolds>,
}

/// Seeded, stratified folds of calibration rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerFolds {
    /// how many
    pub folds: usize,
    /// seed
    pub seed: u64,
}

/// ln D of `fit_rows` and `score_rows` with respect to `fit_rows`, by data row.
///
/// # Errors
/// As [`log_proximities_of`].
pub(super) fn log_proximities(
    data: &Predictions,
    proximity: &ProximityOptions,
    fit_rows: &[u32],
    score_rows: &[u32],
) -> Result<Vec<f64>> {
    let mut fold = vec![LEFT_OUT; data.rows];
    let mut mark = |rows: &[u32], value: u8| {
        for &row in rows {
            if let Some(fold) = fold.get_mut(row as usize) {
                *fold = value;
            }
        }
    };
    mark(score_rows, 0);
    mark(fit_rows, CALIBRATES);
    let split = Split { folds: 1, fold: fold.into() };
    let ks = [proximity.k()];
    let found = log_proximities_of(data, &split, proximity, &ks, 0..data.rows, &mut |_| ())?;
    let gathered = Proximities::gathered(&split, &[found.as_slice()], 1)?;
    Ok(gathered.first().map(|near| near.of_fold(0)).unwrap_or_default())
}

/// The scores that `base` gives to each of `rows` when it is fitted on the other inner folds, in the order of `rows`.
///
/// # Errors
/// `too_few_rows` with fewer than two rows an inner fold; those of `base`.
///
/// # Cost
/// A fit each inner fold.
pub fn out_of_fold(
    data: &Predictions,
    base: &MethodKind,
    inner: &InnerFolds,
    rows: &[u32],
    progress: Progress,
) -> Result<Vec<f64>> {
    let folds = inner.folds;
    if rows.len() < 2 * folds {
        return Err(Error::new(
            "too_few_rows",
            format!("{} calibration rows are too few for a cross-fit by {folds} inner folds.", rows.len()),
            "Leave cross_fit out, or ask for fewer folds.",
        ));
    }
    let split = Split::within(data, rows, folds, inner.seed);
    let mut score = vec![f64::NAN; data.rows];
    for fold in 0..folds {
        let (fitted, held) = split.rows_of(fold)?;
        let found = fit(data, base, &fitted, &held, None, &mut |share| {
            progress((fold as f64 + share) / folds as f64);
        })?;
        for (&row, &value) in held.iter().zip(found.score.iter()) {
            score[row as usize] = value;
        }
    }
    Ok(rows.iter().map(|&row| score[row as usize]).collect())
}

/// Fits `base`, then `then` on its scores: those of `base` fitted on all of `rows.fit`, or on the other inner folds.
/// The `base` that is applied is fitted on all of `rows.fit`.
///
/// # Errors
/// Those of both, and of [`out_of_fold`].
pub(super) fn fit_composed(
    data: &Predictions,
    Composition { base, then, inner }: &Composition,
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let both = [rows.fit, rows.score].concat();
    let fits = inner.map_or(1, |inner| inner.folds + 1) as f64;
    let (first, of_first) = fit_and_score(data, base, Rows { score: &both, ..rows }, &mut |share| {
        progress(0.5 * share / fits);
    })?;
    let (s_fit, s_new) = of_first.score.split_at(rows.fit.len().min(of_first.score.len()));
    let apart = match inner {
        Some(inner) => Some(out_of_fold(data, base, inner, rows.fit, &mut |share| {
            progress(0.5 * (1.0 + share * (fits - 1.0)) / fits);
        })?),
        None => None,
    };
    let MethodKind::Single(second) = &**then else {
        return Err(needs_logits(&then.id()));
    };
    let on = rows.calibration(data, Some(apart.as_deref().unwrap_or(s_fit)));
    let (second, mut scores) =
        fit_single(second, &on, ToScore { rows: rows.score, before: Some(s_new) }, &mut |share| {
            progress(0.5 + 0.5 * share);
        })?;
    scores.warnings.splice(0..0, of_first.warnings);
    let calibrator = Calibrator::Composed {
        base: Box::new(first.calibrator.clone()),
        then: Box::new(second.calibrator.clone()),
        cross_fit: inner.map(|inner| inner.folds),
    };
    Ok((FittedMethod { calibrator, memory: Memory::default(), parts: vec![first, second] }, scores))
}
