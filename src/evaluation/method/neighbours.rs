//! Temperature scaling by a network that sees how near a row's neighbours are.

use super::fit::told_by;
use super::{Calibrator, Fitted};
use crate::data::{Matrix, Predictions, Reals};
use crate::error::{Error, Result};
use crate::evaluation::features::{FeatureChoice, features};
use crate::evaluation::pair::{self, VectorLogits};
use crate::kernel::Points;
use crate::proximity::neighbours::{Metric, Search};
use crate::recalibrate::pts::{self, PtsOptions};

/// Neighbours whose proximities the network sees.
const NEIGHBOURS: usize = 5;

/// Arrays of this many coordinates and more are embeddings, whose rows are brought to length 1.
const EMBEDDING: usize = 8;

/// Fits on `fit_rows` and scores `score_rows`; neighbours are sought among `fit_rows`, a row is not its own.
///
/// # Errors
/// `features_missing`, `label_missing`, `too_few_rows`; those of the features and of [`pts::fit`].
pub(super) fn fit_ptsk(
    data: &Predictions,
    z: &VectorLogits,
    choice: &Option<FeatureChoice>,
    (fit_rows, score_rows): (&[u32], &[u32]),
    progress: &mut dyn FnMut(f64),
) -> Result<Fitted> {
    let (Some(choice), Some(y)) = (choice, &data.y) else {
        return Err(Error::new(
            "features_missing",
            "This method needs the class of each row, and features that say which rows are near each other.",
            "Name the features in parameters.features or in local.features.",
        ));
    };
    let mut near = features(data, choice, fit_rows)?;
    let unit = near.d >= EMBEDDING;
    if unit {
        for row in near.values.chunks_exact_mut(near.d) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
    }
    let (x_fit, x_new) = (near.select(fit_rows), near.select(score_rows));
    let (x_fit, x_new) = (Points::new(near.d, &x_fit)?, Points::new(near.d, &x_new)?);
    let search = Search::new(&x_fit, Metric::Euclidean)?;
    let proximities = |new: bool, rows: usize| -> Result<Matrix> {
        let queries: Option<&dyn crate::num::Rows> = if new { Some(&x_new) } else { None };
        let found = search.nearest(queries, 0..rows, NEIGHBOURS, &mut |_| ())?;
        if found.k == 0 {
            return Err(Error::new(
                "too_few_rows",
                "A single row has no neighbour.",
                "Give at least 2 rows to fit on.",
            ));
        }
        let distances = Matrix {
            width: found.k,
            values: Reals::F64(found.distance.into()),
        };
        Ok(pts::neighbour_proximities(&distances, NEIGHBOURS))
    };
    let y: Vec<u32> = fit_rows.iter().map(|&row| y[row as usize]).collect();
    let own = proximities(false, fit_rows.len())?;
    let fit = pts::fit(
        &z.select(fit_rows),
        &y,
        Some(&own),
        &PtsOptions::with_neighbours(),
        progress,
    )?;
    let mut score = Vec::with_capacity(score_rows.len());
    if !score_rows.is_empty() {
        let seen = proximities(true, score_rows.len())?;
        let p = fit.parameters.apply(&z.select(score_rows), Some(&seen));
        // Rows of the fit are not their own neighbours, when they are scored either.
        let any_own = score_rows
            .iter()
            .any(|row| fit_rows.binary_search(row).is_ok());
        let again = any_own.then(|| fit.parameters.apply(&z.select(fit_rows), Some(&own)));
        for (i, &row) in score_rows.iter().enumerate() {
            let class = pair::scored_class(data, row as usize);
            let place = fit_rows.binary_search(&row).ok();
            score.push(match (&again, place) {
                (Some(again), Some(place)) => again.value(place, class),
                _ => p.value(i, class),
            });
        }
    }
    let warnings = told_by(&fit);
    Ok(Fitted {
        calibrator: Calibrator::Ptsk {
            network: fit.parameters,
            features: choice.clone(),
            unit_length: unit,
        },
        score: score.into(),
        warnings,
    })
}
