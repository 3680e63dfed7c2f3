//! Scores that a stored fit gives to the rows of another file.

use crate::data::{MISSING, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::features::{absent, features_again, find};
use crate::evaluation::groups::{Groups, groups, memberships};
use crate::evaluation::method::vector::vector_scores;
use crate::evaluation::method::{ByCell, Calibrator, ptsk_scores, to_unit_length};
use crate::evaluation::pair;
use crate::evaluation::proximity::ProximityOptions;
use crate::hypothesis::witness::{WIDTH_P, WitnessKernel};
use crate::kernel::{Part, Points};
use crate::local::LocalSample;
use crate::num::Rows;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::num::ties::at_or_above;
use crate::proximity::Search;
use crate::proximity::measure::{UnitRows, log_proximities};
use crate::recalibrate::density_ratio;
use crate::recalibrate::local_bias::{BiasForm, bias_at, corrected};
use crate::recalibrate::lore::lore;

use super::stored::{StoredFit, StoredRows};

/// Scores of the view that a stored fit gives to `rows`, whose scores are `s`.
///
/// # Errors
/// `features_missing` for a column that is not there, `not_a_number` for a coordinate; `invalid_option` for a column that
/// cannot say groups.
pub(super) fn again(data: &Predictions, fit: &StoredFit, rows: &[u32], s: &[f64]) -> Result<Vec<f64>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let none = StoredRows::default();
    let near = fit.near.as_ref().unwrap_or(&none);
    let places =
        || -> Result<Vec<f64>> { Ok(features_again(data, &near.names, near.projection.as_ref())?.select(rows)) };
    match (&fit.calibrator, &*fit.parts) {
        (Calibrator::Composed { .. }, [base, then]) => {
            let first = again(data, base, rows, s)?;
            again(data, then, rows, &first)
        }
        (Calibrator::ProximityStratified { log_proximity_edges: edges, proximity, .. }, parts) => {
            let ln_d = log_proximity_again(near, &places()?, proximity)?;
            let mut out = s.to_vec();
            for (k, part) in parts.iter().enumerate() {
                let own = |(_, at): &(usize, &f64)| edges.partition_point(|e| at_or_above(**at, *e)) == k;
                let own: Vec<usize> = ln_d.iter().enumerate().filter(own).map(|o| o.0).collect();
                let here: Vec<u32> = own.iter().map(|&i| rows[i]).collect();
                let s: Vec<f64> = own.iter().map(|&i| s[i]).collect();
                for (i, score) in own.into_iter().zip(again(data, part, &here, &s)?) {
                    out[i] = score;
                }
            }
            Ok(out)
        }
        (calibrator, _) if fit.of_logits => of_logits(data, calibrator, rows, &places, near),
        (Calibrator::GroupTemperature(fit), _) => {
            let by = groups_again(data, &fit.groups)?;
            let scored = rows
                .iter()
                .zip(s)
                .map(|(&row, &s)| sigmoid(logit(s, PROB_CLIP) / fit.of(by.level(row as usize)).temperature));
            Ok(scored.collect())
        }
        (Calibrator::GroupHistogram(fit), _) => {
            let by = groups_again(data, &fit.groups)?;
            let scored = rows.iter().zip(s);
            let scored = scored.flat_map(|(&row, &s)| fit.of(by.level(row as usize)).apply(&[s]));
            Ok(scored.collect())
        }
        (Calibrator::Multicalibration(fit), _) => by_cell(data, fit, rows, s),
        (Calibrator::Lore { kernel, bins, .. }, _) => {
            let bins = bins.binning(&near.score)?;
            let at = Points::new(near.d, &near.x)?;
            let sample = LocalSample::new(&near.score, &near.target, &bins.assignment, at)?;
            let new = bins.edges.assignment(s);
            let x = places()?;
            let found = lore(&sample, &new, s, Points::new(near.d, &x)?, *kernel, Part::WHOLE, &mut |_| ())?;
            Ok(found.score)
        }
        (Calibrator::Lcb { form, width_p, gamma, alpha, .. }, _) => {
            let kernel = WitnessKernel { form: form.kernel_form(), width_p: width_p.unwrap_or(WIDTH_P), gamma: *gamma };
            let at = kernel.places(&near.x, near.d, &near.score);
            let new = kernel.places(&places()?, near.d, s);
            let (at, new) = (Points::new(near.d + 1, &at)?, Points::new(near.d + 1, &new)?);
            let residual = near.score.iter().zip(&near.target);
            let residual: Vec<f64> = residual.map(|(s, &t)| f64::from(t) - s).collect();
            let summed = *form == BiasForm::Krr;
            let weights = if summed { alpha } else { &residual };
            let bias = bias_at(at, weights, new, summed, &mut |_| ())?;
            Ok(corrected(s, &bias).0)
        }
        (Calibrator::DensityRatio { densities, proximity }, _) => {
            let learned = density_ratio::fit(&near.score, &near.proximity, &near.target, densities.options)?;
            let mut d = log_proximity_again(near, &places()?, proximity)?;
            d.iter_mut().for_each(|d| *d = d.exp());
            Ok(match learned.parameters.1 {
                Some(clouds) => clouds.apply(s, &d, &mut |_| ())?.score,
                None => s.to_vec(),
            })
        }
        (Calibrator::BinMeanShift { shift, proximity }, _) => {
            shift.apply(s, &log_proximity_again(near, &places()?, proximity)?)
        }
        (calibrator, _) => calibrator.apply_scores(s).ok_or_else(|| {
            Error::new(
                "calibrator_mismatch",
                "A method of this calibrator needs a score for every class.",
                "Name another method of the calibrator in `method`.",
            )
        }),
    }
}

