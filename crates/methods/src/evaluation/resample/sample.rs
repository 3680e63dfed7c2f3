//! What every replicate of one method shares, and its metrics on reweighted rows.

use std::collections::BTreeMap;

use super::Replicates;
use super::classwise::Classwise;
use super::counts::{AT_ONCE, BLOCK, Counts};
use super::ranks::{Ranks, SPARE};
use super::sums::{dot, floats, total, weighted_sums};
use super::weighted::Weighted;
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::scored::Scored;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::classwise::CLASSWISE_ECE;
use crate::metric::ece::ADAPTIVE_BINS;
use crate::metric::rows::{BinSums, RowSums};
use crate::num::order::along;
use crate::table::Column;

/// What every replicate of one method shares: rows by ascending score, cut where any binning changes bins.
pub(super) struct Sample<'a> {
    pub(super) scored: &'a Scored,
    /// score and target in ascending order of score
    pub(super) score: Vec<f64>,
    pub(super) target: Vec<u8>,
    pub(super) ranks: Ranks,
    /// contiguous
    pub(super) cells: Vec<BinCell>,
    pub(super) bins: usize,
    pub(super) classwise: Option<Classwise>,
    /// score, loss, and (s − t)², in ascending order of score
    pub(super) columns: [Vec<f32>; 3],
    /// squared error of the whole vector, where the losses are of it
    brier: Option<Vec<f32>>,
    /// whether the prediction was right
    pub(super) correct: Vec<u8>,
    /// ranges of rows within a cell and within a block of draws, and the cell
    pieces: Vec<Piece>,
    /// of cells whose bin is `bins + k`: the bins that tied rows fall into, and the share of each
    shared: Vec<Vec<(usize, f64)>>,
    /// where rows have weights
    pub(super) weighted: Option<Weighted>,
}

/// Rows that are drawn together and belong to one cell.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) cell: usize,
}

/// Rows by ascending score that no binning divides.
#[derive(Clone, Copy)]
pub(super) struct BinCell {
    pub(super) first: usize,
    pub(super) end: usize,
    /// bin under the options; from the number of bins on, a tie that ranks divide
    pub(super) width_bin: usize,
    /// bin of the adaptive error
    pub(super) mass_bin: usize,
    /// class-wise bin of s
    pub(super) plain_bin: usize,
    /// class-wise bin of 1 − s
    pub(super) mirror_bin: usize,
}

/// Runs of equal keys among `n` rows by ascending score. Along ascending scores every binning moves one way only, so a cell
/// ends where its key first changes.
///
/// * `key`: the four bins of a row, in the order of [`BinCell`]
fn cells(n: usize, key: impl Fn(usize) -> (usize, usize, usize, usize)) -> Vec<BinCell> {
    let mut cells: Vec<BinCell> = Vec::new();
    let mut first = 0;
    while first < n {
        let found = key(first);
        let (mut low, mut high) = (first + 1, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if key(middle) == found { low = middle + 1 } else { high = middle }
        }
        let (width_bin, mass_bin, plain_bin, mirror_bin) = found;
        cells.push(BinCell { first, end: low, width_bin, mass_bin, plain_bin, mirror_bin });
        first = low;
    }
    cells
}

/// Cells cut where blocks of draws end.
fn pieces(cells: &[BinCell]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(cells.len() + cells.last().map_or(0, |cell| cell.end) / BLOCK + 1);
    for (cell, BinCell { first, end, .. }) in cells.iter().enumerate() {
        let mut first = *first;
        while first < *end {
            let next = (first / BLOCK + 1) * BLOCK;
            let end = next.min(*end);
            pieces.push(Piece { first, end, cell });
            first = end;
        }
    }
    pieces
}

/// Sums over the rows of one replicate.
struct Reweighted {
    cells: Vec<BinSums>,
    nll: f64,
    squared: f64,
    brier: f64,
    correct: u64,
}

impl Reweighted {
    fn new(cells: usize) -> Self {
        Self { cells: vec![BinSums::default(); cells], nll: 0.0, squared: 0.0, brier: 0.0, correct: 0 }
    }
}

