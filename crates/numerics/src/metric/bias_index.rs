//! Proximity bias: whether rows far from the others are right less often at equal confidence.
//!
//! Rows of high and of low proximity are paired by confidence; what is compared are the outcomes of the two sides.

use std::collections::BTreeMap;
use std::ops::Range as Places;
use std::rc::Rc;

use super::binning::{BinOptions, BinScheme};
use super::entry::{Better, Cost, Discloses, Interval, Metric, Range, Replicates, ValueOf, Written};
use super::matching::{self, Side};
use super::reason::Reason;
use super::rows::{Arranged, ArrangedOutcomes};
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::rng::Lanes;
use crate::num::special::normal_two_sided;

/// S: groups of equal size by proximity; the first and the last are compared.
pub const GROUPS: usize = 5;
/// S where the scores of the first and the last of five groups do not overlap.
pub const FEWER_GROUPS: usize = 3;
/// Scores of a pair differ by this at most.
pub const CALIPER: f64 = 0.05;
/// Rows of a group that are matched at most.
pub const MOST_DRAWN: usize = 10_000;
/// Random stream of the draw from larger groups, apart from those of folds and replicates.
const DRAW_STREAM: u64 = 3 << 40;

/// Whether a row may stand in several pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replacement {
    /// each row of a side takes the nearest of the other, taken or not; both directions
    #[default]
    With,
    /// nearest pairs first, each row once
    Without,
}

/// Rows of high proximity and the rows of low proximity they are compared with.
///
/// Rows of the same score on one side are not distinguished by it: each member of a pair is such a tie, and counts with
/// the mean of its rows. So no order of the rows decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatchedPairs {
    sides: [Side; 2],
    /// places among the rows of the side of high and of low proximity
    pairs: Vec<[Places<usize>; 2]>,
    /// S: groups by proximity
    pub groups: usize,
}

/// Pairs rows of the highest and the lowest of five groups of equal size by proximity, by the nearest score.
///
/// From each side at most 10,000 rows are drawn without replacement; each takes the row of the other side with the
/// nearest score (tied rows: the mean of them), and pairs further apart than 0.05 are dropped. Three groups where the
/// scores of the outer two of five do not overlap.
///
/// `nearness`: anything that rises with proximity; only its order counts.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n log n).
///
/// # Source
/// Xiong et al. (2023), section 3.2; the matching is made definite here.
pub fn matched_pairs(s: &[f64], nearness: &[f64], replacement: Replacement, seed: u64) -> Result<MatchedPairs> {
    check_lengths(s.len(), nearness.len())?;
    let mut groups = GROUPS;
    let (mut high, mut low) = outer(nearness, groups)?;
    if !overlap(s, &high, &low) {
        groups = FEWER_GROUPS;
        (high, low) = outer(nearness, groups)?;
    }
    let mut pairs = pairs_between(s, &high, &low, replacement, seed);
    pairs.groups = groups;
    Ok(pairs)
}

/// As [`matched_pairs`] for two groups of rows that are given.
pub fn pairs_between(s: &[f64], high: &[u32], low: &[u32], replacement: Replacement, seed: u64) -> MatchedPairs {
    let mut lanes = Lanes::seeded(seed, DRAW_STREAM);
    let (high, low) = (Side::new(s, high), Side::new(s, low));
    // Drawn are places in order of the score.
    let (some_high, some_low) = (drawn(high.rows.len(), &mut lanes), drawn(low.rows.len(), &mut lanes));
    let pairs = match replacement {
        Replacement::With => {
            let down = matching::nearest(&high, &some_high, &low, CALIPER);
            let up = matching::nearest(&low, &some_low, &high, CALIPER);
            let down = down.into_iter().map(|(own, other)| [own, other]);
            down.chain(up.into_iter().map(|(own, other)| [other, own])).collect()
        }
        Replacement::Without => {
            let found = matching::greedy((&high, &some_high), (&low, &some_low), CALIPER);
            found.into_iter().map(|(a, b)| [a, b]).collect()
        }
    };
    MatchedPairs { sides: [high, low], pairs, groups: 0 }
}

impl MatchedPairs {
    /// Pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are rows of high and of low proximity: ties, as of rows that share their features, are one group.
    pub fn has_sides(&self) -> bool {
        self.sides.iter().all(|side| !side.rows.is_empty())
    }

