//! One method after another, and methods that look at proximity.
//!
//! The second is fitted on the scores that the first gives to the very rows it was fitted on, as in the published
//! comparison, or, where inner folds are asked for, to rows that it was not fitted on: the rows that are scored are seen
//! by neither.

use super::fit::{fit, fit_scores, told_by, warning};
use super::{Calibrator, Fitted, InnerFolds, MethodKind};
use crate::data::{Predictions, Warning};
use crate::error::{Error, Result};
use crate::evaluation::pair;
use crate::evaluation::proximity::{Proximities, ProximityOptions, log_proximities_of};
use crate::evaluation::split::{CALIBRATES, LEFT_OUT, Split};
use crate::metric::binning::{BinOptions, BinScheme, Closed};
use crate::proximity::measure::underflow_share;
use crate::recalibrate::density_ratio::{self, DensityRatioOptions};

/// Share of proximities that may be too small to tell apart before a person hears of it.
const UNDERFLOW_SHARE: f64 = 0.01;

/// ln D by data row.
#[derive(Clone, Copy)]
pub(super) struct LogProximity<'a>(&'a [f64]);

impl LogProximity<'_> {
    pub(super) fn of(&self, rows: &[u32]) -> Vec<f64> {
        let one = |row: &u32| self.0.get(*row as usize).copied().unwrap_or(f64::NAN);
        rows.iter().map(one).collect()
    }
}

/// Which proximity, and ln D by data row.
pub(super) type Known<'a> = (&'a ProximityOptions, LogProximity<'a>);

/// The proximity that a method needs.
///
/// # Errors
/// `features_missing`.
pub(super) fn known<'a>(proximity: &'a Option<ProximityOptions>, near: Option<&'a [f64]>) -> Result<Known<'a>> {
    let pair = proximity.as_ref().zip(near.map(LogProximity));
    pair.ok_or_else(|| {
        Error::new(
            "features_missing",
            "This method asks how near the other rows are, which needs features.",
            "Name them in parameters.features, in proximity.features or in local.features.",
        )
    })
}

