//! Temperature scaling by a network that sees how near a row's neighbours are.

use super::fit::told_by;
use super::{Calibrator, Fitted};
use crate::data::{Matrix, Predictions, Reals};
use crate::error::{Error, Result};
use crate::evaluation::features::{FeatureChoice, features};
use crate::evaluation::pair::{self, VectorLogits};
use crate::kernel::Points;
use crate::num::Rows;
use crate::proximity::neighbours::{Metric, Search};
use crate::recalibrate::pts::{self, PtsOptions};

/// Neighbours whose proximities the network sees.
pub const NEIGHBOURS: usize = 5;

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
        to_unit_length(&mut near.values, near.d);
    }
    let (x_fit, x_new) = (near.select(fit_rows), near.select(score_rows));
    let (x_fit, x_new) = (Points::new(near.d, &x_fit)?, Points::new(near.d, &x_new)?);
    let y: Vec<u32> = fit_rows.iter().map(|&row| y[row as usize]).collect();
    let own = proximities(&x_fit, None)?;
    let fit = pts::fit(&z.select(fit_rows), &y, Some(&own), &PtsOptions::with_neighbours(), progress)?;
    let mut score = ptsk_scores(data, z, &fit.parameters, (&x_fit, &x_new), score_rows)?;
    // Rows of the fit are not their own neighbours when they are scored either.
    let place = |row: &u32| fit_rows.binary_search(row).ok();
    if score_rows.iter().any(|row| place(row).is_some()) {
        let again = fit.parameters.apply(&z.select(fit_rows), Some(&own));
        for (score, row) in score.iter_mut().zip(score_rows) {
            if let Some(place) = place(row) {
                *score = again.value(place, pair::scored_class(data, *row as usize));
            }
        }
    }
    let warnings = told_by(&fit);
    Ok(Fitted {
        calibrator: Calibrator::Ptsk { network: fit.parameters, features: choice.clone(), unit_length: unit },
        score: score.into(),
        warnings,
    })
}

/// Brings every row of coordinates to length 1; a row of zeros stays.
pub fn to_unit_length(values: &mut [f64], d: usize) {
    for row in values.chunks_exact_mut(d.max(1)) {
        let squares = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut length = squares(row);
        if length.is_infinite() {
            // The largest first, so that no square overflows.
            let most = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            row.iter_mut().for_each(|x| *x /= most);
            length = squares(row);
        }
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// Scores of the view that the network gives to `rows`, which stand at `x_new` among the fitted rows at `x_fit`.
///
/// # Errors
/// `too_few_rows` without a fitted row; those of [`Search`].
pub fn ptsk_scores(
    data: &Predictions,
    z: &VectorLogits,
    network: &pts::Pts,
    (x_fit, x_new): (&Points, &Points),
    rows: &[u32],
) -> Result<Vec<f64>> {
    let mut score = Vec::with_capacity(rows.len());
    if !rows.is_empty() {
        let seen = proximities(x_fit, Some(x_new))?;
        let p = network.apply(&z.select(rows), Some(&seen));
        for (i, &row) in rows.iter().enumerate() {
            score.push(p.value(i, pair::scored_class(data, row as usize)));
        }
    }
    Ok(score)
}

/// exp(−distance²) to the nearest of `x_fit`, nearest first: of other rows, or of each of them, itself left out.
fn proximities(x_fit: &Points, others: Option<&Points>) -> Result<Matrix> {
    let search = Search::new(x_fit, Metric::Euclidean)?;
    let queries = others.map(|others| others as &dyn Rows);
    let rows = others.unwrap_or(x_fit).n();
    let found = search.nearest(queries, 0..rows, NEIGHBOURS, &mut |_| ())?;
    if found.k == 0 {
        return Err(Error::new("too_few_rows", "A single row has no neighbour.", "Give at least 2 rows to fit on."));
    }
    let distances = Matrix { width: found.k, values: Reals::F64(found.distance.into()) };
    Ok(pts::neighbour_proximities(&distances, NEIGHBOURS))
}
