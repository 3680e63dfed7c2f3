//! One method after another.
//!
//! The second is fitted on the scores that the first gives to the very rows it was fitted on, as in the published
//! comparison, or, where inner folds are asked for, to rows that it was not fitted on: the rows that are scored are seen
//! by neither.

use serde::{Deserialize, Serialize};

use super::fitted::{FittedMethod, Rows, ToScore, fit_and_score, fit_single, needs_logits};
use super::{Calibrator, Fitted, MethodKind, fit};
use crate::data::Predictions;
use crate::data::folds::{CALIBRATES, LEFT_OUT, Split};
use crate::error::{Error, Result, message, phrases};
use crate::evaluation::proximity::{Proximities, log_proximities_of};
use crate::feature::proximity::ProximityOptions;
use crate::num::clock::seconds_now;
use crate::recalibrate::memory::Memory;
use crate::recalibrate::recalibrator::{Progress, Scores};
use crate::table::Warning;

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
    /// seed of the division
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
    let split = Split::plain(1, fold);
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
            format!("Too few calibration rows ({}) for cross-fitting by {folds} inner folds.", rows.len()),
            message!["Omit ", phrases::CROSS_FIT, ", or request fewer folds."],
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
    let fits = inner.map_or(1, |inner| inner.folds + 1) as f64;
    let first = fit_first(data, base, rows, &mut |share| progress(0.5 * share / fits))?;
    let apart = match inner {
        Some(inner) => Some(out_of_fold(data, base, inner, rows.fit, &mut |share| {
            progress(0.5 * (1.0 + share * (fits - 1.0)) / fits);
        })?),
        None => None,
    };
    let (second, scores) =
        fit_second(data, &first, then, apart.as_deref(), rows, &mut |share| progress(0.5 + 0.5 * share))?;
    let calibrator = Calibrator::Composed {
        base: Box::new(first.fitted.calibrator.clone()),
        then: Box::new(second.calibrator.clone()),
        cross_fit: inner.map(|inner| inner.folds),
    };
    Ok((FittedMethod { calibrator, memory: Memory::default(), parts: vec![first.fitted, second] }, scores))
}

/// The first of two methods, and what it makes of the rows that the second is fitted on and of those that are scored.
struct First {
    fitted: FittedMethod,
    of_fit: Vec<f64>,
    of_score: Vec<f64>,
    warnings: Vec<Warning>,
    /// rows to score that have a gap in a feature
    without_place: Vec<u32>,
}

fn fit_first(data: &Predictions, base: &MethodKind, rows: Rows, progress: Progress) -> Result<First> {
    let both = [rows.fit, rows.score].concat();
    let (fitted, scores) = fit_and_score(data, base, Rows { score: &both, ..rows }, progress)?;
    let (of_fit, of_score) = scores.score.split_at(rows.fit.len().min(scores.score.len()));
    let to_score = |row: &u32| rows.score.binary_search(row).is_ok();
    let without_place = scores.without_place.iter().copied().filter(to_score).collect();
    let (of_fit, of_score) = (of_fit.to_vec(), of_score.to_vec());
    Ok(First { fitted, of_fit, of_score, warnings: scores.warnings, without_place })
}

/// * `apart`: scores of the rows to fit on that the first did not see, where they are to be used
fn fit_second(
    data: &Predictions,
    first: &First,
    then: &MethodKind,
    apart: Option<&[f64]>,
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let MethodKind::Single(second) = then else {
        return Err(needs_logits(&then.id()));
    };
    let on = rows.calibration(data, Some(apart.unwrap_or(&first.of_fit)));
    let to = ToScore { rows: rows.score, before: Some(&first.of_score) };
    let (second, mut scores) = fit_single(second, &on, to, progress)?;
    scores.warnings.splice(0..0, first.warnings.iter().cloned());
    Ok((second, scores.and_without_place(first.without_place.iter().copied())))
}

