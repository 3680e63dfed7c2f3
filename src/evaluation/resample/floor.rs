//! Metrics on labels redrawn from the scores: what a perfectly calibrated model would have shown.

use std::collections::BTreeMap;

use super::Replicates;
use super::sample::{Sample, Sums, blocks, weighted_sums};
use crate::data::{Column, Predictions};
use crate::error::Result;
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::rng::{Lanes, bernoulli_threshold};

/// What a redraw of the labels needs, rows by ascending score.
pub(super) struct Floor {
    pub(super) threshold: Vec<i32>,
    /// Σ of the losses where every drawn target is 0, and what a drawn target of 1 adds to them a row (with vectors:
    /// hits add theirs; misses are looked up)
    pub(super) nll: (f64, Vec<f64>),
    pub(super) brier: (f64, Vec<f64>),
    /// 1 where a drawn target of 1 means that the prediction was right
    pub(super) hit_is_one: Vec<u8>,
    /// Σ p² + 1 a row, where the missed class must be looked up
    pub(super) base: Vec<f64>,
    pub(super) predicted: Vec<u32>,
    /// Σ s a cell, and Σ s² of all
    pub(super) sums: Vec<f64>,
    pub(super) square: f64,
}

impl Floor {
    pub(super) fn new(data: Option<&Predictions>, sample: &Sample) -> Result<Self> {
        let scored = sample.scored;
        let n = sample.score.len();
        let threshold = sample
            .score
            .iter()
            .map(|&s| bernoulli_threshold(s))
            .collect();
        let log = |p: f64| -p.max(LOG_LOSS_CLIP).ln();
        let (mut nll, mut brier) = ((0.0, Vec::with_capacity(n)), (0.0, Vec::new()));
        let mut hit_is_one = vec![1; n];
        let (mut base, mut predicted) = (Vec::new(), Vec::new());
        let square = sample.score.iter().map(|s| s * s).sum();
        match (&sample.classwise, data) {
            (Some(classwise), Some(data)) => {
                for (&k, &s) in scored.order.iter().zip(&sample.score) {
                    let p = &classwise.p[k as usize * classwise.m..(k as usize + 1) * classwise.m];
                    let square = p.iter().map(|&p| f64::from(p) * f64::from(p)).sum::<f64>() + 1.0;
                    base.push(square);
                    nll.1.push(log(s));
                    brier.1.push(square - 2.0 * s);
                    let row = scored.rows[k as usize] as usize;
                    predicted.push(data.predicted.as_ref().map_or(0, |y| y[row]));
                }
            }
            _ => {
                for (i, (&s, &t)) in sample.score.iter().zip(&sample.target).enumerate() {
                    let k = scored.order[i] as usize;
                    // one of the two losses happened
                    let w = sample
                        .weighted
                        .as_ref()
                        .map_or(1.0, |weighted| weighted.w[i]);
                    let (miss, hit) = if t == 1 {
                        (log(1.0 - s), scored.nll[k])
                    } else {
                        (scored.nll[k], log(s))
                    };
                    nll.0 += w * miss;
                    nll.1.push(w * (hit - miss));
                    // the prediction counts as 1 where it was right and 1 happened, or wrong and 0 happened
                    hit_is_one[i] = u8::from(scored.correct[k] == t);
                }
                brier.0 = square;
            }
        }
        // Scores do not change between redraws, so their sums are taken once.
        let sums = sample
            .cells
            .iter()
            .map(|cell| sample.score[cell.first..cell.end].iter().sum())
            .collect();
        Ok(Floor {
            threshold,
            nll,
            brier,
            hit_is_one,
            base,
            predicted,
            sums,
            square,
        })
    }

    #[inline(never)]
    pub(super) fn redraw(
        &self,
        sample: &Sample,
        mut lanes: Lanes,
        out: &mut BTreeMap<String, Column<f64>>,
    ) {
        if let Some(weighted) = &sample.weighted {
            return self.weighted_redraw(sample, weighted, lanes, out);
        }
        let n = sample.score.len();
        let mut target = vec![0u8; n];
        lanes.fill_bernoulli(&self.threshold, &mut target);
        let mut drawn = sample.classwise.as_ref().map(|_| vec![0u32; n]);
        let mut sums = vec![Sums::default(); sample.cells.len()];
        let mut ones = 0;
        for ((cell, sum), &s) in sample.cells.iter().zip(&mut sums).zip(&self.sums) {
            let t = &target[cell.first..cell.end];
            let here = blocks(t, t, |t, _| t);
            ones += here;
            *sum = Sums {
                w: t.len() as f64,
                s,
                t: here as f64,
            };
        }
        let hits = blocks(&target, &self.hit_is_one, |t, hit| u8::from(t == hit));
        // Σ (s − t)² = Σ s² + Σ t (1 − 2 s)
        let [with, nll, doubled] =
            weighted_sums(&target, [&sample.score, &self.nll.1, &sample.ranks.doubled]);
        let gain = ones as f64 - 2.0 * with;
        let mut nll = self.nll.0 + nll;
        let mut brier = if self.base.is_empty() {
            self.brier.0 + gain
        } else {
            weighted_sums(&target, [&self.brier.1])[0]
        };
        if let (Some(classwise), Some(drawn)) = (&sample.classwise, &mut drawn) {
            for (i, &hit) in target.iter().enumerate() {
                let k = sample.scored.order[i] as usize;
                let mut class = self.predicted[i];
                if hit == 0 {
                    let p = &classwise.p[k * classwise.m..(k + 1) * classwise.m];
                    class = missed(p, self.predicted[i] as usize, lanes.uniform()[0]);
                    let probability = f64::from(p[class as usize]);
                    nll += -probability.max(LOG_LOSS_CLIP).ln();
                    brier += self.base[i] - 2.0 * probability;
                }
                drawn[k] = class;
            }
        }
        let total = n as f64;
        Replicates::push(out, "accuracy", hits as f64 / total);
        Replicates::push(out, "nll", nll / total);
        Replicates::push(out, "brier", brier / total);
        Replicates::push(out, "brier_top", (self.square + gain) / total);
        let auroc = sample.ranks.redrawn(ones, doubled);
        sample.binned(&sums, auroc, total, out);
        let classwise = match (&sample.classwise, &drawn) {
            (Some(classwise), Some(drawn)) => Some(classwise.floor(drawn)),
            _ => sample.mirrored(&sums, total),
        };
        if let Some(value) = classwise {
            Replicates::push(out, "classwise_ece", value);
        }
    }
}

/// The class that was drawn instead of the predicted one, in proportion to the others' probabilities.
pub(super) fn missed(p: &[f32], predicted: usize, uniform: f64) -> u32 {
    let others = || {
        p.iter()
            .enumerate()
            .filter(|&(class, &p)| class != predicted && p > 0.0)
    };
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
