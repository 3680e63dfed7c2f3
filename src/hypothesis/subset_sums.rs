//! Engine A: the statistic of many label draws at once, every pair of rows counted, nothing factorised.
//!
//! Rows stand in groups of 8. For a group and 16 columns of K a table holds the sums of every subset of the 8 rows; a
//! draw adds the one line that its eight labels name, instead of eight products (the method of the Four Russians:
//! Arlazarov et al. 1970). Kernel values live for one tile only.

use super::TrustSample;
use super::draws::label_bits;
use super::nearby::BLOCK;
use super::pairs::{PairSums, Tile, Tiles, WIDE, columns};
use crate::kernel::Part;

/// Tiles whose kernel values are all below this take no part in the draws.
pub(super) const LEAST_KERNEL: f32 = 1.5e-8;
/// Groups between two emptyings of the single-precision sums.
const FLUSH: usize = 128;

/// Line of sums: 16 columns.
type Line = [f32; WIDE];

/// Sums of every subset of eight rows of 16 columns.
pub(super) struct Subsets(Box<[Line; 256]>);

impl Subsets {
    pub(super) fn new() -> Self {
        Self(Box::new([[0.0; WIDE]; 256]))
    }

    #[inline(never)]
    pub(super) fn fill(&mut self, rows: &[Line; BLOCK]) {
        for (bit, row) in rows.iter().enumerate() {
            let (done, open) = self.0.split_at_mut(1 << bit);
            for (to, from) in open.iter_mut().zip(done.iter()) {
                for l in 0..WIDE {
                    to[l] = from[l] + row[l];
                }
            }
        }
    }

    /// Adds to each sum the line that its byte names, and that of the next rows: sums are then read and written half as
    /// often.
    #[inline(never)]
    fn add_both(&self, sums: &mut [Line], bits: &[u8], next: &Subsets, next_bits: &[u8]) {
        for ((sum, &subset), &other) in sums.iter_mut().zip(bits).zip(next_bits) {
            let (line, other) = (&self.0[subset as usize], &next.0[other as usize]);
            for l in 0..WIDE {
                sum[l] = (sum[l] + line[l]) + other[l];
            }
        }
    }

    /// Adds to each sum the line that its byte names.
    #[inline(never)]
    pub(super) fn add(&self, sums: &mut [Line], bits: &[u8]) {
        for (sum, &subset) in sums.iter_mut().zip(bits) {
            let line = &self.0[subset as usize];
            for l in 0..WIDE {
                sum[l] += line[l];
            }
        }
    }
}

/// A tile in single precision; `None` where no value is large enough to count.
#[inline(never)]
pub(super) fn single(tile: &Tile) -> Option<[Line; BLOCK]> {
    let out = tile.map(|row| row.map(|k| k as f32));
    let mut largest = [0.0_f32; WIDE];
    for row in &out {
        for l in 0..WIDE {
            largest[l] = if row[l] > largest[l] {
                row[l]
            } else {
                largest[l]
            };
        }
    }
    largest.iter().any(|&k| k >= LEAST_KERNEL).then_some(out)
}

/// Sums over the pairs of one part, and their share in the statistic of every draw; the last entry is that of the labels
/// that were observed, by the same arithmetic. Shares of all parts add up.
///
/// Cost: n²/256 additions of 16 numbers per draw and plane, over all parts, with n · draws / 8 bytes for the labels.
pub fn label_draws(
    sample: &TrustSample,
    seed: u64,
    draws: usize,
    part: Part,
) -> (PairSums, Vec<f64>) {
    let tiles = Tiles::new(sample);
    let (planes, width) = (sample.planes(), draws + 1);
    let bits = label_bits(sample, seed, draws);
    let mut sums = PairSums::default();
    let mut statistics = vec![0.0; width];
    let mut column_sums = ColumnSums {
        lines: vec![[0.0; WIDE]; planes * width],
        base: vec![[0.0; WIDE]; planes],
        pending: 0,
        tables: [Subsets::new(), Subsets::new()],
        waiting: None,
    };
    for column in columns(tiles.columns(), part) {
        let own = Own::new(sample, &bits, column, width);
        for row in 0..=2 * column + 1 {
            let Some(tile) = tiles.tile(row, column) else {
                continue;
            };
            tiles.add(&tile, row, column, &mut sums);
            let Some(rows) = single(&tile) else {
                continue;
            };
            column_sums.add_base(sample, &tile, row);
            column_sums.add(&rows, row, &bits, width);
            if column_sums.pending == FLUSH {
                column_sums.flush(&own, &bits, &mut statistics);
            }
        }
        column_sums.flush(&own, &bits, &mut statistics);
    }
    (sums, statistics)
}