    /// Whether nothing was matched.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// For each row of the side of high (0) or of low proximity (1) that stands in a pair, its part of that side: its
    /// pairs over all pairs, where tied rows share a pair. Parts sum to 1.
    fn shares(&self, side: usize) -> BTreeMap<u32, f64> {
        let mut times = BTreeMap::<(usize, usize), u32>::new();
        for place in self.pairs.iter().filter_map(|pair| pair.get(side)) {
            *times.entry((place.start, place.end)).or_default() += 1;
        }
        let mut shares = BTreeMap::new();
        let rows = self.sides.get(side).map_or(&[][..], |side| &side.rows);
        for ((start, end), times) in times {
            let tied = rows.get(start..end).unwrap_or_default();
            let part = f64::from(times) / (self.pairs.len() * tied.len()) as f64;
            for &row in tied {
                *shares.entry(row).or_default() += part;
            }
        }
        shares
    }

    /// The tied rows that stand for the side of high (0) or of low proximity (1) in each pair.
    pub fn members(&self, side: usize) -> impl Iterator<Item = &[u32]> {
        let rows = self.sides.get(side).map_or(&[][..], |side| &side.rows);
        let pairs = self.pairs.iter();
        pairs.filter_map(move |pair| rows.get(pair.get(side)?.clone()))
    }

    /// Mean over the pairs of the mean of a value over the tied rows of one side.
    fn mean(&self, side: usize, value: &dyn Fn(usize) -> f64) -> f64 {
        let Some(rows) = self.sides.get(side).map(|side| &side.rows) else {
            return f64::NAN;
        };
        let mut sum = 0.0;
        let sums = rows.iter().map(|&row| {
            sum += value(row as usize);
            sum
        });
        let sums: Vec<f64> = std::iter::once(0.0).chain(sums).collect();
        let up_to = |place: usize| sums.get(place).copied().unwrap_or(sum);
        let mut members: Vec<(usize, usize)> =
            self.pairs.iter().filter_map(|pair| pair.get(side).map(|rows| (rows.start, rows.end))).collect();
        // In one order whichever side matched: the sum comes out the same to the last bit.
        members.sort_unstable();
        let each = members.iter().map(|&(start, end)| (up_to(end) - up_to(start)) / (end - start).max(1) as f64);
        each.sum::<f64>() / self.pairs.len() as f64
    }
}

/// Rows of the last and of the first of `groups` groups of equal size.
fn outer(nearness: &[f64], groups: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let bins = BinOptions::equal_width(groups).with_scheme(BinScheme::EqualMassRank);
    let group = bins.binning(nearness)?.assignment;
    let of = |wanted: u32| {
        let rows = (0u32..).zip(&group);
        rows.filter(move |(_, group)| **group == wanted).map(|(row, _)| row)
    };
    Ok((of(groups as u32 - 1).collect(), of(0).collect()))
}

fn overlap(s: &[f64], a: &[u32], b: &[u32]) -> bool {
    let ends = |rows: &[u32]| {
        rows.iter()
            .map(|&row| s[row as usize])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s), high.max(s)))
    };
    let (a, b) = (ends(a), ends(b));
    a.0 <= b.1 && b.0 <= a.1
}

/// At most [`MOST_DRAWN`] of `n` places, without replacement (Fisher and Yates, as far as it is needed).
fn drawn(n: usize, lanes: &mut Lanes) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..n as u32).collect();
    if rows.len() > MOST_DRAWN {
        let mut draws: Vec<u32> = Vec::with_capacity(MOST_DRAWN + 8);
        while draws.len() < MOST_DRAWN {
            draws.extend(lanes.next());
        }
        for (i, draw) in draws.into_iter().take(MOST_DRAWN).enumerate() {
            let left = (rows.len() - i) as u64;
            rows.swap(i, i + ((u64::from(draw) * left) >> 32) as usize);
        }
        rows.truncate(MOST_DRAWN);
        rows.sort_unstable();
    }
    rows
}

/// Outcomes of matched rows, and whether chance could have made them differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BiasIndex {
    /// mean target of the high side − mean target of the low side, in [−1, 1]; `None` without pairs
    pub index: Option<f64>,
    /// rank-sum z, corrected for ties; `None` where only one outcome occurs
    pub z: Option<f64>,
    /// its two-sided probability
    pub p: Option<f64>,
    /// rank-sum z without the correction: closer to 0
    pub z_plain: Option<f64>,
    /// its two-sided probability
    pub p_plain: Option<f64>,
    /// pairs
    pub pairs: usize,
    /// mean score of the high and of the low side
    pub score: [f64; 2],
    /// mean target of the high and of the low side
    pub rate: [f64; 2],
}

