//! Pairs of rows from two groups with nearly equal scores.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::num::order;
use crate::num::ties::{SAME, same, tie_blocks};

/// The rows of one side by ascending score, and their ties.
///
/// Rows of the same score are not distinguished by it, so a pair names ties, whose rows have equal weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Side {
    /// rows by ascending score
    pub(super) rows: Vec<u32>,
    /// places of each tie in `rows`
    ties: Vec<Range<usize>>,
    /// lowest score of each tie
    level: Vec<f64>,
    /// tie of each place
    tie_of: Vec<u32>,
}

impl Side {
    pub(super) fn new(s: &[f64], rows: &[u32]) -> Self {
        let score = |row: &u32| s.get(*row as usize).copied().unwrap_or(f64::NAN);
        let own: Vec<f64> = rows.iter().map(score).collect();
        let order = order::ascending(&own);
        let ties: Vec<Range<usize>> = tie_blocks(&own, &order).collect();
        let mut tie_of = Vec::with_capacity(own.len());
        for (k, tie) in ties.iter().enumerate() {
            tie_of.resize(tie.end, k as u32);
        }
        Self {
            level: ties.iter().map(|tie| own[order[tie.start] as usize]).collect(),
            rows: order.iter().map(|&place| rows[place as usize]).collect(),
            ties,
            tie_of,
        }
    }

    fn tie(&self, place: usize) -> (Range<usize>, f64) {
        let k = self.tie_of.get(place).map_or(usize::MAX, |&k| k as usize);
        let tie = self.ties.get(k).cloned().unwrap_or(place..place);
        (tie, self.level.get(k).copied().unwrap_or(f64::NAN))
    }
}

/// For each of some places of `from`, its tie and the rows of `into` with the nearest score (both neighbors where they
/// are equally near), where they are within the caliper; rows of `into` may serve several times. O((a + b) log b).
pub(super) fn nearest(from: &Side, places: &[u32], into: &Side, caliper: f64) -> Vec<(Range<usize>, Range<usize>)> {
    let mut pairs = Vec::with_capacity(places.len());
    for &place in places {
        let (tie, own) = from.tie(place as usize);
        let above = into.level.partition_point(|other| *other < own);
        let found = |k: Option<usize>| {
            let k = k?;
            let apart = (into.level.get(k)? - own).abs();
            Some((into.ties.get(k)?.clone(), apart))
        };
        let best = match (found(above.checked_sub(1)), found(Some(above))) {
            (Some(down), Some(up)) if (down.1 - up.1).abs() < SAME => Some((down.0.start..up.0.end, down.1.min(up.1))),
            (Some(down), Some(up)) => Some(if down.1 < up.1 { down } else { up }),
            (one, other) => one.or(other),
        };
        // Scores written with two decimals differ by the caliper or do not; the last bit shall not decide.
        if let Some((others, _)) = best.filter(|best| best.1 < caliper + SAME) {
            pairs.push((tie, others));
        }
    }
    pairs
}

/// Pairs with the smallest difference first, each row once, within the caliper; of each pair the ties.
///
/// The nearest pair of what is left always stands side by side in order of the score, so only neighbors are looked
/// at. O((a + b) log(a + b)).
pub(super) fn greedy(
    (a, of_a): (&Side, &[u32]),
    (b, of_b): (&Side, &[u32]),
    caliper: f64,
) -> Vec<(Range<usize>, Range<usize>)> {
    let side = |first: bool| if first { a } else { b };
    let level = |x: (u32, bool)| side(x.1).tie(x.0 as usize).1;
    let sides = [(of_a, true), (of_b, false)];
    let mut line: Vec<(u32, bool)> =
        sides.iter().flat_map(|(places, side)| places.iter().map(move |&place| (place, *side))).collect();
    order::sort(&mut line, &|x, y| level(*x).total_cmp(&level(*y)));
    let n = line.len();
    let mut before: Vec<Option<usize>> = (0..n).map(|i| i.checked_sub(1)).collect();
    let mut after: Vec<Option<usize>> = (0..n).map(|i| (i + 1 < n).then_some(i + 1)).collect();
    let mut used = vec![false; n];
    let mut waiting = BinaryHeap::new();
    // Differences, none negative, are ordered as their bits are.
    let candidate = |i: usize, j: usize| {
        let (low, high) = (level(line[i]), level(line[j]));
        let apart = if same(low, high) { 0.0 } else { high - low };
        (line[i].1 != line[j].1 && apart < caliper + SAME).then(|| Reverse((apart.max(0.0).to_bits(), i, j)))
    };
    waiting.extend((1..n).filter_map(|j| candidate(j - 1, j)));
    let mut pairs = Vec::new();
    while let Some(Reverse((_, i, j))) = waiting.pop() {
        if used[i] || used[j] {
            continue;
        }
        (used[i], used[j]) = (true, true);
        let (x, y) = if line[i].1 { (line[i].0, line[j].0) } else { (line[j].0, line[i].0) };
        pairs.push((a.tie(x as usize).0, b.tie(y as usize).0));
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