/// Scores by a method that looks at the logits of every class.
fn of_logits(
    data: &Predictions,
    calibrator: &Calibrator,
    rows: &[u32],
    places: &dyn Fn() -> Result<Vec<f64>>,
    near: &StoredRows,
) -> Result<Vec<f64>> {
    // Whether there are any has been asked before.
    let z = pair::vector_logits(data).unwrap_or(pair::VectorLogits::LogOdds(Vec::new()));
    match calibrator {
        Calibrator::Ptsk { network, unit_length, .. } => {
            let mut x = places()?;
            if *unit_length {
                to_unit_length(&mut x, near.d);
            }
            let (fitted, new) = (Points::new(near.d, &near.x)?, Points::new(near.d, &x)?);
            ptsk_scores(data, &z, network, (&fitted, &new), rows)
        }
        Calibrator::GroupTemperature(fit) => {
            let by = groups_again(data, &fit.groups)?;
            let mut vector = vec![0.0; z.width()];
            let scored = rows.iter().map(|&row| {
                let row = row as usize;
                z.row_into(row, &mut vector);
                fit.of(by.level(row)).apply_row(&mut vector);
                let class = pair::scored_class(data, row);
                vector.get(class).copied().unwrap_or(0.0)
            });
            Ok(scored.collect())
        }
        calibrator => Ok(vector_scores(data, &z, calibrator, rows)),
    }
}

/// The groups of a column that the fit looked at; values that it did not know stay, and have no fit of their own.
fn groups_again(data: &Predictions, name: &str) -> Result<Groups> {
    find(data, name).map_err(|_| absent(name))?;
    groups(data, name)
}

/// The shifts again: groups are found by what they are called, others are not shifted.
fn by_cell(data: &Predictions, fit: &ByCell, rows: &[u32], s: &[f64]) -> Result<Vec<f64>> {
    for name in &fit.columns {
        find(data, name).map_err(|_| absent(name))?;
    }
    let (all, names) = memberships(data, &fit.columns)?;
    let place = |name: &String| fit.groups.iter().position(|known| known == name);
    let places: Vec<u32> = names.iter().map(|name| place(name).map_or(MISSING, |k| k as u32)).collect();
    let mut own = all.select(rows);
    own.count = fit.groups.len();
    for group in &mut own.groups {
        *group = places.get(*group as usize).copied().unwrap_or(MISSING);
    }
    Ok(fit.fit.apply(s, &own))
}

/// ln D of new rows, at `x`, among the calibration rows.
fn log_proximity_again(near: &StoredRows, x: &[f64], proximity: &ProximityOptions) -> Result<Vec<f64>> {
    let (there, new) = (Points::new(near.d, &near.x)?, Points::new(near.d, x)?);
    let n = new.n();
    let (unit_there, unit_new) = (UnitRows { of: &there }, UnitRows { of: &new });
    let (there, new): (&dyn Rows, &dyn Rows) = match proximity.row_normalise {
        Some(true) => (&unit_there, &unit_new),
        _ => (&there, &new),
    };
    let search = Search::new(there, proximity.metric())?;
    let found = search.nearest(Some(new), 0..n, proximity.k(), &mut |_| ())?;
    let form = proximity.form.unwrap_or_default();
    Ok(log_proximities(form, proximity.metric(), &found, n))
}
