//! Pairs of rows from two groups with nearly equal scores.

use crate::num::order;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Scores written with two decimals differ by the caliper or do not; the last bit shall not decide.
const ROUNDING: f64 = 1e-12;

/// For each row of `from`, the row of `into` with the nearest score (ties: the lowest index), where it is within the
/// caliper; rows of `into` may serve several times. O((a + b) log b).
pub(super) fn nearest(s: &[f64], from: &[u32], into: &[u32], caliper: f64) -> Vec<(u32, u32)> {
    let score = |row: u32| s.get(row as usize).copied().unwrap_or(f64::NAN);
    let mut sorted: Vec<u32> = into.to_vec();
    order::sort(&mut sorted, &|a, b| {
        score(*a).total_cmp(&score(*b)).then(a.cmp(b))
    });
    let mut pairs = Vec::with_capacity(from.len());
    for &row in from {
        let own = score(row);
        let above = sorted.partition_point(|other| score(*other) < own);
        // Of equal scores the first in order has the lowest index.
        let up = sorted.get(above).copied();
        let down = above.checked_sub(1).and_then(|last| {
            let level = score(*sorted.get(last)?);
            let first = sorted.partition_point(|other| score(*other) < level);
            sorted.get(first).copied()
        });
        let apart = |other: u32| (score(other) - own).abs();
        let best = match (down, up) {
            (Some(down), Some(up)) => {
                let difference = apart(down) - apart(up);
                let lower = if difference.abs() <= ROUNDING {
                    down < up
                } else {
                    difference < 0.0
                };
                Some(if lower { down } else { up })
            }
            (one, other) => one.or(other),
        };
        if let Some(best) = best.filter(|best| apart(*best) <= caliper + ROUNDING) {
            pairs.push((row, best));
        }
    }
    pairs
}

/// Pairs with the smallest difference first, each row once, within the caliper.
///
/// The nearest pair of what is left always stands side by side in order of the score, so only neighbours are looked
/// at. O((a + b) log(a + b)).
pub(super) fn greedy(s: &[f64], a: &[u32], b: &[u32], caliper: f64) -> Vec<(u32, u32)> {
    let score = |row: u32| s.get(row as usize).copied().unwrap_or(f64::NAN);
    let sides = [(a, true), (b, false)];
    let mut line: Vec<(u32, bool)> = sides
        .iter()
        .flat_map(|(rows, side)| rows.iter().map(move |&row| (row, *side)))
        .collect();
    order::sort(&mut line, &|x, y| {
        score(x.0).total_cmp(&score(y.0)).then(x.0.cmp(&y.0))
    });
    let n = line.len();
    let mut before: Vec<Option<usize>> = (0..n).map(|i| i.checked_sub(1)).collect();
    let mut after: Vec<Option<usize>> = (0..n).map(|i| (i + 1 < n).then_some(i + 1)).collect();
    let mut used = vec![false; n];
    let mut waiting = BinaryHeap::new();
    // Scores in [0, 1] are ordered as their bits are.
    let candidate = |i: usize, j: usize| {
        let apart = score(line[j].0) - score(line[i].0);
        (line[i].1 != line[j].1 && apart <= caliper + ROUNDING)
            .then(|| Reverse((apart.max(0.0).to_bits(), i, j)))
    };
    waiting.extend((1..n).filter_map(|j| candidate(j - 1, j)));
    let mut pairs = Vec::new();
    while let Some(Reverse((_, i, j))) = waiting.pop() {
        if used[i] || used[j] {
            continue;
        }
        (used[i], used[j]) = (true, true);
        let (x, y) = (line[i].0, line[j].0);
        pairs.push(if line[i].1 { (x, y) } else { (y, x) });
        let (left, right) = (before[i], after[j]);
        if let Some(left) = left {
            after[left] = right;
        }
        if let Some(right) = right {
            before[right] = left;
        }
        if let (Some(left), Some(right)) = (left, right) {
            waiting.extend(candidate(left, right));
        }
    }
    pairs
}
