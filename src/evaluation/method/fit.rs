//! Fitting a method on one fold's calibration rows, and scoring the rows of that fold.

use super::best::fit_best;
use super::by_cell::fit_by_cell;
use super::by_group::fit_by_group;
use super::composed::{fit_composed, fit_density_ratio, fit_stratified, known, near_of};
use super::local_bias::fit_local_bias;
use super::neighbours::fit_ptsk;
use super::vector::{fit_pair_temperature, fit_vector, vector_scores};
use super::{Calibrator, Fitted, LoreSettings, MethodKind};
use crate::data::{Predictions, Warning};
use crate::error::{Error, Result};
use crate::evaluation::features::features;
use crate::evaluation::pair;
use crate::kernel::{Part, Points};
use crate::local::LocalSample;
use crate::recalibrate::fit::Fit;
use crate::recalibrate::histogram::{self, EmptyBin};
use crate::recalibrate::isotonic::{self, Interpolation};
use crate::recalibrate::lore::lore;
use crate::recalibrate::{bbq, beta, bin_mean_shift, platt, venn_abers};

/// Fits `kind` on `fit_rows` and scores `score_rows`.
///
/// Methods of the whole vector see the logits of every class where the file has them; the others see the (score,
/// target) pair of the view. `near`: ln D of every data row with respect to `fit_rows`, for methods that look at
/// proximity; looked for where it is not given. `progress` hears the share done of a long fit.
///
/// # Errors
/// `score_missing`, `label_missing`; `unsupported_view` for a method of the whole vector on confidence alone; for LoRe
/// `features_missing`, `unknown_column`, `not_a_number`.
pub fn fit(
    data: &Predictions,
    kind: &MethodKind,
    fit_rows: &[u32],
    score_rows: &[u32],
    near: Option<&[f64]>,
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    let mut fitted = fit_rows_to(data, kind, fit_rows, score_rows, near, progress)?;
    if let (Some(_), Some(counting)) = (&data.weights, kind.counts_rows()) {
        fitted.warnings.push(warning(
            "fit_not_weighted",
            format!("`{}` takes no sample weights: every row counted once in its fit.", counting.id()),
        ));
    }
    Ok(fitted)
}

fn fit_rows_to(
    data: &Predictions,
    kind: &MethodKind,
    fit_rows: &[u32],
    score_rows: &[u32],
    near: Option<&[f64]>,
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    if let Some(fitted) = fit_by_group(data, kind, fit_rows, score_rows)? {
        return Ok(fitted);
    }
    if let MethodKind::Multicalibration(settings) = kind {
        return fit_by_cell(data, settings, fit_rows, score_rows);
    }
    if let MethodKind::Lcb(settings) = kind {
        return fit_local_bias(data, settings, fit_rows, score_rows, progress);
    }
    if let MethodKind::Best(choice) = kind {
        return fit_best(data, choice, fit_rows, score_rows, progress);
    }
    let found;
    let near = match (kind.proximity(), near) {
        (Some(Some(proximity)), None) => {
            found = near_of(data, proximity, fit_rows, score_rows)?;
            Some(found.as_slice())
        }
        (_, near) => near,
    };
    match kind {
        MethodKind::Composed { base, then, inner } => {
            let methods = (&**base, &**then, inner.as_ref());
            return fit_composed(data, methods, (fit_rows, score_rows), near, progress);
        }
        MethodKind::ProximityStratified { base, proximity, groups } => {
            let near = known(proximity, near)?;
            return fit_stratified(data, (base, *groups), (fit_rows, score_rows), near, progress);
        }
        _ => {}
    }
    if let Some(z) = pair::vector_logits(data) {
        if let MethodKind::Ptsk { features } = kind {
            return fit_ptsk(data, &z, features, (fit_rows, score_rows), progress);
        }
        if let Some((calibrator, warnings)) = fit_vector(data, &z, kind, fit_rows, progress)? {
            let score = vector_scores(data, &z, &calibrator, score_rows);
            return Ok(Fitted { calibrator, score: score.into(), warnings });
        }
    }
    let s = pair::scores(data)?;
    let t = pair::targets(data)?;
    let pick = |rows: &[u32]| rows.iter().map(|&row| s[row as usize]).collect::<Vec<f64>>();
    let (s_fit, s_new) = (pick(fit_rows), pick(score_rows));
    let t_fit: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
    let (fit_on, score_on) = ((fit_rows, &s_fit[..], &t_fit[..]), (score_rows, s_new));
    fit_scores(data, kind, fit_on, score_on, near, progress)
}

