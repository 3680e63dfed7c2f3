//! Metrics on labels redrawn from the scores: what a perfectly calibrated model would have shown.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Replicates;
use super::counts::BLOCK;
use super::sample::{BinCell, Losses, Sample};
use super::sums::{dot, floats, total, weighted_sums};
use crate::data::{ClusterIds, Predictions};
use crate::error::{Error, Result};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::metric::rows::BinSums;
use crate::num::cluster::ClusteredDraws;
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::table::Column;

/// What a redraw of the labels needs, rows by ascending score.
pub(super) struct Floor {
    pub(super) threshold: Vec<i32>,
    /// Σ of the losses where every drawn target is 0, and what a drawn target of 1 adds to them a row (with vectors:
    /// hits add theirs; misses are looked up)
    pub(super) nll: (f64, Vec<f32>),
    pub(super) brier: (f64, Vec<f32>),
    /// 1 where a drawn target of 1 means that the prediction was right
    pub(super) hit_is_one: Vec<u8>,
    /// how many
    hits: u64,
    /// Σ p² + 1 a row, where the missed class must be looked up
    pub(super) base: Vec<f64>,
    pub(super) predicted: Vec<u32>,
    /// Σ s a cell, and Σ s² of all
    pub(super) sums: Vec<f64>,
    pub(super) square: f64,
    /// correlation within clusters, and the cluster of each row
    clustered: Option<ClusteredDraws<'static>>,
}

impl Floor {
    pub(super) fn new(data: Option<&Predictions>, sample: &Sample) -> Result<Self> {
        let scored = sample.scored;
        let n = sample.score.len();
        let threshold = sample.score.iter().map(|&s| bernoulli_threshold(s)).collect();
        let log = |p: f64| -p.max(LOG_LOSS_CLIP).ln();
        let (mut nll, mut brier) = ((0.0, Vec::with_capacity(n)), (0.0, Vec::new()));
        let mut hit_is_one = vec![1; n];
        let [_, happened, _] = &sample.columns;
        let (mut base, mut predicted) = (Vec::new(), Vec::new());
        let square = sample.score.iter().map(|s| s * s).sum();
        match (&sample.classwise, data) {
            (Some(classwise), Some(data)) => {
                for (&k, &s) in scored.order.iter().zip(&sample.score) {
                    let p = &classwise.p[k as usize * classwise.m..(k as usize + 1) * classwise.m];
                    let square = p.iter().map(|&p| f64::from(p) * f64::from(p)).sum::<f64>() + 1.0;
                    base.push(square);
                    nll.1.push(log(s) as f32);
                    brier.1.push((square - 2.0 * s) as f32);
                    let row = scored.rows[k as usize] as usize;
                    predicted.push(data.predicted.as_ref().map_or(0, |y| y[row]));
                }
            }
            _ if scored.of_vectors => {
                return Err(Error::new(
                    "internal",
                    format!("{n} rows of vectors were to be redrawn without their data."),
                    "This is a bug in the program.",
                ));
            }
            _ => {
                for (i, (&s, &t)) in sample.score.iter().zip(&sample.target).enumerate() {
                    // one of the two losses happened
                    let w = sample.weighted.as_ref().map_or(1.0, |weighted| f64::from(weighted.w[i]));
                    let happened = f64::from(happened[i]);
                    let (miss, hit) = if t == 1 { (log(1.0 - s), happened) } else { (happened, log(s)) };
                    nll.0 += w * miss;
                    nll.1.push((w * (hit - miss)) as f32);
                    // the prediction counts as 1 where it was right and 1 happened, or wrong and 0 happened
                    hit_is_one[i] = u8::from(sample.correct[i] == t);
                }
                brier.0 = square;
            }
        }
        // Scores do not change between redraws, so their sums are taken once.
        let sums = sample.cells.iter().map(|cell| sample.score[cell.first..cell.end].iter().sum()).collect();
        let sorted = ClusterIds::at(&scored.clusters, &scored.order).present();
        let clustered = sorted.map(|clusters| {
            let rho = outcome_correlation(&sample.score, &sample.target, &clusters.of, clusters.count);
            ClusteredDraws::new(rho, &sample.score, clusters.of, clusters.count)
        });
        Ok(Floor {
            clustered,
            threshold,
            nll,
            brier,
            hits: total(&hit_is_one),
            hit_is_one,
            base,
            predicted,
            sums,
            square,
        })
    }

    /// Targets of one replicate, rows by ascending score; empty where rows are independent and drawn as they are needed.
    pub(super) fn clustered_targets(&self, lanes: &mut Lanes) -> Vec<u8> {
        let Some(clustered) = &self.clustered else { return Vec::new() };
        let mut target = vec![0u8; self.threshold.len()];
        clustered.fill(lanes, &self.threshold, &mut target);
        target
    }

