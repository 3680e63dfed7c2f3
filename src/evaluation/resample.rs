//! Bootstrap intervals and noise floors: the same metrics on reweighted rows, and on labels redrawn from the scores.
//!
//! Replicate r of the bootstrap draws Poisson(1) weights from stream 2r, in the order of the scored rows, so that
//! two methods on the same rows see the same weights and their differences are paired. Replicate r of the floor
//! draws labels from stream 2r + 1: what a perfectly calibrated model with these scores would have shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pair;
use super::scored::{ADAPTIVE_BINS, Scored, Vectors};
use crate::data::{Column, Predictions, View};
use crate::error::Result;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::rng::{Lanes, bernoulli_threshold};

/// Replicates of some metrics.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Replicates {
    /// metric values on reweighted rows, by id
    pub bootstrap: BTreeMap<String, Column<f64>>,
    /// metric values on redrawn labels, by id
    pub floor: BTreeMap<String, Column<f64>>,
}

impl Replicates {
    fn push(into: &mut BTreeMap<String, Column<f64>>, id: &str, value: f64) {
        into.entry(id.to_owned()).or_default().push(value);
    }

    /// Appends the replicates of a later part.
    pub fn extend(&mut self, later: &Replicates) {
        for (mine, theirs) in [
            (&mut self.bootstrap, &later.bootstrap),
            (&mut self.floor, &later.floor),
        ] {
            for (id, values) in theirs {
                mine.entry(id.clone())
                    .or_default()
                    .extend_from_slice(values);
            }
        }
    }
}

/// What every replicate of one method shares: rows by ascending score, cut where any binning changes bins.
struct Sample<'a> {
    scored: &'a Scored,
    /// score and target in ascending order of score
    score: Vec<f64>,
    target: Vec<u8>,
    /// all bits set where the next score differs, else 0
    tie_end: Vec<u8>,
    /// (first, end, bin under the options, of the adaptive error, of equal width for s and for 1 − s), contiguous
    cells: Vec<Cell>,
    bins: usize,
    classwise: Option<Classwise>,
    /// (s − t)² in ascending order of score, where the losses are those of a whole vector
    squared: Option<Vec<f64>>,
}

#[derive(Clone, Copy)]
struct Cell {
    first: usize,
    end: usize,
    width_bin: usize,
    mass_bin: usize,
    plain_bin: usize,
    mirror_bin: usize,
}

/// Probability vectors kept for class-wise sums; not needed for two classes in the positive view.
struct Classwise {
    m: usize,
    p: Vec<f32>,
    bin: Vec<u16>,
    bins: usize,
    y: Vec<u32>,
    /// Σ p per class and bin
    mass: Vec<f64>,
}

/// Sums of a cell: weight, score, target.
#[derive(Clone, Copy, Default)]
struct Sums {
    w: f64,
    s: f64,
    t: f64,
}

/// Replicates `first..last` of the bootstrap and of the floor.
///
/// # Errors
/// As [`Vectors::new`] and [`Bins::new`].
///
/// # Cost
/// O(n) per replicate; O(n m) where class-wise sums are needed.
pub fn replicates(
    data: &Predictions,
    scored: &Scored,
    options: &BinOptions,
    seed: u64,
    first: usize,
    last: usize,
) -> Result<Replicates> {
    let sample = Sample::new(data, scored, options)?;
    let mut out = Replicates::default();
    let floor = Floor::new(data, &sample)?;
    let mut weights = vec![0u8; scored.rows.len()];
    for r in first..last {
        Lanes::seeded(seed, 2 * r as u64).fill_poisson(&mut weights);
        sample.bootstrap(&weights, &mut out.bootstrap);
        floor.redraw(
            &sample,
            Lanes::seeded(seed, 2 * r as u64 + 1),
            &mut out.floor,
        );
    }
    Ok(out)
}

