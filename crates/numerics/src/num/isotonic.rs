//! Isotonic regression: the non-decreasing step function nearest to the targets, by pooling adjacent violators.

use super::weight::{RowWeights, check_weighted, weight};
use super::{order, ties};
use crate::error::Result;

/// A maximal set of neighboring scores with one fitted value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// lowest score
    pub low: f64,
    /// highest score
    pub high: f64,
    /// sum of the weights
    pub weight: f64,
    /// weighted sum of the targets
    pub sum: f64,
}

impl Block {
    /// Fitted value of the block.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Pool adjacent violators over ascending, distinct scores: (score, weight, weighted sum of targets).
///
/// O(n). Source: Ayer et al. (1955); Barlow et al. (1972).
pub fn pool_adjacent_violators(points: impl IntoIterator<Item = (f64, f64, f64)>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (x, weight, sum) in points {
        let mut block = Block { low: x, high: x, weight, sum };
        // Compared as products: no rounding where weights and sums are whole numbers.
        while let Some(last) = blocks.last() {
            if last.sum * block.weight < block.sum * last.weight {
                break;
            }
            block = Block {
                low: last.low,
                high: block.high,
                weight: last.weight + block.weight,
                sum: last.sum + block.sum,
            };
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks
}

/// The blocks of the isotonic regression of `t` on `s`, with weights `w`; rows of the same score ([`ties`]) are merged first.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort and one pass.
///
/// ```
/// use localcal_numerics::num::isotonic::weighted_isotonic_blocks;
///
/// // 1 before 0 is pooled to ½
/// let blocks = weighted_isotonic_blocks(&[0.1, 0.2, 0.3, 0.4], &[0, 1, 0, 1], None)?;
/// assert_eq!(blocks.iter().map(|b| b.mean()).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
/// assert_eq!((blocks[1].low, blocks[1].high), (0.2, 0.3));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn weighted_isotonic_blocks(s: &[f64], t: &[u8], w: RowWeights) -> Result<Vec<Block>> {
    check_weighted(s.len(), t.len(), w)?;
    let order = order::ascending(s);
    let points = ties::tie_blocks(s, &order).map(|tie| {
        let (mut rows, mut events) = (0.0, 0.0);
        for &i in &order[tie.clone()] {
            let w = weight(w, i as usize);
            rows += w;
            events += w * f64::from(t[i as usize]);
        }
        (s[order[tie.start] as usize], rows, events)
    });
    // A block without weight has no mean.
    Ok(pool_adjacent_violators(points.filter(|p| p.1 > 0.0)))
}