    /// The metrics of `replicates`, labels of each from its own stream 2r + 1.
    #[inline(never)]
    pub(super) fn redraw(
        &self,
        sample: &Sample,
        seed: u64,
        replicates: Range<usize>,
        out: &mut BTreeMap<String, Column<f64>>,
    ) {
        let lanes = replicates.map(|r| Lanes::seeded(seed, 2 * r as u64 + 1));
        if let Some(weighted) = &sample.weighted {
            return lanes.for_each(|lanes| self.weighted_redraw(sample, weighted, lanes, out));
        }
        let mut all: Vec<Redrawn> = lanes.map(|lanes| Redrawn::new(lanes, sample, self)).collect();
        let (mut drawn, mut w) = ([0u8; BLOCK], [0.0; BLOCK]);
        let [score, ..] = &sample.columns;
        let [rank, rest] = &sample.ranks.doubled;
        let columns = [score, &self.nll.1, rank, rest];
        for pieces in sample.pieces().chunk_by(|a, b| a.first / BLOCK == b.first / BLOCK) {
            let (Some(from), Some(to)) = (pieces.first(), pieces.last()) else {
                continue;
            };
            let block = from.first..to.end;
            for redrawn in &mut all {
                let target = &mut drawn[..block.len()];
                match redrawn.clustered.get(block.clone()) {
                    Some(drawn) if self.clustered.is_some() => target.copy_from_slice(drawn),
                    _ => redrawn.lanes.fill_bernoulli(&self.threshold[block.clone()], target),
                }
                floats(target, &mut w);
                for piece in pieces {
                    let range = piece.first..piece.end;
                    let within = piece.first - block.start..piece.end - block.start;
                    let (t, w) = (&target[within.clone()], &w[within]);
                    let here = total(t);
                    redrawn.ones += here;
                    redrawn.cells[piece.cell].t += here as f64;
                    redrawn.both += dot(t, &self.hit_is_one[range.clone()]);
                    let found = weighted_sums(w, columns.map(|v| &v[range.clone()]));
                    for (sum, found) in redrawn.sums.iter_mut().zip(found) {
                        *sum += found;
                    }
                    if !self.base.is_empty() {
                        redrawn.brier += weighted_sums(w, [&self.brier.1[range]])[0];
                    }
                }
                if sample.classwise.is_some() {
                    redrawn.target.extend_from_slice(target);
                }
            }
        }
        for redrawn in all {
            self.push_metrics(sample, redrawn, out);
        }
    }

    /// The metrics of one replicate.
    fn push_metrics(&self, sample: &Sample, mut redrawn: Redrawn, out: &mut BTreeMap<String, Column<f64>>) {
        for (sum, &s) in redrawn.cells.iter_mut().zip(&self.sums) {
            sum.s = s;
        }
        // Σ (s − t)² = Σ s² + Σ t (1 − 2 s)
        let [with, nll, rank, rest] = redrawn.sums;
        let gain = redrawn.ones as f64 - 2.0 * with;
        let mut nll = self.nll.0 + nll;
        let mut brier = if self.base.is_empty() { self.brier.0 + gain } else { redrawn.brier };
        let n = sample.score.len();
        let classwise = sample.classwise.as_ref().map(|classwise| {
            let mut drawn = vec![0u32; n];
            for (i, &hit) in redrawn.target.iter().enumerate() {
                let k = sample.scored.order[i] as usize;
                let mut class = self.predicted[i];
                if hit == 0 {
                    let p = &classwise.p[k * classwise.m..(k + 1) * classwise.m];
                    class = missed(p, self.predicted[i] as usize, redrawn.lanes.uniform()[0]);
                    let probability = f64::from(p[class as usize]);
                    nll += -probability.max(LOG_LOSS_CLIP).ln();
                    brier += self.base[i] - 2.0 * probability;
                }
                drawn[k] = class;
            }
            classwise.floor(&drawn)
        });
        // right where t and the hit are both 1, or both 0
        let hits = n as f64 + 2.0 * redrawn.both as f64 - (redrawn.ones + self.hits) as f64;
        let total = n as f64;
        let auroc = sample.ranks.redrawn(redrawn.ones, rank + rest);
        let classwise = classwise.or_else(|| sample.mirrored(&redrawn.cells, total));
        let losses = Losses { correct: hits, nll, brier, squared: self.square + gain };
        Replicates::push_sums(out, &sample.row_sums(total, &redrawn.cells, losses, (auroc, classwise)), false);
    }
}

/// Sums of one replicate.
struct Redrawn {
    lanes: Lanes,
    cells: Vec<BinSums>,
    ones: u64,
    /// Σ t (hit is one)
    both: u64,
    /// Σ t s, Σ t (loss that a 1 adds), Σ t (doubled rank, in two parts)
    sums: [f64; 4],
    brier: f64,
    /// every drawn target, where the missed class must be looked up
    target: Vec<u8>,
    /// every drawn target, where rows belong together
    clustered: Vec<u8>,
}

impl Redrawn {
    fn new(mut lanes: Lanes, sample: &Sample, floor: &Floor) -> Self {
        let cell = |cell: &BinCell| BinSums { w: (cell.end - cell.first) as f64, ..BinSums::default() };
        Self {
            clustered: floor.clustered_targets(&mut lanes),
            lanes,
            cells: sample.cells.iter().map(cell).collect(),
            ones: 0,
            both: 0,
            sums: [0.0; 4],
            brier: 0.0,
            target: Vec::new(),
        }
    }
}

/// The class that was drawn instead of the predicted one, in proportion to the others' probabilities.
pub(super) fn missed(p: &[f32], predicted: usize, uniform: f64) -> u32 {
    let others = || p.iter().enumerate().filter(|&(class, &p)| class != predicted && p > 0.0);
    let mut left = uniform * others().map(|(_, &p)| f64::from(p)).sum::<f64>();
    let mut last = predicted;
    for (class, &p) in others() {
        last = class;
        left -= f64::from(p);
        if left < 0.0 {
            break;
        }
    }
    last as u32
}
