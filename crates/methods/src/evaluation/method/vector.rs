//! Scores as they leave: of one distribution a row.

use super::Calibrator;
use crate::data::Predictions;
use crate::data::pair::{self, VectorLogits};
use crate::recalibrate::mir::onto_simplex;
use crate::recalibrate::recalibrator::OfVectors;

/// Scores of the view as they leave, for `rows` under the fits of their folds: in [0, 1], and of one distribution a row.
///
/// MIR alone recalibrates the classes of a row without regard to each other; its metrics are those of what it gives, what is
/// exported is divided by the sum of the row.
pub fn leaving_scores(
    data: &Predictions,
    calibrators: &[Calibrator],
    rows: &[u32],
    fold: impl Fn(usize) -> u8,
    scores: &[f64],
) -> Vec<f64> {
    let unnormalized = |c: &Calibrator| matches!(c.of_vectors(), OfVectors::Unnormalized(_));
    let z = calibrators.iter().any(unnormalized).then(|| pair::vector_logits(data));
    let z = z.flatten();
    let mut vector = vec![0.0; z.as_ref().map_or(0, VectorLogits::width)];
    let each = rows.iter().zip(scores).enumerate();
    each.map(|(k, (&row, &score))| {
        let calibrator = calibrators.get(usize::from(fold(k)));
        let (Some(OfVectors::Unnormalized(map)), Some(z)) = (calibrator.map(Calibrator::of_vectors), &z) else {
            return score.clamp(0.0, 1.0);
        };
        z.row_into(row as usize, &mut vector);
        map.apply_logits(&mut vector);
        onto_simplex(&mut vector);
        let class = pair::scored_class(data, row as usize);
        vector.get(class).copied().unwrap_or(score)
    })
    .collect()
}
