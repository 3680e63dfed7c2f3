//! The bin table behind the reliability diagram and every binned error.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::binning::{BinOptions, Binning, Ranked};
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::cluster::{RowClusters, design_effect};
use crate::num::proportion::wilson_interval;
use crate::num::weight::{RowWeights, check_weighted, weight};

/// One non-empty bin of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// index of the bin, 0..B
    pub bin: usize,
    /// lower edge
    pub low: f64,
    /// upper edge
    pub high: f64,
    /// rows in the bin
    pub n: usize,
    /// of them those whose target is 1, whatever their weights
    pub events: usize,
    /// Σ w of its rows; n where they have no weights
    pub weight: f64,
    /// (Σ w)² / Σ w²: as many rows of equal weight would tell the share as exactly; n where they have no weights
    pub effective: f64,
    /// mean score Σ w s / Σ w
    pub mean_score: f64,
    /// share of rows whose target is 1, Σ w t / Σ w
    pub mean_target: f64,
    /// mean score − mean target; positive for over-confidence
    pub gap: f64,
    /// lower end of the Wilson 95 % interval of the share
    pub target_low: f64,
    /// upper end of the Wilson 95 % interval of the share
    pub target_high: f64,
}

impl ReliabilityBin {
    /// Takes the weight of the bin for its number of rows, where each weight is a number of rows.
    pub fn count_rows(&mut self) {
        (self.n, self.effective) = (self.weight.round() as usize, self.weight);
        self.events = (self.mean_target * self.weight).round() as usize;
        (self.target_low, self.target_high) = wilson_interval(self.mean_target * self.weight, self.weight);
    }
}

/// The non-empty bins in ascending order.
///
/// * `s`: scores in [0, 1]; `t`: targets 0 or 1; `binning`: of the same rows
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
pub fn reliability_bins(s: &[f64], t: &[u8], binning: &Binning) -> Result<Vec<ReliabilityBin>> {
    weighted_reliability_bins(s, t, None, binning)
}

/// [`reliability_bins`] of rows with weights; a bin whose weights are all 0 is empty.
///
/// Behind the interval stand Kish's effective rows of the bin, (Σ w)² / Σ w². Errors as there.
pub fn weighted_reliability_bins(s: &[f64], t: &[u8], w: RowWeights, binning: &Binning) -> Result<Vec<ReliabilityBin>> {
    check_weighted(s.len(), t.len(), w)?;
    check_lengths(s.len(), binning.assignment.len())?;
    let mut sums = vec![BinSums::default(); binning.count()];
    if let Some(ranked) = &binning.ranked {
        for block in ranked.blocks() {
            add_tie(&mut sums, s, t, w, ranked, block);
        }
    } else {
        for first in (0..s.len()).step_by(BLOCK) {
            let range = first..s.len().min(first + BLOCK);
            add(&mut sums, s, t, w, &binning.assignment, range);
        }
    }
    let edges = &binning.edges.edges;
    Ok(sums
        .into_iter()
        .enumerate()
        .filter(|(_, sum)| sum.weight > 0.0)
        .map(|(bin, sum)| {
            let mean_score = sum.score / sum.weight;
            let mean_target = sum.events / sum.weight;
            // n, and the events themselves, where all weights are 1
            let effective = sum.weight / (sum.squares / sum.weight);
            let events = sum.events * (effective / sum.weight);
            let (target_low, target_high) = wilson_interval(events, effective);
            ReliabilityBin {
                bin,
                low: edges[bin].max(0.0),
                high: edges[bin + 1].min(1.0),
                n: sum.n,
                events: sum.observed.round() as usize,
                weight: sum.weight,
                effective,
                mean_score,
                mean_target,
                gap: mean_score - mean_target,
                target_low,
                target_high,
            }
        })
        .collect())
}