/// Fits a method of scores alone on (rows, scores, targets), and scores (rows, scores).
///
/// # Errors
/// As [`fit`].
pub(super) fn fit_scores(
    data: &Predictions,
    kind: &MethodKind,
    (fit_rows, s_fit, t_fit): (&[u32], &[f64], &[u8]),
    (score_rows, s_new): (&[u32], Vec<f64>),
    near: Option<&[f64]>,
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    macro_rules! of_scores {
        ($variant:ident, $fit:expr) => {{
            let fit = $fit?;
            let (score, warnings) = (fit.parameters.apply(&s_new), told_by(&fit));
            (Calibrator::$variant(fit.parameters), score, warnings)
        }};
    }
    let w = data.weights.as_ref().map(|w| w.of_fit(fit_rows));
    let w = w.as_deref();
    let (calibrator, score, warnings) = match kind {
        MethodKind::None => (Calibrator::Identity {}, s_new, Vec::new()),
        MethodKind::Platt { options } => {
            of_scores!(Platt, platt::weighted_fit(s_fit, t_fit, w, options))
        }
        MethodKind::Beta => of_scores!(Beta, beta::weighted_fit(s_fit, t_fit, w)),
        MethodKind::Isotonic => {
            of_scores!(Isotonic, isotonic::weighted_fit(s_fit, t_fit, w, Interpolation::Linear))
        }
        MethodKind::VennAbers => of_scores!(VennAbers, venn_abers::fit(s_fit, t_fit)),
        MethodKind::Histogram { bins } => {
            of_scores!(Histogram, histogram::weighted_fit(s_fit, t_fit, w, bins, EmptyBin::Keep))
        }
        MethodKind::Bbq { options } => of_scores!(Bbq, bbq::fit(s_fit, t_fit, options)),
        MethodKind::Lore(settings) => {
            let (score, calibrator, warnings) =
                fit_lore(data, settings, (fit_rows, s_fit, t_fit), (score_rows, &s_new), progress)?;
            (calibrator, score, warnings)
        }
        MethodKind::DensityRatio { proximity, options } => {
            let near = known(proximity, near)?;
            let rows = (fit_rows, score_rows);
            fit_density_ratio(*options, near, rows, (s_fit, t_fit, &s_new), progress)?
        }
        MethodKind::BinMeanShift { proximity, options } => {
            let near = known(proximity, near)?;
            let of = |rows: &[u32]| near.1.of(rows);
            let fit = bin_mean_shift::fit(s_fit, t_fit, &of(fit_rows), options)?;
            let score = fit.parameters.apply(&s_new, &of(score_rows))?;
            let warnings = told_by(&fit);
            let calibrator = Calibrator::BinMeanShift { shift: fit.parameters, proximity: near.0.clone() };
            (calibrator, score, warnings)
        }
        _ => match fit_pair_temperature(data, kind, s_fit, t_fit, w)? {
            Some((Calibrator::Temperature(fit), warnings)) => {
                let score = fit.apply_binary(&pair::log_odds(&s_new));
                (Calibrator::Temperature(fit), score, warnings)
            }
            _ => {
                return Err(Error::new(
                    "unsupported_view",
                    format!(
                        "`{}` needs a probability or logit for every class; this file has only one score.",
                        kind.id()
                    ),
                    "Use temperature, Platt, isotonic, histogram or LoRe, or open the full probabilities.",
                ));
            }
        },
    };
    Ok(Fitted { calibrator, score: score.into(), warnings })
}

fn fit_lore(
    data: &Predictions,
    settings: &LoreSettings,
    (fit_rows, s_fit, t_fit): (&[u32], &[f64], &[u8]),
    (score_rows, s_new): (&[u32], &[f64]),
    progress: &mut dyn FnMut(f64),
) -> Result<(Vec<f64>, Calibrator, Vec<Warning>)> {
    let choice = settings.features.clone().ok_or_else(|| {
        Error::new(
            "features_missing",
            "LoRe needs features: it asks what happened to near rows.",
            "Name them in parameters.features or in local.features.",
        )
    })?;
    let all = features(data, &choice, fit_rows)?;
    let bins = settings.bins.binning(s_fit)?;
    let (x_fit, x_new) = (all.select(fit_rows), all.select(score_rows));
    let sample = LocalSample::new(s_fit, t_fit, &bins.assignment, Points::new(all.d, &x_fit)?)?;
    let places = Points::new(all.d, &x_new)?;
    let found = lore(&sample, &bins.edges.assignment(s_new), s_new, places, settings.kernel, Part::WHOLE, progress)?;
    let kept = (found.kept > 0).then(|| {
        warning("empty_bin", format!("{} rows kept their score: no calibration row shares their bin.", found.kept))
    });
    let calibrator = Calibrator::Lore { kernel: settings.kernel, bins: settings.bins, features: choice };
    Ok((found.score, calibrator, kept.into_iter().collect()))
}

pub(super) fn warning(code: &str, message: String) -> Warning {
    Warning { code: code.to_owned(), message, row: None, column: None }
}

/// What a fit says to a person.
pub(super) fn told_by<P>(fit: &Fit<P>) -> Vec<Warning> {
    let bound = fit.at_bound.iter().map(|bound| warning("at_bound", format!("The fit stopped at a bound: {bound}.")));
    bound.chain(fit.warnings.iter().map(|message| warning("fit", message.clone()))).collect()
}