impl<'a> Sample<'a> {
    fn new(data: &Predictions, scored: &'a Scored, options: &BinOptions) -> Result<Self> {
        let score: Vec<f64> = scored
            .order
            .iter()
            .map(|&k| scored.score[k as usize])
            .collect();
        let target: Vec<u8> = scored
            .order
            .iter()
            .map(|&k| scored.target[k as usize])
            .collect();
        let tie_end = (0..score.len())
            .map(|i| {
                if score.get(i + 1) == Some(&score[i]) {
                    0
                } else {
                    u8::MAX
                }
            })
            .collect();
        let adaptive =
            BinOptions::equal_width(ADAPTIVE_BINS).with_scheme(BinScheme::EqualMassQuantile);
        let (width, mass) = (options.bin_edges(&score)?, adaptive.bin_edges(&score)?);
        // Class-wise bins are of equal width, whatever the others are.
        let fixed = options.with_scheme(BinScheme::EqualWidth).bin_edges(&[])?;
        let n = score.len();
        let key = |i: usize| {
            let own = if options.scheme == BinScheme::EqualMassRank {
                i * options.count / n
            } else {
                width.bin_of(score[i])
            };
            (
                own,
                mass.bin_of(score[i]),
                fixed.bin_of(score[i]),
                fixed.bin_of(1.0 - score[i]),
            )
        };
        // Along ascending scores every binning moves one way only, so a cell ends where its key first changes.
        let mut cells: Vec<Cell> = Vec::new();
        let mut first = 0;
        while first < n {
            let found = key(first);
            let (mut low, mut high) = (first + 1, n);
            while low < high {
                let middle = low + (high - low) / 2;
                if key(middle) == found {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            let (width_bin, mass_bin, plain_bin, mirror_bin) = found;
            cells.push(Cell {
                first,
                end: low,
                width_bin,
                mass_bin,
                plain_bin,
                mirror_bin,
            });
            first = low;
        }
        let bins = width.count().max(mass.count()).max(fixed.count());
        let classwise = if data.view == View::Positive {
            None
        } else {
            Classwise::new(data, scored, options)?
        };
        let error = |(&s, &t): (&f64, &u8)| (s - f64::from(t)) * (s - f64::from(t));
        let squared = classwise
            .is_some()
            .then(|| score.iter().zip(&target).map(error).collect());
        Ok(Sample {
            scored,
            score,
            target,
            tie_end,
            cells,
            bins,
            classwise,
            squared,
        })
    }

    fn bootstrap(&self, weights: &[u8], out: &mut BTreeMap<String, Column<f64>>) {
        let scored = self.scored;
        let correct = blocks(weights, &scored.correct, |w, a| w * a);
        let total = blocks(weights, weights, |w, _| w);
        if total == 0 {
            return; // A sample without rows has no metrics; with one row this is every third draw.
        }
        let n = total as f64;
        Replicates::push(out, "accuracy", correct as f64 / n);
        Replicates::push(out, "nll", weighted_sum(weights, &scored.nll) / n);
        Replicates::push(out, "brier", weighted_sum(weights, &scored.brier) / n);

        let sorted: Vec<u8> = scored.order.iter().map(|&k| weights[k as usize]).collect();
        let mut sums = vec![Sums::default(); self.cells.len()];
        let mut ranks = RankSum::default();
        for (cell, sum) in self.cells.iter().zip(&mut sums) {
            let range = cell.first..cell.end;
            let (w, t) = (&sorted[range.clone()], &self.target[range.clone()]);
            let ones: u64 = blocks(w, t, |w, t| w * t);
            *sum = Sums {
                w: blocks(w, t, |w, _| w) as f64,
                s: weighted_sum(w, &self.score[range.clone()]),
                t: ones as f64,
            };
            ranks.add(w, t, &self.tie_end[range]);
        }
        // (s − t)² is what the losses hold, unless they are those of a whole vector
        let squared = match &self.squared {
            None => weighted_sum(weights, &scored.brier),
            Some(squared) => weighted_sum(&sorted, squared),
        };
        Replicates::push(out, "brier_top", squared / n);
        self.binned(&sums, ranks, n, out);
        let classwise = match &self.classwise {
            Some(classwise) => Some(classwise.bootstrap(weights)),
            None => self.mirrored(&sums, n),
        };
        if let Some(value) = classwise {
            Replicates::push(out, "classwise_ece", value);
        }
    }

    /// Metrics that follow from the sums of the cells.
    fn binned(
        &self,
        sums: &[Sums],
        ranks: RankSum,
        n: f64,
        out: &mut BTreeMap<String, Column<f64>>,
    ) {
        let (s, t): (f64, f64) = sums
            .iter()
            .fold((0.0, 0.0), |(s, t), sum| (s + sum.s, t + sum.t));
        Replicates::push(out, "mean_gap", (s - t) / n);
        let width = self.by_bin(sums, |cell| cell.width_bin);
        Replicates::push(
            out,
            "ece",
            width.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n,
        );
        let gaps = width
            .iter()
            .filter(|b| b.w > 0.0)
            .map(|b| ((b.s - b.t) / b.w).abs());
        Replicates::push(out, "mce", gaps.fold(0.0, f64::max));
        let mass = self.by_bin(sums, |cell| cell.mass_bin);
        Replicates::push(
            out,
            "ace",
            mass.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n,
        );
        if let Some(auroc) = ranks.auroc() {
            Replicates::push(out, "auroc", auroc);
        }
    }

    fn by_bin(&self, sums: &[Sums], bin: impl Fn(&Cell) -> usize) -> Vec<Sums> {
        let mut bins = vec![Sums::default(); self.bins];
        for (cell, sum) in self.cells.iter().zip(sums) {
            let b = &mut bins[bin(cell)];
            b.w += sum.w;
            b.s += sum.s;
            b.t += sum.t;
        }
        bins
    }

    /// Class-wise error of (1 − p, p): the pair of class 0 has the same gaps in the bins of 1 − p.
    fn mirrored(&self, sums: &[Sums], n: f64) -> Option<f64> {
        if self.classwise.is_some() {
            return None;
        }
        let error = |bins: Vec<Sums>| bins.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n;
        let defined = self
            .scored
            .values
            .get("classwise_ece")
            .is_some_and(|value| value.is_ok());
        defined.then(|| {
            0.5 * (error(self.by_bin(sums, |cell| cell.plain_bin))
                + error(self.by_bin(sums, |cell| cell.mirror_bin)))
        })
    }
}

/// Rank sum of positives over negatives while rows come by ascending score; ties count half.
#[derive(Clone, Copy, Default)]
struct RankSum {
    below: u64,
    doubled: u64,
    positives: u64,
    tied: (u64, u64),
}

impl RankSum {
    /// Appends rows: weights, targets, and all bits set where a tie ends. Without branches: ties come at random.
    fn add(&mut self, weight: &[u8], target: &[u8], tie_end: &[u8]) {
        let Self {
            mut below,
            mut doubled,
            mut positives,
            tied: (mut positive, mut negative),
        } = *self;
        for ((&w, &t), &end) in weight.iter().zip(target).zip(tie_end) {
            let end = i64::from(end as i8) as u64;
            positive += u64::from(w * t);
            negative += u64::from(w * (1 - t));
            doubled += (positive * (2 * below + negative)) & end;
            below += negative & end;
            positives += positive & end;
            positive &= !end;
            negative &= !end;
        }
        *self = Self {
            below,
            doubled,
            positives,
            tied: (positive, negative),
        };
    }

    fn auroc(&self) -> Option<f64> {
        let pairs = self.positives as f64 * self.below as f64;
        (pairs > 0.0).then(|| self.doubled as f64 / (2.0 * pairs))
    }
}

/// Σ f(a, b) over bytes, in blocks whose sums fit 16 bits.
#[inline(always)]
fn blocks(a: &[u8], b: &[u8], f: impl Fn(u8, u8) -> u8) -> u64 {
    let block = |(a, b): (&[u8], &[u8])| {
        u64::from(
            a.iter()
                .zip(b)
                .map(|(&a, &b)| u16::from(f(a, b)))
                .sum::<u16>(),
        )
    };
    a.chunks(256).zip(b.chunks(256)).map(block).sum()
}

/// Σ w v in four running sums, so that additions do not wait for one another.
fn weighted_sum(weights: &[u8], values: &[f64]) -> f64 {
    let mut sums = [0.0f64; 4];
    let (w4, v4) = (weights.chunks_exact(4), values.chunks_exact(4));
    let rest: f64 = w4
        .remainder()
        .iter()
        .zip(v4.remainder())
        .map(|(&w, &v)| f64::from(w) * v)
        .sum();
    for (w, v) in w4.zip(v4) {
        for lane in 0..4 {
            sums[lane] += f64::from(w[lane]) * v[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

impl Classwise {
    fn new(data: &Predictions, scored: &Scored, options: &BinOptions) -> Result<Option<Self>> {
        let (Some(vectors), Some(y)) = (Vectors::new(data, &scored.calibrators)?, &data.y) else {
            return Ok(None);
        };
        let (n, m) = (scored.rows.len(), vectors.width());
        let mut row = vec![0.0; m];
        let (mut p, mut bin) = (Vec::with_capacity(n * m), Vec::with_capacity(n * m));
        let fixed = options.with_scheme(BinScheme::EqualWidth).bin_edges(&[])?;
        let bins = fixed.count();
        let mut mass = vec![0.0; m * bins];
        for (k, &i) in scored.rows.iter().enumerate() {
            vectors.vector_into(i as usize, scored.fold[k], scored.score[k], &mut row);
            for (class, &value) in row.iter().enumerate() {
                let b = fixed.bin_of(value);
                mass[class * bins + b] += value;
                p.push(value as f32);
                bin.push(b as u16);
            }
        }
        let y = scored.rows.iter().map(|&i| y[i as usize]).collect();
        Ok(Some(Self {
            m,
            p,
            bin,
            bins,
            y,
            mass,
        }))
    }

    fn bootstrap(&self, weights: &[u8]) -> f64 {
        let mut sums = vec![0.0f64; self.m * self.bins];
        let mut total = 0u64;
        let rows = self
            .p
            .chunks_exact(self.m)
            .zip(self.bin.chunks_exact(self.m));
        for ((&w, &y), (p, bin)) in weights.iter().zip(&self.y).zip(rows) {
            if w == 0 {
                continue;
            }
            total += u64::from(w);
            let w = f64::from(w);
            for (class, (&p, &b)) in p.iter().zip(bin).enumerate() {
                sums[class * self.bins + usize::from(b)] += w * f64::from(p);
            }
            sums[y as usize * self.bins + usize::from(bin[y as usize])] -= w;
        }
        sums.iter().map(|s| s.abs()).sum::<f64>() / (self.m as f64 * (total as f64).max(1.0))
    }

    fn floor(&self, drawn: &[u32]) -> f64 {
        let mut sums = self.mass.clone();
        for (&y, bin) in drawn.iter().zip(self.bin.chunks_exact(self.m)) {
            sums[y as usize * self.bins + usize::from(bin[y as usize])] -= 1.0;
        }
        sums.iter().map(|s| s.abs()).sum::<f64>() / (self.m as f64 * drawn.len() as f64)
    }
}

/// What a redraw of the labels needs, rows by ascending score.
struct Floor {
    threshold: Vec<i32>,
    /// Σ of the losses where every drawn target is 0, and what a drawn target of 1 adds to them a row (with vectors:
    /// hits add theirs; misses are looked up)
    nll: (f64, Vec<f64>),
    brier: (f64, Vec<f64>),
    /// 1 where a drawn target of 1 means that the prediction was right
    hit_is_one: Vec<u8>,
    /// Σ p² + 1 a row, where the missed class must be looked up
    base: Vec<f64>,
    predicted: Vec<u32>,
    /// Σ s a cell, and Σ s² of all
    sums: Vec<f64>,
    square: f64,
    ones: Vec<u8>,
}

impl Floor {
    fn new(data: &Predictions, sample: &Sample) -> Result<Self> {
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
        let vectors = Vectors::new(data, &scored.calibrators)?;
        let square = sample.score.iter().map(|s| s * s).sum();
        match (&sample.classwise, &vectors) {
            (Some(classwise), Some(_)) => {
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
                    let (miss, hit) = if t == 1 {
                        (log(1.0 - s), scored.nll[k])
                    } else {
                        (scored.nll[k], log(s))
                    };
                    nll.0 += miss;
                    nll.1.push(hit - miss);
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
            ones: vec![1; n],
        })
    }

    fn redraw(&self, sample: &Sample, mut lanes: Lanes, out: &mut BTreeMap<String, Column<f64>>) {
        let n = sample.score.len();
        let mut target = vec![0u8; n];
        lanes.fill_bernoulli(&self.threshold, &mut target);
        let mut drawn = sample.classwise.as_ref().map(|_| vec![0u32; n]);
        let mut ranks = RankSum::default();
        ranks.add(&self.ones, &target, &sample.tie_end);
        let mut sums = vec![Sums::default(); sample.cells.len()];
        let (mut ones, mut with) = (0, 0.0);
        for ((cell, sum), &s) in sample.cells.iter().zip(&mut sums).zip(&self.sums) {
            let range = cell.first..cell.end;
            let t = &target[range.clone()];
            let here = blocks(t, t, |t, _| t);
            ones += here;
            with += weighted_sum(t, &sample.score[range]);
            *sum = Sums {
                w: t.len() as f64,
                s,
                t: here as f64,
            };
        }
        let hits = blocks(&target, &self.hit_is_one, |t, hit| u8::from(t == hit));
        // Σ (s − t)² = Σ s² + Σ t (1 − 2 s)
        let gain = ones as f64 - 2.0 * with;
        let mut nll = self.nll.0 + weighted_sum(&target, &self.nll.1);
        let mut brier = if self.base.is_empty() {
            self.brier.0 + gain
        } else {
            weighted_sum(&target, &self.brier.1)
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
        sample.binned(&sums, ranks, total, out);
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
fn missed(p: &[f32], predicted: usize, uniform: f64) -> u32 {
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

/// Replicates by default: 1,000 up to 200,000 rows, fewer beyond, never under 200.
pub fn default_resamples(rows: usize) -> usize {
    if rows <= 200_000 {
        1000
    } else {
        (200_000_000 / rows).max(200)
    }
}

/// True when resampling needs a probability per class and row.
pub fn needs_vectors(data: &Predictions) -> bool {
    data.view == View::TopLabel && pair::has_vector(data) && data.y.is_some()
}