/// Σ_i K_ij (label of i) for the columns j of a tile, by plane and draw.
struct ColumnSums {
    lines: Vec<Line>,
    /// Σ_i K_ij P_i, by plane
    base: Vec<[f64; WIDE]>,
    pending: usize,
    tables: [Subsets; 2],
    /// the row block whose table is not added yet: the first one
    waiting: Option<usize>,
}

impl ColumnSums {
    #[inline(never)]
    fn add_base(&mut self, sample: &TrustSample, tile: &Tile, row: usize) {
        let planes = sample.planes();
        let p = sample.p().chunks_exact(planes).skip(row * BLOCK);
        for (k, p) in tile.iter().zip(p) {
            for (base, p) in self.base.iter_mut().zip(p) {
                for l in 0..WIDE {
                    base[l] += k[l] * p;
                }
            }
        }
    }

    fn add(&mut self, rows: &[Line; BLOCK], row: usize, bits: &[u8], width: usize) {
        let [first, second] = &mut self.tables;
        self.pending += 1;
        let Some(before) = self.waiting.take() else {
            first.fill(rows);
            self.waiting = Some(row);
            return;
        };
        second.fill(rows);
        let planes = self.base.len();
        for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
            let of = |row: usize| &bits[(row * planes + plane) * width..][..width];
            first.add_both(lines, of(before), second, of(row));
        }
    }

    /// Moves the sums into the statistics: 2 Σ_j e_j Σ_i K_ij e_i.
    #[inline(never)]
    fn flush(&mut self, own: &Own, bits: &[u8], statistics: &mut [f64]) {
        if self.pending == 0 {
            return;
        }
        let (width, planes) = (statistics.len(), self.base.len());
        if let Some(row) = self.waiting.take() {
            for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
                let at = (row * planes + plane) * width;
                self.tables[0].add(lines, &bits[at..at + width]);
            }
        }
        for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
            let (base, p) = (&self.base[plane], &own.p[plane]);
            let [low, high] = own.bits[plane];
            for (draw, (line, statistic)) in lines.iter_mut().zip(statistics.iter_mut()).enumerate()
            {
                let happened = u32::from(low[draw]) | u32::from(high[draw]) << BLOCK;
                let mut parts = [0.0; WIDE];
                for l in 0..WIDE {
                    let e = f64::from(happened >> l & 1) - p[l];
                    parts[l] = e * (f64::from(line[l]) - base[l]);
                }
                *statistic += 2.0 * parts.iter().sum::<f64>();
                *line = [0.0; WIDE];
            }
        }
        self.base.fill([0.0; WIDE]);
        self.pending = 0;
    }
}

/// Scores and labels of the 16 columns of a tile, by plane.
struct Own<'a> {
    p: Vec<[f64; WIDE]>,
    bits: Vec<[&'a [u8]; 2]>,
}

impl<'a> Own<'a> {
    fn new(sample: &TrustSample, bits: &'a [u8], column: usize, width: usize) -> Self {
        let planes = sample.planes();
        let mut p = vec![[0.0; WIDE]; planes];
        let rows = sample.p().chunks_exact(planes).skip(column * WIDE);
        for (l, row) in rows.take(WIDE).enumerate() {
            p.iter_mut().zip(row).for_each(|(to, p)| to[l] = *p);
        }
        let of = |plane: usize, half: usize| {
            let at = ((2 * column + half) * planes + plane) * width;
            &bits[at..at + width]
        };
        Self {
            p,
            bits: (0..planes)
                .map(|plane| [of(plane, 0), of(plane, 1)])
                .collect(),
        }
    }
}
