//! An order in which rows that are near each other stand together, so that blocks of rows have small boxes.

use crate::num::order;

/// Rows of a block; the left half of every cut is a whole number of blocks.
pub(super) const BLOCK: usize = 8;

/// Rows by repeated halving at the median of the widest coordinate; ties in row order.
///
/// * `z`: row-major, n × d
///
/// Cost: O(n d log n).
pub(super) fn proximity_order(z: &[f64], d: usize, n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    if d > 0 {
        halve(z, d, &mut order);
    }
    order
}

fn halve(z: &[f64], d: usize, rows: &mut [u32]) {
    if rows.len() <= BLOCK {
        return;
    }
    let at = |row: u32, c: usize| z.get(row as usize * d + c).copied().unwrap_or(0.0);
    let extent = |c: usize| {
        let ends =
            rows.iter().fold((f64::MAX, f64::MIN), |(low, high), &row| (low.min(at(row, c)), high.max(at(row, c))));
        ends.1 - ends.0
    };
    let mut widest = (0, f64::NEG_INFINITY);
    for c in 0..d {
        let extent = extent(c);
        if extent > widest.1 {
            widest = (c, extent);
        }
    }
    let c = widest.0;
    let middle = (rows.len() / 2).next_multiple_of(BLOCK);
    if middle >= rows.len() {
        order::sort(rows, &|&a, &b| at(a, c).total_cmp(&at(b, c)).then(a.cmp(&b)));
        return;
    }
    order::select(rows, middle, &|&a, &b| at(a, c).total_cmp(&at(b, c)).then(a.cmp(&b)));
    let (left, right) = rows.split_at_mut(middle);
    halve(z, d, left);
    halve(z, d, right);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_once_and_blocks_are_small() {
        let n = 1003;
        let z: Vec<f64> =
            (0..2 * n).map(|i| f64::from((i as u32).wrapping_mul(2_654_435_761)) / f64::from(u32::MAX)).collect();
        let order = proximity_order(&z, 2, n);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &row)| i as u32 == row));
        let mut worst = 0.0_f64;
        for block in order.chunks(BLOCK) {
            let xs = block.iter().map(|&row| z[2 * row as usize]);
            let low = xs.clone().fold(f64::MAX, f64::min);
            worst = worst.max(xs.fold(f64::MIN, f64::max) - low);
        }
        assert!(worst < 0.3, "{worst}");
        assert_eq!(proximity_order(&[], 0, 3), [0, 1, 2]);
        assert_eq!(proximity_order(&[1.0, 0.0], 1, 2).len(), 2);
    }

    #[test]
    fn equal_places_keep_their_order() {
        assert_eq!(proximity_order(&[0.5; 20], 1, 20), (0..20).collect::<Vec<_>>());
    }
}
