//! What every replicate of one method shares, and its metrics on reweighted rows.

use std::collections::BTreeMap;

use super::Replicates;
use super::classwise::Classwise;
use super::ranks::Ranks;
use super::weighted::Weighted;
use crate::data::{Column, Predictions};
use crate::error::Result;
use crate::evaluation::scored::{ADAPTIVE_BINS, Scored};
use crate::metric::binning::{BinOptions, BinScheme};

/// What every replicate of one method shares: rows by ascending score, cut where any binning changes bins.
pub(super) struct Sample<'a> {
    pub(super) scored: &'a Scored,
    /// score and target in ascending order of score
    pub(super) score: Vec<f64>,
    pub(super) target: Vec<u8>,
    pub(super) ranks: Ranks,
    /// (first, end, bin under the options, of the adaptive error, of equal width for s and for 1 − s), contiguous
    pub(super) cells: Vec<Cell>,
    pub(super) bins: usize,
    pub(super) classwise: Option<Classwise>,
    /// (s − t)² in ascending order of score, where the losses are those of a whole vector
    pub(super) squared: Option<Vec<f64>>,
    /// where rows have weights
    pub(super) weighted: Option<Weighted>,
}

#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) width_bin: usize,
    pub(super) mass_bin: usize,
    pub(super) plain_bin: usize,
    pub(super) mirror_bin: usize,
}

/// Sums of a cell: weight, score, target.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) w: f64,
    pub(super) s: f64,
    pub(super) t: f64,
}

impl<'a> Sample<'a> {
    pub(super) fn new(
        data: Option<&Predictions>,
        scored: &'a Scored,
        options: &BinOptions,
    ) -> Result<Self> {
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
        let classwise = match data {
            Some(data) => Classwise::new(data, scored, options)?,
            None => None,
        };
        let error = |(&s, &t): (&f64, &u8)| (s - f64::from(t)) * (s - f64::from(t));
        let squared = classwise
            .is_some()
            .then(|| score.iter().zip(&target).map(error).collect());
        Ok(Sample {
            scored,
            weighted: Weighted::new(scored, &score, &target),
            ranks: Ranks::new(&score, &target),
            score,
            target,
            cells,
            bins,
            classwise,
            squared,
        })
    }

    #[inline(never)]
    pub(super) fn bootstrap(&self, weights: &[u8], out: &mut BTreeMap<String, Column<f64>>) {
        if let Some(weighted) = &self.weighted {
            return self.weighted_bootstrap(weighted, weights, out);
        }
        let scored = self.scored;
        let correct = blocks(weights, &scored.correct, |w, a| w * a);
        let total = blocks(weights, weights, |w, _| w);
        if total == 0 {
            return; // A sample without rows has no metrics; with one row this is every third draw.
        }
        let n = total as f64;
        Replicates::push(out, "accuracy", correct as f64 / n);
        let [nll, brier] = weighted_sums(weights, [&scored.nll, &scored.brier]);
        Replicates::push(out, "nll", nll / n);
        Replicates::push(out, "brier", brier / n);

        let sorted: Vec<u8> = scored.order.iter().map(|&k| weights[k as usize]).collect();
        let mut sums = vec![Sums::default(); self.cells.len()];
        for (cell, sum) in self.cells.iter().zip(&mut sums) {
            let range = cell.first..cell.end;
            let (w, t) = (&sorted[range.clone()], &self.target[range.clone()]);
            let [s] = weighted_sums(w, [&self.score[range]]);
            *sum = Sums {
                w: blocks(w, t, |w, _| w) as f64,
                s,
                t: blocks(w, t, |w, t| w * t) as f64,
            };
        }
        // (s − t)² is what the losses hold, unless they are those of a whole vector
        let squared = match &self.squared {
            None => brier,
            Some(squared) => weighted_sums(&sorted, [squared])[0],
        };
        Replicates::push(out, "brier_top", squared / n);
        self.binned(&sums, self.ranks.weighted(&sorted), n, out);
        let classwise = match &self.classwise {
            Some(classwise) => Some(classwise.bootstrap(weights)),
            None => self.mirrored(&sums, n),
        };
        if let Some(value) = classwise {
            Replicates::push(out, "classwise_ece", value);
        }
    }

    /// Metrics that follow from the sums of the cells.
    pub(super) fn binned(
        &self,
        sums: &[Sums],
        auroc: Option<f64>,
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
        if self.weighted.is_none() {
            let mass = self.by_bin(sums, |cell| cell.mass_bin);
            Replicates::push(
                out,
                "ace",
                mass.iter().map(|b| (b.s - b.t).abs()).sum::<f64>() / n,
            );
        }
        if let Some(auroc) = auroc {
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
    pub(super) fn mirrored(&self, sums: &[Sums], n: f64) -> Option<f64> {
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

/// Σ f(a, b) over bytes, in blocks whose sums fit 16 bits.
#[inline(always)]
pub(super) fn blocks(a: &[u8], b: &[u8], f: impl Fn(u8, u8) -> u8) -> u64 {
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

/// Σ w v of several columns, each in four running sums, so that additions do not wait for one another.
#[inline(never)]
pub(super) fn weighted_sums<const K: usize>(weights: &[u8], values: [&[f64]; K]) -> [f64; K] {
    let (four, rest) = weights.as_chunks::<4>();
    let values = values.map(|v| v.as_chunks::<4>());
    let whole = values.map(|(v, _)| &v[..four.len()]);
    let mut sums = [[0.0; 4]; K];
    for (i, w) in four.iter().enumerate() {
        let w = w.map(f64::from);
        for k in 0..K {
            for lane in 0..4 {
                sums[k][lane] += w[lane] * whole[k][i][lane];
            }
        }
    }
    std::array::from_fn(|k| {
        let last = rest.iter().zip(values[k].1);
        let last: f64 = last.map(|(&w, v)| f64::from(w) * v).sum();
        sums[k].iter().sum::<f64>() + last
    })
}
