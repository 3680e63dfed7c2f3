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
        for (mine, theirs) in [(&mut self.bootstrap, &later.bootstrap), (&mut self.floor, &later.floor)] {
            for (id, values) in theirs {
                mine.entry(id.clone()).or_default().extend_from_slice(values);
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
    /// true where the next score differs
    tie_end: Vec<bool>,
    /// (first, end, bin under the options, of the adaptive error, of equal width for s and for 1 − s), contiguous
    cells: Vec<Cell>,
    bins: usize,
    classwise: Option<Classwise>,
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
        floor.redraw(&sample, Lanes::seeded(seed, 2 * r as u64 + 1), &mut out.floor);
    }
    Ok(out)
}

impl<'a> Sample<'a> {
    fn new(data: &Predictions, scored: &'a Scored, options: &BinOptions) -> Result<Self> {
        let score: Vec<f64> = scored.order.iter().map(|&k| scored.score[k as usize]).collect();
        let target: Vec<u8> = scored.order.iter().map(|&k| scored.target[k as usize]).collect();
        let tie_end = (0..score.len()).map(|i| score.get(i + 1) != Some(&score[i])).collect();
        let width = options.binning(&score)?;
        let adaptive = BinOptions::equal_width(ADAPTIVE_BINS).with_scheme(BinScheme::EqualMassQuantile);
        let mass = adaptive.binning(&score)?;
        let mirrored: Vec<f64> = score.iter().map(|s| 1.0 - s).collect();
        // Class-wise bins are of equal width, whatever the others are.
        let fixed = options.with_scheme(BinScheme::EqualWidth);
        let (plain, mirror) = (fixed.binning(&score)?, fixed.binning(&mirrored)?);
        let (wb, mb, pb, rb) = (&width.assignment, &mass.assignment, &plain.assignment, &mirror.assignment);
        let key = |i: usize| (wb[i], mb[i], pb[i], rb[i]);
        let mut cells: Vec<Cell> = Vec::new();
        for i in 0..score.len() {
            match cells.last_mut() {
                Some(cell) if key(i) == key(cell.first) => cell.end = i + 1,
                _ => cells.push(Cell {
                    first: i,
                    end: i + 1,
                    width_bin: wb[i] as usize,
                    mass_bin: mb[i] as usize,
                    plain_bin: pb[i] as usize,
                    mirror_bin: rb[i] as usize,
                }),
            }
        }
        let bins = width.count().max(mass.count()).max(plain.count()).max(mirror.count());
        let classwise = if data.view == View::Positive { None } else { Classwise::new(data, scored, options)? };
        Ok(Sample { scored, score, target, tie_end, cells, bins, classwise })
    }

