//! The predicted class of each row and its confidence.

use super::predictions::Scores;
use crate::table::values::{Matrix, Reals};

/// ŷ and c of every row: argmax with ties to the lowest index; for one probability, class 1 iff p > 0.5.
pub(super) fn top_label(scores: &Scores) -> Option<(Vec<u32>, Vec<f64>)> {
    match scores {
        Scores::Binary { p, .. } => Some(p.iter().map(|&p| (u32::from(p > 0.5), p.max(1.0 - p))).unzip()),
        Scores::Probabilities(matrix) => Some(top(matrix, |_, best| best)),
        Scores::Logits(matrix) => Some(top(matrix, |row, best| 1.0 / row.map(|z| (z - best).exp()).sum::<f64>())),
        Scores::Confidence => None,
    }
}

fn top(matrix: &Matrix, confidence: impl Fn(&mut dyn Iterator<Item = f64>, f64) -> f64) -> (Vec<u32>, Vec<f64>) {
    fn rows<T: Copy + Into<f64>>(
        values: &[T],
        width: usize,
        confidence: impl Fn(&mut dyn Iterator<Item = f64>, f64) -> f64,
    ) -> (Vec<u32>, Vec<f64>) {
        values
            .chunks_exact(width)
            .map(|row| {
                let (mut class, mut best) = (0, f64::NEG_INFINITY);
                for (k, &x) in row.iter().enumerate() {
                    let x: f64 = x.into();
                    if x > best {
                        (class, best) = (k as u32, x);
                    }
                }
                (class, confidence(&mut row.iter().map(|&x| x.into()), best))
            })
            .unzip()
    }
    match &matrix.values {
        Reals::F64(v) => rows(v, matrix.width, confidence),
        Reals::F32(v) => rows(v, matrix.width, confidence),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn top_labels() {
        let binary = Scores::Binary { p: Column::from(vec![0.5, 0.75, 0.25]), logit: None };
        assert_eq!(top_label(&binary), Some((vec![0, 1, 0], vec![0.5, 0.75, 0.75])));
        let ties = Matrix { width: 3, values: Reals::F32(Column::from(vec![0.25, 0.375, 0.375, 0.5, 0.25, 0.25])) };
        assert_eq!(top_label(&Scores::Probabilities(ties)), Some((vec![1, 0], vec![0.375, 0.5])));
        let logits = Matrix { width: 2, values: Reals::F64(Column::from(vec![1000.0, 1000.0 + 3f64.ln()])) };
        let (class, c) = top_label(&Scores::Logits(logits)).unwrap();
        assert_eq!(class, [1]);
        assert!((c[0] - 0.75).abs() < 1e-12);
    }
}