/// ln D of `fit_rows` and `score_rows` with respect to `fit_rows`, by data row.
///
/// # Errors
/// As [`log_proximities_of`].
pub fn near_of(
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
    progress: &mut dyn FnMut(f64),
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

/// Fits `base`, then `then` on its scores: those of `base` fitted on all of `fit_rows`, or on the other inner folds.
/// The `base` that is applied is fitted on all of `fit_rows`.
///
/// # Errors
/// Those of both, and of [`out_of_fold`].
pub(super) fn fit_composed(
    data: &Predictions,
    (base, then, inner): (&MethodKind, &MethodKind, Option<&InnerFolds>),
    (fit_rows, score_rows): (&[u32], &[u32]),
    near: Option<&[f64]>,
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    let both = [fit_rows, score_rows].concat();
    let fits = inner.map_or(1, |inner| inner.folds + 1) as f64;
    let first = fit(data, base, fit_rows, &both, near, &mut |share| {
        progress(0.5 * share / fits);
    })?;
    let t = pair::targets(data)?;
    let t_fit: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
    let (s_fit, s_new) = first.score.split_at(fit_rows.len().min(first.score.len()));
    let apart = match inner {
        Some(inner) => Some(out_of_fold(data, base, inner, fit_rows, &mut |share| {
            progress(0.5 * (1.0 + share * (fits - 1.0)) / fits);
        })?),
        None => None,
    };
    let s_fit = apart.as_deref().unwrap_or(s_fit);
    let second = fit_scores(data, then, (fit_rows, s_fit, &t_fit), (score_rows, s_new.to_vec()), near, &mut |share| {
        progress(0.5 + 0.5 * share)
    })?;
    let mut warnings = first.warnings;
    warnings.extend(second.warnings);
    Ok(Fitted {
        calibrator: Calibrator::Composed {
            base: Box::new(first.calibrator),
            then: Box::new(second.calibrator),
            cross_fit: inner.map(|inner| inner.folds),
        },
        score: second.score,
        warnings,
    })
}

/// Fits the density ratio on proximities D = exp(ln D).
///
/// # Errors
/// As [`density_ratio::fit`].
pub(super) fn fit_density_ratio(
    options: DensityRatioOptions,
    (proximity, near): Known,
    (fit_rows, score_rows): (&[u32], &[u32]),
    (s_fit, t_fit, s_new): (&[f64], &[u8], &[f64]),
    progress: &mut dyn FnMut(f64),
) -> Result<(Calibrator, Vec<f64>, Vec<Warning>)> {
    let ln_d = near.of(fit_rows);
    let exp = |ln: Vec<f64>| ln.into_iter().map(f64::exp).collect::<Vec<f64>>();
    let fit = density_ratio::fit(s_fit, &exp(ln_d.clone()), t_fit, options)?;
    let mut warnings = told_by(&fit);
    let lost = underflow_share(&ln_d);
    if lost > UNDERFLOW_SHARE {
        warnings.push(warning(
            "fit",
            format!(
                "{} % of the proximities are below 1e-300: distances are much larger than 1. Scale the features, or \
                 bring every row to length 1.",
                (100.0 * lost).round()
            ),
        ));
    }
    let (densities, clouds) = fit.parameters;
    let score = match clouds {
        Some(clouds) => {
            let found = clouds.apply(s_new, &exp(near.of(score_rows)), progress)?;
            if found.kept > 0 {
                warnings.push(warning(
                    "empty_bin",
                    format!("{} rows kept their score: no calibration row is anywhere near them.", found.kept),
                ));
            }
            found.score
        }
        None => s_new.to_vec(),
    };
    let calibrator = Calibrator::DensityRatio { densities, proximity: proximity.clone() };
    Ok((calibrator, score, warnings))
}

/// Fits `base` in each of `groups` groups of equal size by proximity; a group where it cannot be fitted takes the fit
/// on all rows.
///
/// # Errors
/// Those of `base` on all rows.
pub(super) fn fit_stratified(
    data: &Predictions,
    (base, groups): (&MethodKind, usize),
    (fit_rows, score_rows): (&[u32], &[u32]),
    (proximity, near): Known,
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    let ln_d = near.of(fit_rows);
    let bins = BinOptions::equal_width(groups).with_scheme(BinScheme::EqualMassQuantile);
    let mut edges = bins.bin_edges(&ln_d)?;
    edges.closed = Closed::Left;
    let (own, new) = (edges.assignment(&ln_d), edges.assignment(&near.of(score_rows)));
    let of = |rows: &[u32], groups: &[u32], group: u32| -> Vec<u32> {
        let here = rows.iter().zip(groups).filter(|(_, own)| **own == group);
        here.map(|(row, _)| *row).collect()
    };
    let pooled = fit(data, base, fit_rows, score_rows, None, &mut |_| ())?;
    let mut warnings = pooled.warnings;
    let mut score = pooled.score.to_vec();
    let (mut calibrators, mut on_all) = (Vec::with_capacity(edges.count()), Vec::new());
    let count = edges.count() as u32;
    for group in 0..count {
        let (fit_here, score_here) = (of(fit_rows, &own, group), of(score_rows, &new, group));
        let found = match fit_here.len() {
            0 => None,
            _ => fit(data, base, &fit_here, &score_here, None, &mut |_| ()).ok(),
        };
        progress(f64::from(group + 1) / f64::from(count));
        let Some(found) = found else {
            warnings.push(warning(
                "fit",
                format!(
                    "Group {} of {count} by proximity, {} rows, takes the fit on all rows.",
                    group + 1,
                    fit_here.len()
                ),
            ));
            calibrators.push(pooled.calibrator.clone());
            on_all.push(group);
            continue;
        };
        let places = (0..score_rows.len()).filter(|&i| new[i] == group);
        for (place, &value) in places.zip(found.score.iter()) {
            score[place] = value;
        }
        warnings.extend(found.warnings.into_iter().filter(|w| !warnings.contains(w)).collect::<Vec<_>>());
        calibrators.push(found.calibrator);
    }
    let last = edges.count();
    let inner = edges.edges.get(1..last).unwrap_or(&[]).to_vec();
    Ok(Fitted {
        calibrator: Calibrator::ProximityStratified {
            log_proximity_edges: inner,
            groups: calibrators,
            pooled: on_all,
            proximity: proximity.clone(),
        },
        score: score.into(),
        warnings,
    })
}
