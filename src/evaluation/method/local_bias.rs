//! Correction by the witness, fitted on calibration rows.

use super::fit::warning;
use super::{Calibrator, Fitted, LocalBiasSettings};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::features::features;
use crate::evaluation::pair;
use crate::hypothesis::witness::WitnessKernel;
use crate::kernel::Points;
use crate::plot::format::count;
use crate::recalibrate::local_bias::{BiasForm, MOST_RIDGE_ROWS, bias_at, corrected, ridge_weights};

/// Fits on `fit_rows` and corrects `score_rows`.
///
/// # Errors
/// `features_missing`; those of the features, of the widths and of the kernel sums.
pub(super) fn fit_local_bias(
    data: &Predictions,
    settings: &LocalBiasSettings,
    fit_rows: &[u32],
    score_rows: &[u32],
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    let choice = settings.features.clone().ok_or_else(|| {
        Error::new(
            "features_missing",
            "Correction by the witness needs features: it asks what happened to alike rows.",
            "Name them in parameters.features or in local.features.",
        )
    })?;
    let all = features(data, &choice, fit_rows)?;
    let (s, t) = (pair::scores(data)?, pair::targets(data)?);
    let pick = |rows: &[u32]| -> Vec<f64> { rows.iter().map(|&row| s[row as usize]).collect() };
    let (s_fit, s_new) = (pick(fit_rows), pick(score_rows));
    let (x_fit, x_new) = (all.select(fit_rows), all.select(score_rows));
    let form = settings.form.kernel_form();
    let width = (settings.width_p, settings.gamma);
    let (kernel, note) = WitnessKernel::chosen(form, width, &x_fit, all.d, &s_fit)?;
    let mut warnings: Vec<_> = note.into_iter().map(|note| warning("bandwidth", note)).collect();
    let residual: Vec<f64> = fit_rows.iter().zip(&s_fit).map(|(&row, s)| f64::from(t[row as usize]) - s).collect();
    let d = all.d + 1;
    let places = kernel.places(&x_fit, all.d, &s_fit);
    let new = kernel.places(&x_new, all.d, &s_new);
    let (at, new) = (Points::new(d, &places)?, Points::new(d, &new)?);
    let mut alpha = Vec::new();
    let bias = if settings.form == BiasForm::Krr {
        let n = fit_rows.len();
        let kept: Vec<u32> = (0..n.min(MOST_RIDGE_ROWS)).map(|k| (k * n / n.min(MOST_RIDGE_ROWS)) as u32).collect();
        if kept.len() < n {
            warnings.push(warning(
                "rows_left_out",
                format!(
                    "The regression was fitted on {} of {} calibration rows, evenly spaced in the file.",
                    count(kept.len() as u64),
                    count(n as u64)
                ),
            ));
        }
        let few = at.gather(&kept);
        let few = Points::new(d, &few)?;
        let e: Vec<f64> = kept.iter().map(|&i| residual[i as usize]).collect();
        let weights = ridge_weights(few, &e, settings.ridge, &mut |share| progress(0.9 * share))?;
        alpha = vec![0.0; n];
        for (&i, weight) in kept.iter().zip(&weights) {
            alpha[i as usize] = *weight;
        }
        bias_at(few, &weights, new, true, &mut |share| progress(0.9 + 0.1 * share))?
    } else {
        bias_at(at, &residual, new, false, progress)?
    };
    let (score, clipped) = corrected(&s_new, &bias);
    if clipped > 0 {
        warnings.push(warning(
            "clipped",
            format!(
                "{} of {} corrected scores would have left [0, 1] and were cut to it; the published evaluation leaves such rows out.",
                count(clipped as u64),
                count(score.len() as u64)
            ),
        ));
    }
    Ok(Fitted {
        calibrator: Calibrator::Lcb {
            form: settings.form,
            width_p: (settings.form == BiasForm::Product).then_some(kernel.width_p),
            gamma: kernel.gamma,
            ridge: (settings.form == BiasForm::Krr).then_some(settings.ridge),
            features: choice,
            alpha,
        },
        score: score.into(),
        warnings,
    })
}
