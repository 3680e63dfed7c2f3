//! Replicates of rows that were counted elsewhere: numbers of rows are drawn, never cells.
//!
//! Row i stands for nᵢ rows of one score and one outcome. A bootstrap of those rows would draw each of them Poisson(1) times,
//! all together Poisson(nᵢ) times; labels redrawn from the score sᵢ are Binomial(nᵢ, sᵢ) events.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Replicates;
use super::sample::{Losses, Sample};
use crate::metric::auroc::auroc_ascending;
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::metric::rows::BinSums;
use crate::num::large_counts::{Binomial, Poisson};
use crate::num::order::along;
use crate::num::rng::Draws;
use crate::table::Column;

/// Counts by ascending score.
pub(super) struct Counted<'a> {
    /// Poisson(nᵢ) in the order of the rows, in which they are drawn: methods that order them otherwise see the same draws
    of_rows: Vec<Poisson>,
    /// places of the rows by ascending score
    order: &'a [u32],
    /// nᵢ
    n: Vec<f64>,
    /// Binomial(nᵢ, sᵢ)
    events: Vec<Binomial>,
    /// losses of the outcome that each row has
    nll: Vec<f64>,
    brier: Vec<f64>,
    /// every score twice, and once as an event and once not, for ranks of redrawn labels
    twice: (Vec<f64>, Vec<u8>),
}

impl<'a> Counted<'a> {
    pub(super) fn new(sample: &Sample<'a>) -> Self {
        let scored = sample.scored;
        let n = along(&scored.order, &scored.weight);
        let both = sample.score.iter().flat_map(|&s| [(s, 1), (s, 0)]);
        Self {
            of_rows: scored.weight.iter().map(|&n| Poisson::of(n)).collect(),
            order: &scored.order,
            events: n.iter().zip(&sample.score).map(|(&n, &s)| Binomial::of(n, s)).collect(),
            n,
            nll: along(&scored.order, &scored.nll),
            brier: along(&scored.order, &scored.brier),
            twice: both.unzip(),
        }
    }

    /// Replicates `part` of the bootstrap and of the floor, each from its own streams 2r and 2r + 1. O(cells) each.
    pub(super) fn replicates(
        &self,
        sample: &Sample,
        seed: u64,
        part: Range<usize>,
        out: &mut Replicates,
        progress: &mut dyn FnMut(f64),
    ) {
        let (first, count) = (part.start, part.len() as f64);
        for r in part {
            self.bootstrap(sample, &mut Draws::seeded(seed, 2 * r as u64), &mut out.bootstrap);
            self.redraw(sample, &mut Draws::seeded(seed, 2 * r as u64 + 1), &mut out.floor);
            progress((r + 1 - first) as f64 / count);
        }
    }

    fn bootstrap(&self, sample: &Sample, draws: &mut Draws, out: &mut BTreeMap<String, Column<f64>>) {
        let drawn: Vec<f64> = self.of_rows.iter().map(|of_row| of_row.draw(draws)).collect();
        let drawn = along(self.order, &drawn);
        let mut losses = Losses { correct: 0.0, nll: 0.0, brier: 0.0, squared: 0.0 };
        let events: Vec<f64> = drawn.iter().zip(&sample.target).map(|(k, &t)| k * f64::from(t)).collect();
        for (i, (&k, &s)) in drawn.iter().zip(&sample.score).enumerate() {
            losses.correct += k * f64::from(sample.correct[i]);
            losses.nll += k * self.nll[i];
            losses.brier += k * self.brier[i];
            losses.squared += k * (s - f64::from(sample.target[i])).powi(2);
        }
        let auroc = auroc_ascending(&sample.score, &sample.target, |i| drawn[i]);
        push(sample, &drawn, &events, losses, auroc, out);
    }

    fn redraw(&self, sample: &Sample, draws: &mut Draws, out: &mut BTreeMap<String, Column<f64>>) {
        let events: Vec<f64> = self.events.iter().map(|events| events.draw(draws)).collect();
        let log = |p: f64| -p.max(LOG_LOSS_CLIP).ln();
        let mut losses = Losses { correct: 0.0, nll: 0.0, brier: 0.0, squared: 0.0 };
        for (i, (&e, &s)) in events.iter().zip(&sample.score).enumerate() {
            let others = self.n[i] - e;
            // the prediction counts as 1 where it was right and 1 happened, or wrong and 0 happened
            losses.correct += if sample.correct[i] == sample.target[i] { e } else { others };
            losses.nll += e * log(s) + others * log(1.0 - s);
            losses.squared += e * (1.0 - s).powi(2) + others * s * s;
        }
        losses.brier = losses.squared;
        let (score, target) = &self.twice;
        let weight = |i: usize| if i.is_multiple_of(2) { events[i / 2] } else { self.n[i / 2] - events[i / 2] };
        let auroc = auroc_ascending(score, target, weight);
        push(sample, &self.n, &events, losses, auroc, out);
    }
}

/// The metrics of one replicate: `n` rows at every score, `events` of them.
fn push(
    sample: &Sample,
    n: &[f64],
    events: &[f64],
    losses: Losses,
    auroc: Option<f64>,
    out: &mut BTreeMap<String, Column<f64>>,
) {
    let sums = sample.cells.iter().map(|cell| {
        let mut sum = BinSums::default();
        for i in cell.first..cell.end {
            sum.w += n[i];
            sum.s += n[i] * sample.score[i];
            sum.t += events[i];
        }
        sum
    });
    let sums: Vec<BinSums> = sums.collect();
    let all: f64 = sums.iter().map(|sum| sum.w).sum();
    if all > 0.0 {
        let classwise = sample.mirrored(&sums, all);
        Replicates::push_sums(out, &sample.row_sums(all, &sums, losses, (auroc, classwise)), true);
    }
}