/// The bias index of matched rows with its rank-sum test.
///
/// With k₁ of n₁ and k₀ of n₀ successes, N = n₁ + n₀, K = k₁ + k₀:
/// z = (k₁/n₁ − k₀/n₀) √(n₁ n₀ (N − 1) / (K (N − K))), p = 2Φ(−|z|); without the correction for ties
/// z = ½(k₁ n₀ − k₀ n₁) / √(n₁ n₀ (N + 1) / 12). Rows that stand in several pairs make p too small.
pub fn bias_index(pairs: &MatchedPairs, s: &[f64], t: &[u8]) -> BiasIndex {
    let n = pairs.len();
    if n == 0 {
        return BiasIndex::default();
    }
    let observed = |row: usize| t.get(row).map_or(0.0, |&t| f64::from(t));
    let predicted = |row: usize| s.get(row).copied().unwrap_or(0.0);
    let rate = [pairs.mean(0, &observed), pairs.mean(1, &observed)];
    let (n1, both) = (n as f64, 2.0 * n as f64);
    let successes = (rate[0] + rate[1]) * n1;
    let informative = successes > 0.5 && successes < both - 0.5;
    let z = (rate[0] - rate[1]) * (n1 * n1 * (both - 1.0) / (successes * (both - successes))).sqrt();
    let z_plain = 0.5 * (rate[0] - rate[1]) * n1 * n1 / (n1 * n1 * (both + 1.0) / 12.0).sqrt();
    BiasIndex {
        index: Some(rate[0] - rate[1]),
        z: informative.then_some(z),
        p: informative.then(|| normal_two_sided(z)),
        z_plain: informative.then_some(z_plain),
        p_plain: informative.then(|| normal_two_sided(z_plain)),
        pairs: n,
        score: [pairs.mean(0, &predicted), pairs.mean(1, &predicted)],
        rate,
    }
}

/// Rows up to which the two sides are held against drawn outcomes instead of the normal distribution.
const DRAWN_ROWS: usize = 500;
/// Draws for these.
const DRAWS: usize = 999;
/// Random stream of these draws.
const FAIR_STREAM: u64 = 5 << 40;

/// The two-sided probability of a difference as large where nearness does not matter, each row counted as the one row
/// it is in however many pairs it occurs.
///
/// With c_i the pairs of a row over all pairs, negative on the low side, and e = t − s, the difference that scores do
/// not explain is D = Σ c_i e_i. Its variance is the larger of Σ c_i² s_i(1 − s_i), what right scores promise, and
/// Σ c_i² (e_i − ē)² n/(n − 1) with ē the weighted mean of each side, what the residuals show: scores with the same
/// error near and far are no proximity bias. Of up to 500 rows, p is not below that of draws t* ~ Bernoulli(s). `None`
/// without pairs, or where nothing varies.
pub fn fair_p(pairs: &MatchedPairs, s: &[f64], t: &[u8]) -> Option<f64> {
    let mut share = BTreeMap::<u32, f64>::new();
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        for (row, part) in pairs.shares(side) {
            *share.entry(row).or_default() += sign * part;
        }
    }
    let rows: Vec<(f64, f64, f64)> = share
        .iter()
        .filter_map(|(&row, &c)| {
            let (s, t) = (*s.get(row as usize)?, *t.get(row as usize)?);
            Some((c, s, f64::from(t)))
        })
        .collect();
    let difference: f64 = rows.iter().map(|(c, s, t)| c * (t - s)).sum();
    let promised: f64 = rows.iter().map(|(c, s, _)| c * c * s * (1.0 - s)).sum();
    let side = |sign: f64| {
        let of = || rows.iter().filter(move |(c, ..)| c * sign > 0.0);
        let count = of().count() as f64;
        let mean: f64 = of().map(|(c, s, t)| c.abs() * (t - s)).sum();
        let squares: f64 = of().map(|(c, s, t)| (c * (t - s - mean)).powi(2)).sum();
        squares * count / (count - 1.0).max(1.0)
    };
    let variance = promised.max(side(1.0) + side(-1.0));
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let tail = normal_two_sided(difference / variance.sqrt());
    if rows.len() > DRAWN_ROWS || promised == 0.0 {
        return Some(tail);
    }
    let mut lanes = Lanes::seeded(0, FAIR_STREAM);
    let mut uniforms = std::iter::repeat_with(|| lanes.uniform()).flatten();
    let bar = difference.abs() * (1.0 - 1e-9);
    let as_large = (0..DRAWS).filter(|_| {
        let drawn = rows.iter().zip(&mut uniforms).map(|((c, s, _), u)| {
            let t = if u < *s { 1.0 } else { 0.0 };
            c * (t - s)
        });
        drawn.sum::<f64>().abs() >= bar
    });
    Some(tail.max((1 + as_large.count()) as f64 / (DRAWS + 1) as f64))
}

