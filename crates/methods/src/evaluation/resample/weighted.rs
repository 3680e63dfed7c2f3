//! Replicates of rows with weights: the same sums with the weights multiplied in.

use std::collections::BTreeMap;

use super::Replicates;
use super::classwise::Classwise;
use super::floor::{Floor, missed};
use super::sample::{Losses, Sample};
use super::sums::{floats, weighted_sums};
use crate::evaluation::scored::Scored;
use crate::metric::auroc::auroc_ascending;
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::metric::rows::BinSums;
use crate::num::rng::Lanes;
use crate::table::Column;

/// Columns of a sample times the weights of its rows, by ascending score.
pub(super) struct Weighted {
    /// weight of the row in the sample
    pub(super) w: Vec<f32>,
    s: Vec<f32>,
    t: Vec<f32>,
    /// w a
    correct: Vec<f32>,
    nll: Vec<f32>,
    brier: Vec<f32>,
    /// w (s − t)²
    squared: Vec<f32>,
}

impl Weighted {
    /// `None` where every row counts once.
    pub(super) fn new(scored: &Scored, score: &[f64], target: &[u8]) -> Option<Self> {
        let weights = scored.weights()?;
        let places = || scored.order.iter().map(|&k| k as usize);
        let times = |x: &dyn Fn(usize, usize) -> f64| -> Vec<f32> {
            let rows = places().enumerate();
            rows.map(|(i, k)| (weights[k] * x(i, k)) as f32).collect()
        };
        Some(Self {
            s: times(&|i, _| score[i]),
            t: times(&|i, _| f64::from(target[i])),
            correct: times(&|_, k| f64::from(scored.correct[k])),
            nll: times(&|_, k| scored.nll[k]),
            brier: times(&|_, k| scored.brier[k]),
            squared: times(&|i, _| (score[i] - f64::from(target[i])).powi(2)),
            w: times(&|_, _| 1.0),
        })
    }
}

impl Sample<'_> {
    /// The metrics where row k stands `counts[k]` times, each with its weight.
    #[inline(never)]
    pub(super) fn weighted_bootstrap(
        &self,
        weighted: &Weighted,
        counts: &[u8],
        out: &mut BTreeMap<String, Column<f64>>,
    ) {
        let order = &self.scored.order;
        let sorted: Vec<u8> = order.iter().map(|&k| counts[k as usize]).collect();
        let mut times = vec![0.0; sorted.len()];
        floats(&sorted, &mut times);
        let mut sums = vec![BinSums::default(); self.cells.len()];
        for (cell, sum) in self.cells.iter().zip(&mut sums) {
            let range = cell.first..cell.end;
            let of = [&weighted.w, &weighted.s, &weighted.t].map(|v| &v[range.clone()]);
            let [w, s, t] = weighted_sums(&times[range.clone()], of);
            *sum = BinSums { w, s, t };
        }
        let n: f64 = sums.iter().map(|sum| sum.w).sum();
        if n <= 0.0 {
            return;
        }
        let columns = [&weighted.correct[..], &weighted.nll, &weighted.brier, &weighted.squared];
        let [correct, nll, brier, squared] = weighted_sums(&times, columns);
        let auroc = auroc_ascending(&self.score, &self.target, |i| f64::from(times[i]) * f64::from(weighted.w[i]));
        let classwise = match &self.classwise {
            Some(classwise) => {
                let mut by_row = vec![0.0; counts.len()];
                for ((&k, &count), &w) in order.iter().zip(&times).zip(&weighted.w) {
                    by_row[k as usize] = f64::from(count) * f64::from(w);
                }
                Some(classwise.bootstrap(&by_row))
            }
            None => self.mirrored(&sums, n),
        };
        let losses = Losses { correct, nll, brier, squared };
        Replicates::push_sums(out, &self.row_sums(n, &sums, losses, (auroc, classwise)), true);
    }
}

impl Floor {
    /// The metrics with labels redrawn from the scores, rows with the weights they have.
    #[inline(never)]
    pub(super) fn weighted_redraw(
        &self,
        sample: &Sample,
        weighted: &Weighted,
        mut lanes: Lanes,
        out: &mut BTreeMap<String, Column<f64>>,
    ) {
        let mut target = self.clustered_targets(&mut lanes);
        if target.is_empty() {
            target = vec![0u8; sample.score.len()];
            lanes.fill_bernoulli(&self.threshold, &mut target);
        }
        let mut ones = vec![0.0; target.len()];
        floats(&target, &mut ones);
        let mut sums = vec![BinSums::default(); sample.cells.len()];
        for (cell, sum) in sample.cells.iter().zip(&mut sums) {
            let range = cell.first..cell.end;
            let [t] = weighted_sums(&ones[range.clone()], [&weighted.w[range.clone()]]);
            let all = |v: &[f32]| v[range.clone()].iter().map(|&v| f64::from(v)).sum();
            let (w, s) = (all(&weighted.w), all(&weighted.s));
            *sum = BinSums { w, s, t };
        }
        let n: f64 = sums.iter().map(|sum| sum.w).sum();
        let classes = sample.classwise.as_ref();
        let mut drawn = classes.map(|_| vec![0u32; target.len()]);
        let (mut hits, mut squared, mut nll, mut brier) = (0.0, 0.0, self.nll.0, 0.0);
        for (i, (&t, &w)) in target.iter().zip(&weighted.w).enumerate() {
            let w = f64::from(w);
            let (s, happened) = (sample.score[i], f64::from(t));
            let error = w * (s - happened).powi(2);
            squared += error;
            hits += w * f64::from(u8::from(t == self.hit_is_one[i]));
            let Some(classwise) = classes else {
                nll += happened * f64::from(self.nll.1[i]);
                brier += error;
                continue;
            };
            let (mut class, mut probability) = (self.predicted[i], s);
            let k = sample.scored.order[i] as usize;
            if t == 0 {
                let p = &classwise.p[k * classwise.m..(k + 1) * classwise.m];
                class = missed(p, class as usize, lanes.uniform()[0]);
                probability = f64::from(p[class as usize]);
            }
            nll += -w * probability.max(LOG_LOSS_CLIP).ln();
            brier += w * (self.base[i] - 2.0 * probability);
            if let Some(drawn) = &mut drawn {
                drawn[k] = class;
            }
        }
        let auroc = auroc_ascending(&sample.score, &target, |i| f64::from(weighted.w[i]));
        let classwise = match (classes, &drawn) {
            (Some(classwise), Some(drawn)) => Some(classwise.weighted_floor(drawn, n)),
            _ => sample.mirrored(&sums, n),
        };
        let losses = Losses { correct: hits, nll, brier, squared };
        Replicates::push_sums(out, &sample.row_sums(n, &sums, losses, (auroc, classwise)), true);
    }
}

impl Classwise {
    /// [`Classwise::floor`] of rows with weights that sum to `total`.
    fn weighted_floor(&self, drawn: &[u32], total: f64) -> f64 {
        let mut sums = self.mass.clone();
        let rows = drawn.iter().zip(self.bin.chunks_exact(self.m));
        for ((&y, bin), w) in rows.zip(&self.weight) {
            sums[y as usize * self.bins + usize::from(bin[y as usize])] -= w;
        }
        sums.iter().map(|s| s.abs()).sum::<f64>() / (self.m as f64 * total)
    }
}
