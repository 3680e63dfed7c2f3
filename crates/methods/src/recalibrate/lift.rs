//! From a recalibrated confidence back to a whole vector of probabilities.

use crate::error::Result;
use crate::num::check_lengths;
use crate::table::Matrix;

use super::logits::map_rows;

/// Sets the entry of the predicted class to `confidence` and scales the others by (1 − c′)/Σ_{k≠ŷ} P.
///
/// Where the others sum to 0 they share 1 − c′ equally. With one class nothing is left to share.
pub fn lift_row(row: &mut [f64], predicted: usize, confidence: f64) {
    let others = row.len().saturating_sub(1);
    let rest: f64 = row.iter().enumerate().filter(|(k, _)| *k != predicted).map(|(_, p)| p).sum();
    let left = 1.0 - confidence;
    let scale = left / rest;
    for (k, p) in row.iter_mut().enumerate() {
        *p = if k == predicted {
            confidence
        } else if rest > 0.0 && scale.is_finite() {
            *p * scale
        } else {
            left / others as f64
        };
    }
}

/// [`lift_row`] for every row: n × m probabilities that sum to 1 and hold `confidence` at `predicted`.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn lift(p: &Matrix, predicted: &[u32], confidence: &[f64]) -> Result<Matrix> {
    check_lengths(p.rows(), predicted.len())?;
    check_lengths(confidence.len(), predicted.len())?;
    Ok(map_rows(p, |i, row| {
        lift_row(row, predicted[i] as usize, confidence[i]);
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, matrix};
    use proptest::prelude::*;

    #[test]
    fn worked_row() {
        let mut row = [0.9, 0.07, 0.03];
        lift_row(&mut row, 0, 0.75);
        for (got, expected) in row.iter().zip([0.75, 0.175, 0.075]) {
            close(Some(*got), expected);
        }
        let mut certain = [0.0, 1.0, 0.0];
        lift_row(&mut certain, 1, 0.8);
        close(Some(certain[0]), 0.1);
        let mut single = [1.0];
        lift_row(&mut single, 0, 0.3);
        assert_eq!(single, [0.3]);
    }

    proptest! {
        #[test]
        fn lifted_rows_sum_to_one_and_hold_the_confidence(
            raw in proptest::collection::vec(prop_oneof![0.0..1.0_f64, Just(0.0), Just(1e-310)], 2..6),
            predicted in 0..2_u32, confidence in 0.0..=1.0_f64,
        ) {
            let width = raw.len();
            let lifted = lift(&matrix(width, raw), &[predicted], &[confidence]).expect("valid");
            let sum: f64 = (0..width).map(|k| lifted.value(0, k)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
            prop_assert_eq!(lifted.value(0, predicted as usize), confidence);
        }
    }
}