/// Proximity bias: how much more often near rows happen than far ones of the same score.
pub static BIAS_INDEX: Metric = Metric {
    id: "bias_index",
    name: "Proximity bias",
    plain: "difference in observed rate between typical and isolated rows at equal score",
    definition: "Rows of the highest and the lowest fifth of proximity are paired by score (at most 0.05 apart): \
                 observed rate among the first minus that among the second. Positive: isolated rows are \
                 overestimated.",
    formula: "t̄_near − t̄_far over pairs of rows of the same score",
    source: "Xiong et al. 2023",
    better: Better::Zero,
    range: Range::Signed,
    written: Written::Points,
    value: ValueOf::Proximity(|near| {
        let apart = pairs_of(near.arranged)?.has_sides();
        Ok(bias_of(near)?.index.ok_or_else(|| no_pairs(apart)))
    }),
    replicates: Replicates::Samples(Cost { per_row: 3e-4, fixed: 0.0 }),
    interval: Interval::Percentile,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Proximity bias, z: beyond ±2 is unlikely by chance.
pub static BIAS_Z: Metric = Metric {
    id: "bias_z",
    name: "Proximity bias, z",
    plain: "about N(0, 1) without proximity bias",
    definition: "Rank-sum z of the two sides of the proximity bias, corrected for ties. Too large if rows are in \
                 several pairs.",
    formula: "(k₁/n₁ − k₀/n₀) √(n₁ n₀ (N − 1) / (K (N − K)))",
    source: "Xiong et al. 2023; Wilcoxon 1945",
    better: Better::Zero,
    range: Range::Any,
    unit: "z",
    value: ValueOf::Proximity(|near| Ok(bias_of(near)?.z.ok_or_else(one_outcome))),
    replicates: Replicates::Samples(Cost { per_row: 3e-4, fixed: 0.0 }),
    interval: Interval::Percentile,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

fn pairs_of(arranged: &Arranged) -> Result<Rc<MatchedPairs>> {
    arranged.shared(|| matched_pairs(arranged.score, arranged.proximity, Replacement::With, 0))
}

fn bias_of(near: &ArrangedOutcomes) -> Result<Rc<BiasIndex>> {
    let pairs = pairs_of(near.arranged)?;
    near.shared(|| Ok(bias_index(&pairs, near.arranged.score, near.target)))
}

/// * `apart`: there are rows of high and of low proximity
fn no_pairs(apart: bool) -> Reason {
    Reason::undefined(match apart {
        true => "no two rows of high and low proximity have nearly equal scores",
        false => "too many rows have the same proximity",
    })
}

fn one_outcome() -> Reason {
    Reason::undefined("matched rows have one outcome only")
}

/// Beside the bias index where models are held against chance: the probability that counts each row once, see
/// [`fair_p`]. It has no place in the catalogue.
pub static FAIR_P: Metric = Metric {
    id: "bias_p_rows",
    name: "p (proximity bias)",
    plain: "p-value of the proximity bias",
    definition: "Two-sided p-value of the proximity bias; each row counts once, regardless of the number of its \
                 pairs.",
    formula: "2Φ(−|D|/σ_D), D = Σ c_i (t_i − s_i)",
    source: "",
    value: ValueOf::Proximity(|near| {
        let pairs = pairs_of(near.arranged)?;
        Ok(fair_p(&pairs, near.arranged.score, near.target).ok_or_else(one_outcome))
    }),
    better: Better::Neither,
    written: Written::PValue,
    unit: "probability",
    replicates: Replicates::Never,
    interval: Interval::Tested,
    floor: false,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};