/// Sums over the rows of one replicate that need no bins.
pub(super) struct Losses {
    pub(super) correct: f64,
    pub(super) nll: f64,
    pub(super) brier: f64,
    pub(super) squared: f64,
}

impl<'a> Sample<'a> {
    pub(super) fn new(data: Option<&Predictions>, scored: &'a Scored, options: &BinOptions) -> Result<Self> {
        let score = along(&scored.order, &scored.score);
        let target = along(&scored.order, &scored.target);
        let adaptive = BinOptions::equal_width(ADAPTIVE_BINS).with_scheme(BinScheme::EqualMassQuantile);
        let (width, mass) = (options.bin_edges(&score)?, adaptive.bin_edges(&score)?);
        // Class-wise bins are of equal width, whatever the others are.
        let fixed = options.with_scheme(BinScheme::EqualWidth).bin_edges(&[])?;
        let n = score.len();
        let bins = width.count().max(mass.count()).max(fixed.count());
        // Ties that ranks cut count in several bins: a cell of their own, whose bins are looked up.
        let binning = options.binning(&score)?;
        let (mut shared, mut by_rank) = (Vec::new(), Vec::new());
        if let Some(ranked) = &binning.ranked {
            for tie in ranked.blocks() {
                let ranks: Vec<(usize, usize)> = ranked.bins_of(&tie).collect();
                let own = match ranks.as_slice() {
                    [(bin, _)] => *bin,
                    _ => {
                        let rows = tie.len() as f64;
                        shared.push(ranks.iter().map(|&(b, k)| (b, k as f64 / rows)).collect());
                        bins + shared.len() - 1
                    }
                };
                by_rank.resize(tie.end, own);
            }
        }
        let key = |i: usize| {
            let own = match by_rank.get(i) {
                Some(own) => *own,
                None => width.bin_of(score[i]),
            };
            (own, mass.bin_of(score[i]), fixed.bin_of(score[i]), fixed.bin_of(1.0 - score[i]))
        };
        let cells = cells(n, key);
        let classwise = match data.filter(|_| scored.of_vectors) {
            Some(data) => Classwise::new(data, scored, options)?,
            None => None,
        };
        let losses = |column: &[f64]| -> Vec<f32> {
            let sorted = along(&scored.order, column);
            sorted.into_iter().map(|loss| loss as f32).collect()
        };
        let error = |(&s, &t): (&f64, &u8)| ((s - f64::from(t)) * (s - f64::from(t))) as f32;
        let squared = score.iter().zip(&target).map(error).collect();
        Ok(Sample {
            scored,
            weighted: Weighted::new(scored, &score, &target),
            ranks: Ranks::new(&score, &target),
            columns: [score.iter().map(|&s| s as f32).collect(), losses(&scored.nll), squared],
            // the values are means of these losses, so the replicates are too; elsewhere they are (s − t)², kept already
            brier: scored.of_vectors.then(|| losses(&scored.brier)),
            correct: along(&scored.order, &scored.correct),
            pieces: pieces(&cells),
            shared,
            score,
            target,
            cells,
            bins,
            classwise,
        })
    }