/// A method that begins with another, and ln D of every data row with respect to the rows to fit on, where it looks at
/// proximity and that is known.
pub struct After<'a> {
    /// the whole method: `base` alone, or `base` and one more
    pub kind: &'a MethodKind,
    /// ln D by data row
    pub near: Option<Vec<f64>>,
}

/// A fit, and how long it took.
pub struct Timed {
    /// the fit
    pub fitted: Result<Fitted>,
    /// seconds, with those of the method that it begins with; none where there is no clock
    pub seconds: Option<f64>,
}

/// Fits and scores several methods that begin with `base`, which is fitted once for all that take its scores as they
/// are; each answer is that of [`fit`](super::fit).
///
/// # Errors
/// Of each method its own.
///
/// # Cost
/// One fit of `base`, and one of each second method.
pub fn fit_each_after(
    data: &Predictions,
    base: &MethodKind,
    methods: &[After],
    (fit_rows, score_rows): (&[u32], &[u32]),
    progress: Progress,
) -> Vec<Timed> {
    let whole = |near| Rows { fit: fit_rows, score: score_rows, log_proximity: near, leaves: false };
    let takes = |kind: &MethodKind| matches!(kind, MethodKind::Composed(Composition { base: first, inner: None, .. }) if **first == *base);
    let sharing = methods.iter().filter(|method| takes(method.kind) || method.kind == base).count();
    let total = (methods.len() + 1) as f64;
    // What the base looks at, one of those that come after it may know.
    let near = methods.iter().find(|method| base.proximity().is_some() && method.kind.proximity() == base.proximity());
    let near = near.and_then(|method| method.near.as_deref());
    let begin = seconds_now();
    let since = |begin: Option<f64>| Some(seconds_now()? - begin?);
    let first = (sharing > 1).then(|| fit_first(data, base, whole(near), &mut |share| progress(share / total)));
    let of_first = since(begin);
    let one = |(k, After { kind, near }): (usize, &After), progress: &mut dyn FnMut(f64)| {
        let mut tell = |share: f64| progress((1.0 + k as f64 + share) / total);
        let (calibrator, scores) = match (kind, &first) {
            // before all else: the base may itself be one method after another
            (alone, Some(first)) if *alone == base => {
                let first = first.as_ref().map_err(Clone::clone)?;
                let (calibrator, warnings) = (first.fitted.calibrator.clone(), first.warnings.clone());
                let (score, without_place) = (first.of_score.clone().into(), first.without_place.clone().into());
                return Ok(Fitted { calibrator, score, warnings, without_place });
            }
            (MethodKind::Composed(Composition { then, inner: None, .. }), Some(first)) if takes(kind) => {
                let first = first.as_ref().map_err(Clone::clone)?;
                let found = match (then.proximity(), near) {
                    (Some(proximity), None) => Some(log_proximities(data, proximity, fit_rows, score_rows)?),
                    _ => None,
                };
                let rows = Rows { log_proximity: found.as_deref().or(near.as_deref()), ..whole(None) };
                let (second, scores) = fit_second(data, first, then, None, rows, &mut tell)?;
                let calibrator = Calibrator::Composed {
                    base: Box::new(first.fitted.calibrator.clone()),
                    then: Box::new(second.calibrator),
                    cross_fit: None,
                };
                (calibrator, scores)
            }
            _ => return fit(data, kind, fit_rows, score_rows, near.as_deref(), &mut tell),
        };
        let mut warnings = scores.warnings;
        warnings.extend(kind.not_weighted(data));
        Ok(Fitted { calibrator, score: scores.score.into(), warnings, without_place: scores.without_place.into() })
    };
    let timed = |method: (usize, &After)| {
        let shares = takes(method.1.kind) || method.1.kind == base;
        let begin = seconds_now();
        let fitted = one(method, progress);
        let before = if shares && sharing > 1 { of_first } else { Some(0.0) };
        Timed { fitted, seconds: since(begin).and_then(|own| Some(own + before?)) }
    };
    methods.iter().enumerate().map(timed).collect()
}