    fn bootstrap(&self, weights: &[u8], out: &mut BTreeMap<String, Column<f64>>) {
        let scored = self.scored;
        let (mut total, mut correct) = (0u64, 0u64);
        for (&w, &a) in weights.iter().zip(scored.correct.iter()) {
            total += u64::from(w);
            correct += u64::from(w * a);
        }
        if total == 0 {
            return; // A sample without rows has no metrics; with one row this is every third draw.
        }
        let n = total as f64;
        Replicates::push(out, "accuracy", correct as f64 / n);
        Replicates::push(out, "nll", weighted_sum(weights, &scored.nll) / n);
        Replicates::push(out, "brier", weighted_sum(weights, &scored.brier) / n);

        let mut sums = vec![Sums::default(); self.cells.len()];
        let mut squared = 0.0;
        let mut ranks = RankSum::default();
        for (cell, sum) in self.cells.iter().zip(&mut sums) {
            let range = cell.first..cell.end;
            let rows = scored.order[range.clone()].iter().zip(&self.score[range.clone()]).zip(&self.target[range.clone()]);
            for (((&k, &s), &t), &tie_end) in rows.zip(&self.tie_end[range]) {
                let w = weights[k as usize];
                let (wf, tf) = (f64::from(w), f64::from(t));
                sum.w += wf;
                sum.s += wf * s;
                sum.t += wf * tf;
                squared += wf * (s - tf) * (s - tf);
                ranks.add(u64::from(w * t), u64::from(w * (1 - t)), tie_end);
            }
        }
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
    fn binned(&self, sums: &[Sums], ranks: RankSum, n: f64, out: &mut BTreeMap<String, Column<f64>>) {
        let (s, t): (f64, f64) = sums.iter().fold((0.0, 0.0), |(s, t), sum| (s + sum.s, t + sum.t));
        Replicates::push(out, "mean_gap", (s - t) / n);
        let width = self.by_bin(sums, |cell| cell.width_bin);
        Replicates::push(out, "ece", width.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n);
        let gaps = width.iter().filter(|b| b.w > 0.0).map(|b| ((b.s - b.t) / b.w).abs());
        Replicates::push(out, "mce", gaps.fold(0.0, f64::max));
        let mass = self.by_bin(sums, |cell| cell.mass_bin);
        Replicates::push(out, "ace", mass.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n);
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
        let defined = self.scored.values.get("classwise_ece").is_some_and(|value| value.is_ok());
        defined.then(|| {
            0.5 * (error(self.by_bin(sums, |cell| cell.plain_bin)) + error(self.by_bin(sums, |cell| cell.mirror_bin)))
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
    #[inline(always)]
    fn add(&mut self, positive: u64, negative: u64, tie_end: bool) {
        self.tied.0 += positive;
        self.tied.1 += negative;
        if tie_end {
            self.doubled += self.tied.0 * (2 * self.below + self.tied.1);
            self.below += self.tied.1;
            self.positives += self.tied.0;
            self.tied = (0, 0);
        }
    }

    fn auroc(&self) -> Option<f64> {
        let pairs = self.positives as f64 * self.below as f64;
        (pairs > 0.0).then(|| self.doubled as f64 / (2.0 * pairs))
    }
}

/// Σ w v in four running sums, so that additions do not wait for one another.
fn weighted_sum(weights: &[u8], values: &[f64]) -> f64 {
    let mut sums = [0.0f64; 4];
    let (w4, v4) = (weights.chunks_exact(4), values.chunks_exact(4));
    let rest: f64 = w4.remainder().iter().zip(v4.remainder()).map(|(&w, &v)| f64::from(w) * v).sum();
    for (w, v) in w4.zip(v4) {
        for lane in 0..4 {
            sums[lane] += f64::from(w[lane]) * v[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

impl Classwise {
    fn new(data: &Predictions, scored: &Scored, options: &BinOptions) -> Result<Option<Self>> {
        let (Some(vectors), Some(y)) = (Vectors::new(data, &scored.calibrators)?, &data.y) else { return Ok(None) };
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
        Ok(Some(Self { m, p, bin, bins, y, mass }))
    }

    fn bootstrap(&self, weights: &[u8]) -> f64 {
        let mut sums = vec![0.0f64; self.m * self.bins];
        let mut total = 0u64;
        let rows = self.p.chunks_exact(self.m).zip(self.bin.chunks_exact(self.m));
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
    /// losses where the drawn target is 0 and 1 (with vectors: missed and hit; a miss is looked up)
    nll: Vec<[f64; 2]>,
    brier: Vec<[f64; 2]>,
    /// true where a drawn target of 1 means that the prediction was right
    hit_is_one: Vec<bool>,
    /// Σ p² + 1 a row, where the missed class must be looked up
    base: Vec<f64>,
    predicted: Vec<u32>,
    sums: Vec<f64>,
}

impl Floor {
    fn new(data: &Predictions, sample: &Sample) -> Result<Self> {
        let scored = sample.scored;
        let n = sample.score.len();
        let threshold = sample.score.iter().map(|&s| bernoulli_threshold(s)).collect();
        let log = |p: f64| -p.max(LOG_LOSS_CLIP).ln();
        let mut nll = Vec::with_capacity(n);
        let mut brier = Vec::with_capacity(n);
        let mut hit_is_one = vec![true; n];
        let (mut base, mut predicted) = (Vec::new(), Vec::new());
        let vectors = Vectors::new(data, &scored.calibrators)?;
        match (&sample.classwise, &vectors) {
            (Some(classwise), Some(_)) => {
                for (&k, &s) in scored.order.iter().zip(&sample.score) {
                    let p = &classwise.p[k as usize * classwise.m..(k as usize + 1) * classwise.m];
                    let square = p.iter().map(|&p| f64::from(p) * f64::from(p)).sum::<f64>() + 1.0;
                    base.push(square);
                    nll.push([0.0, log(s)]);
                    brier.push([0.0, square - 2.0 * s]);
                    let row = scored.rows[k as usize] as usize;
                    predicted.push(data.predicted.as_ref().map_or(0, |y| y[row]));
                }
            }
            _ => {
                for (i, &s) in sample.score.iter().enumerate() {
                    nll.push([log(1.0 - s), log(s)]);
                    brier.push([s * s, (1.0 - s) * (1.0 - s)]);
                    let k = scored.order[i] as usize;
                    hit_is_one[i] = scored.correct[k] == scored.target[k];
                }
            }
        }
        // Scores do not change between redraws, so their sums are taken once.
        let sums = sample.cells.iter().map(|cell| sample.score[cell.first..cell.end].iter().sum()).collect();
        Ok(Floor { threshold, nll, brier, hit_is_one, base, predicted, sums })
    }

    fn redraw(&self, sample: &Sample, mut lanes: Lanes, out: &mut BTreeMap<String, Column<f64>>) {
        let n = sample.score.len();
        let mut target = vec![0u8; n];
        lanes.fill_bernoulli(&self.threshold, &mut target);
        let mut drawn = sample.classwise.as_ref().map(|_| vec![0u32; n]);
        let (mut nll, mut brier, mut squared) = (0.0, 0.0, 0.0);
        let mut hits = 0u64;
        let mut ranks = RankSum::default();
        let mut sums = vec![Sums::default(); sample.cells.len()];
        for ((cell, sum), &s_sum) in sample.cells.iter().zip(&mut sums).zip(&self.sums) {
            let mut ones = 0u64;
            for i in cell.first..cell.end {
                let t = target[i];
                ones += u64::from(t);
                hits += u64::from((t == 1) == self.hit_is_one[i]);
                ranks.add(u64::from(t), u64::from(1 - t), sample.tie_end[i]);
                let error = sample.score[i] - f64::from(t);
                squared += error * error;
                nll += self.nll[i][usize::from(t)];
                brier += self.brier[i][usize::from(t)];
            }
            *sum = Sums { w: (cell.end - cell.first) as f64, s: s_sum, t: ones as f64 };
        }
        if let (Some(classwise), Some(drawn)) = (&sample.classwise, &mut drawn) {
            for i in 0..n {
                let k = sample.scored.order[i] as usize;
                let mut class = self.predicted[i];
                if target[i] == 0 {
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
        Replicates::push(out, "brier_top", squared / total);
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

/// Replicates by default: 1,000 up to 200,000 rows, fewer beyond, never under 200.
pub fn default_resamples(rows: usize) -> usize {
    if rows <= 200_000 { 1000 } else { (200_000_000 / rows).max(200) }
}

/// True when resampling needs a probability per class and row.
pub fn needs_vectors(data: &Predictions) -> bool {
    data.view == View::TopLabel && pair::has_vector(data) && data.y.is_some()
}