    /// Pieces in the order of their rows.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    #[inline(never)]
    pub(super) fn bootstrap(&self, counts: &Counts, out: &mut BTreeMap<String, Column<f64>>) {
        let lanes = 0..counts.replicates;
        if let Some(weighted) = &self.weighted {
            return lanes.for_each(|lane| self.weighted_bootstrap(weighted, &counts.of(lane), out));
        }
        let sorted = counts.select(&self.scored.order);
        let lanes = 0..counts.replicates;
        let weights: Vec<Vec<u8>> = lanes.map(|lane| sorted.padded(lane, SPARE)).collect();
        let mut all = [(); AT_ONCE].map(|()| Reweighted::new(self.cells.len()));
        let mut w = [0.0; BLOCK];
        for &Piece { first, end, cell } in &self.pieces {
            let range = first..end;
            let columns = (self.columns.each_ref()).map(|v| &v[range.clone()]);
            let (t, a) = (&self.target[range.clone()], &self.correct[range.clone()]);
            for (bytes, sums) in weights.iter().zip(&mut all) {
                let bytes = &bytes[range.clone()];
                let w = &mut w[..bytes.len()];
                floats(bytes, w);
                let [s, nll, squared] = weighted_sums(w, columns);
                sums.nll += nll;
                sums.squared += squared;
                sums.correct += dot(bytes, a);
                if let Some(brier) = &self.brier {
                    sums.brier += weighted_sums(w, [&brier[range.clone()]])[0];
                }
                let of = &mut sums.cells[cell];
                of.w += total(bytes) as f64;
                of.s += s;
                of.t += dot(bytes, t) as f64;
            }
        }
        for (lane, (sums, weights)) in all.iter().zip(&weights).enumerate() {
            let n: f64 = sums.cells.iter().map(|cell| cell.w).sum();
            if n == 0.0 {
                continue; // A sample without rows has no metrics; with one row this is every third draw.
            }
            let losses = Losses {
                correct: sums.correct as f64,
                nll: sums.nll,
                brier: if self.brier.is_some() { sums.brier } else { sums.squared },
                squared: sums.squared,
            };
            let auroc = self.ranks.weighted(weights);
            let classwise = match &self.classwise {
                Some(classwise) => Some(classwise.bootstrap(&counts.of(lane))),
                None => self.mirrored(&sums.cells, n),
            };
            Replicates::push_sums(out, &self.row_sums(n, &sums.cells, losses, (auroc, classwise)), false);
        }
    }

    /// All sums of one replicate, those of the cells by bin; with the area under the curve and the class-wise error.
    pub(super) fn row_sums(
        &self,
        n: f64,
        cells: &[BinSums],
        Losses { correct, nll, brier, squared }: Losses,
        (auroc, classwise_ece): (Option<f64>, Option<f64>),
    ) -> RowSums {
        let (score, target): (f64, f64) = cells.iter().fold((0.0, 0.0), |(s, t), sum| (s + sum.s, t + sum.t));
        let quantile_bins = if self.weighted.is_none() { self.by_bin(cells, |cell| cell.mass_bin) } else { Vec::new() };
        RowSums {
            n,
            correct,
            nll,
            brier,
            squared,
            score,
            target,
            bins: self.by_bin(cells, |cell| cell.width_bin),
            quantile_bins,
            auroc,
            classwise_ece,
        }
    }

    fn by_bin(&self, sums: &[BinSums], bin: impl Fn(&BinCell) -> usize) -> Vec<BinSums> {
        let mut bins = vec![BinSums::default(); self.bins];
        for (cell, sum) in self.cells.iter().zip(sums) {
            let mut add = |bin: usize, share: f64| {
                if let Some(b) = bins.get_mut(bin) {
                    b.w += share * sum.w;
                    b.s += share * sum.s;
                    b.t += share * sum.t;
                }
            };
            let bin = bin(cell);
            match bin.checked_sub(self.bins) {
                Some(k) => {
                    let shares = self.shared.get(k).into_iter().flatten();
                    shares.for_each(|&(bin, share)| add(bin, share));
                }
                None => add(bin, 1.0),
            }
        }
        bins
    }

    /// Class-wise error of (1 − p, p): the pair of class 0 has the same gaps in the bins of 1 − p. `None` for vectors.
    pub(super) fn mirrored(&self, sums: &[BinSums], n: f64) -> Option<f64> {
        if self.scored.of_vectors {
            return None;
        }
        let error = |bins: Vec<BinSums>| bins.iter().map(BinSums::gap).sum::<f64>() / n;
        let defined = self.scored.values.get(CLASSWISE_ECE.id).is_some_and(|value| value.is_ok());
        defined.then(|| {
            0.5 * (error(self.by_bin(sums, |cell| cell.plain_bin)) + error(self.by_bin(sums, |cell| cell.mirror_bin)))
        })
    }
}