/// Lets the intervals of bins stand on as many rows as tell as much: those behind a bin, divided by the design effect
/// 1 + (m̃ − 1) ρ of its clusters. O(n).
///
/// * `bins`: of these rows by `binning`; `correlation`: of outcomes within clusters
pub fn widen_for_clusters(bins: &mut [ReliabilityBin], clusters: RowClusters, correlation: f64, binning: &Binning) {
    for one in bins {
        let inside = binning.assignment.iter().zip(clusters.of).filter(|(bin, _)| **bin as usize == one.bin);
        let of: Vec<u32> = inside.map(|(_, &c)| c).collect();
        one.effective /= design_effect(correlation, &of, clusters.count).max(1.0);
        (one.target_low, one.target_high) = wilson_interval(one.mean_target * one.effective, one.effective);
    }
}

/// Rows that are summed in one call: browsers compile well what is called often.
const BLOCK: usize = 4096;

#[inline(never)]
fn add(sums: &mut [BinSums], s: &[f64], t: &[u8], w: RowWeights, bins: &[u32], rows: Range<usize>) {
    for i in rows {
        if let Some(sum) = sums.get_mut(bins[i] as usize) {
            sum.add(weight(w, i), s[i], t[i]);
        }
    }
}

/// Adds tied rows to the bins of their ranks: each counts with the mean of the tie, so that their order decides nothing.
fn add_tie(sums: &mut [BinSums], s: &[f64], t: &[u8], w: RowWeights, ranked: &Ranked, block: Range<usize>) {
    let rows = ranked.order.get(block.clone()).unwrap_or(&[]);
    let mut tie = BinSums::default();
    for &i in rows {
        let i = i as usize;
        tie.add(weight(w, i), s[i], t[i]);
    }
    for (bin, rows) in ranked.bins_of(&block) {
        let Some(sum) = sums.get_mut(bin) else {
            continue;
        };
        let share = rows as f64 / block.len() as f64;
        sum.n += rows;
        sum.weight += share * tie.weight;
        sum.squares += share * tie.squares;
        sum.score += share * tie.score;
        sum.events += share * tie.events;
        sum.observed += share * tie.observed;
    }
}

#[derive(Clone, Copy, Default)]
struct BinSums {
    n: usize,
    weight: f64,
    squares: f64,
    score: f64,
    /// Σ w t
    events: f64,
    /// Σ t
    observed: f64,
}

impl BinSums {
    #[inline]
    fn add(&mut self, w: f64, s: f64, t: u8) {
        self.n += 1;
        self.weight += w;
        self.squares += w * w;
        self.score += w * s;
        self.events += w * f64::from(t);
        self.observed += f64::from(t);
    }
}

/// [`reliability_bins`] with the bins made from the same scores.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
pub fn reliability_table(s: &[f64], t: &[u8], bins: &BinOptions) -> Result<Vec<ReliabilityBin>> {
    check_lengths(s.len(), t.len())?;
    reliability_bins(s, t, &bins.binning(s)?)
}

/// [`reliability_table`] of rows with weights. Errors as there.
pub fn weighted_reliability_table(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    bins: &BinOptions,
) -> Result<Vec<ReliabilityBin>> {
    check_weighted(s.len(), t.len(), w)?;
    weighted_reliability_bins(s, t, w, &bins.binning(s)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::f8_top;

    #[test]
    fn worked_table() {
        let (s, t) = f8_top();
        let table = reliability_table(&s, &t, &BinOptions::equal_width(5)).expect("valid");
        let expected = [(2, 3, 0.466_666_666_7, 1.0), (3, 1, 0.6, 0.0), (4, 4, 0.875, 0.75)];
        assert_eq!(table.len(), 3);
        for (row, (bin, n, score, target)) in table.iter().zip(expected) {
            assert_eq!((row.bin, row.n), (bin, n));
            assert!((row.mean_score - score).abs() < 1e-9 && (row.mean_target - target).abs() < 1e-12);
            assert!(row.target_low <= row.mean_target && row.mean_target <= row.target_high);
        }
    }
}
