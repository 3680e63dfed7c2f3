//! Centered isotonic regression: every flat stretch of the isotonic curve becomes one point, so that the curve rises.

mod entry;

pub use entry::CenteredIsotonic;

use crate::error::Result;
use crate::metric::brier::weighted_brier_pair;
use crate::num::isotonic::{Block, weighted_isotonic_blocks};
use crate::num::ties;
use crate::num::weight::{RowWeights, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::isotonic::{Interpolation, Isotonic, constant_fit_warning};

/// Fits the curve: each block of the isotonic regression stands at the mean of its scores, straight lines between.
///
/// * `s`: n scores
/// * `t`: n targets, 0 or 1
///
/// Blocks at 0 and 1 keep both ends, and the curve is constant outside of the calibration rows. The objective is the mean
/// squared error; isotonic regression has the smallest of any rising curve on the calibration rows, so this one's is
/// larger, and it may exceed that of the scores themselves.
///
/// Source: Oron and Flournoy (2017), "Centered isotonic regression", Statistics in Biopharmaceutical Research 9(3).
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort, O(n log n).
///
/// # Examples
/// The two in the middle fall, share 1/2 and stand at their mean.
///
/// ```
/// use localcal_methods::recalibrate::centered_isotonic::fit;
///
/// let fit = fit(&[0.1, 0.4, 0.6, 0.9], &[0, 1, 0, 1])?;
/// assert_eq!(fit.parameters.x, [0.1, 0.5, 0.9]);
/// assert_eq!(fit.parameters.y, [0.0, 0.5, 1.0]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8]) -> Result<Fit<Isotonic>> {
    weighted_fit(s, t, None)
}

/// [`fit`] to rows with weights, also in the means of scores. Errors as there.
pub fn weighted_fit(s: &[f64], t: &[u8], w: RowWeights) -> Result<Fit<Isotonic>> {
    let blocks = weighted_isotonic_blocks(s, t, w)?;
    let before = weighted_brier_pair(s, t, w)?;
    let curve = through_centers(&blocks, &centers(&blocks, s, w));
    let after = weighted_brier_pair(&curve.apply(s), t, w)?;
    let mut fit = Fit::plain(curve, before, after);
    fit.warnings.extend(constant_fit_warning(&blocks));
    Ok(fit)
}

/// The weighted mean of the scores in every block.
fn centers(blocks: &[Block], s: &[f64], w: RowWeights) -> Vec<f64> {
    let mut sums = vec![0.0; blocks.len()];
    for (i, &s) in s.iter().enumerate() {
        let after = blocks.partition_point(|block| ties::at_or_above(s, block.low));
        if let Some(sum) = sums.get_mut(after.saturating_sub(1)) {
            *sum += weight(w, i) * s;
        }
    }
    let means = sums.iter().zip(blocks).map(|(sum, block)| (sum / block.weight).clamp(block.low, block.high));
    means.collect()
}

fn through_centers(blocks: &[Block], centers: &[f64]) -> Isotonic {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (place, (block, &center)) in blocks.iter().zip(centers).enumerate() {
        let value = block.mean();
        let sure = value == 0.0 || value == 1.0;
        let corners = [
            (sure || place == 0).then_some(block.low),
            (!sure).then_some(center),
            (sure || place + 1 == blocks.len()).then_some(block.high),
        ];
        for corner in corners.into_iter().flatten() {
            if x.last().is_none_or(|last| *last < corner) {
                x.push(corner);
                y.push(value);
            }
        }
    }
    Isotonic { x, y, interpolation: Interpolation::Linear }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_example() {
        // Oron and Flournoy's package and cir-model: 1, 21, 41, 34 at 1 to 4 give 1, 21, 37.5 at 1, 2, 3.5
        let blocks = [(1.0, 1.0, 1.0, 1.0), (2.0, 2.0, 1.0, 21.0), (3.0, 4.0, 2.0, 75.0)];
        let blocks = blocks.map(|(low, high, weight, sum)| Block { low, high, weight, sum });
        let curve = through_centers(&blocks, &[1.0, 2.0, 3.5]);
        assert_eq!((curve.x, curve.y), (vec![1.0, 2.0, 3.5, 4.0], vec![1.0, 21.0, 37.5, 37.5]));
    }

    proptest! {
        #[test]
        fn it_rises_wherever_isotonic_regression_is_neither_0_nor_1(
            rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8), 2..60),
        ) {
            let (s, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let fit = fit(&s, &t).expect("valid");
            let Isotonic { x, y, .. } = &fit.parameters;
            prop_assert!(x.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(y.windows(2).all(|pair| pair[0] <= pair[1]));
            for pair in y.get(1..y.len().saturating_sub(1)).unwrap_or_default().windows(2) {
                prop_assert!(pair[0] < pair[1] || [0.0, 1.0].contains(&pair[0]), "{:?}", y);
            }
            // a row of weight 2 is two rows
            let twice: (Vec<f64>, Vec<u8>) = s.iter().zip(&t).flat_map(|(&s, &t)| [(s, t), (s, t)]).unzip();
            let weighed = weighted_fit(&s, &t, Some(&vec![2.0; s.len()])).expect("valid").parameters;
            let doubled = super::fit(&twice.0, &twice.1).expect("valid").parameters;
            for (a, b) in weighed.x.iter().zip(&doubled.x) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
    }
}
