//! Engine A: the statistic of many label draws at once, every pair of rows counted, nothing factorised.
//!
//! Rows stand in groups of 8. For a group and 16 columns of K a table holds the sums of every subset of the 8 rows; a
//! draw adds the one line that its eight labels name, instead of eight products (the method of the Four Russians:
//! Arlazarov et al. 1970). Kernel values live for one tile only.

use super::KlceSample;
use super::draws::label_bits;
use super::nearby::BLOCK;
use super::pairs::{PairSums, Tile, Tiles, WIDE, columns};
use crate::kernel::Part;

/// Tiles whose kernel values are all below this take no part in the draws.
pub(super) const LEAST_KERNEL: f32 = 1.5e-8;
/// Tables that are filled before they are added.
const TABLES: usize = 4;
/// Groups between two emptyings of the single-precision sums.
const FLUSH: usize = 256;

/// Line of sums: 16 columns.
type Line = [f32; WIDE];

/// Sums of every subset of eight rows of 16 columns.
pub(super) struct Subsets(Box<[Line; 256]>);

impl Subsets {
    pub(super) fn new() -> Self {
        Self(Box::new([[0.0; WIDE]; 256]))
    }

    #[inline(never)]
    pub(super) fn fill(&mut self, rows: &Tile<f32>) {
        for (bit, row) in rows.iter().enumerate() {
            let (done, open) = self.0.split_at_mut(1 << bit);
            for (to, from) in open.iter_mut().zip(done.iter()) {
                for l in 0..WIDE {
                    to[l] = from[l] + row[l];
                }
            }
        }
    }

    /// Adds to each sum the lines that its bytes name, of four tables at once: sums are then read and written a quarter as
    /// often.
    #[inline(never)]
    fn add_all(tables: &[Subsets; TABLES], sums: &mut [Line], bits: [&[u8]; TABLES]) {
        let [a, b, c, d] = tables;
        let [of_a, of_b, of_c, of_d] = bits;
        let bytes = of_a.iter().zip(of_b).zip(of_c.iter().zip(of_d));
        for (sum, ((&in_a, &in_b), (&in_c, &in_d))) in sums.iter_mut().zip(bytes) {
            let (a, b) = (&a.0[in_a as usize], &b.0[in_b as usize]);
            let (c, d) = (&c.0[in_c as usize], &d.0[in_d as usize]);
            for l in 0..WIDE {
                sum[l] += (a[l] + b[l]) + (c[l] + d[l]);
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

/// Whether any value of a tile is large enough to count.
#[inline(never)]
fn counts(tile: &Tile<f32>) -> bool {
    let mut largest = [0.0_f32; WIDE];
    for row in tile {
        for l in 0..WIDE {
            largest[l] = if row[l] > largest[l] { row[l] } else { largest[l] };
        }
    }
    largest.iter().any(|&k| k >= LEAST_KERNEL)
}

/// The sums of every column of tiles of one part, as `column_sums` gives them, and the part's
/// share in the statistic of every draw; the last entry is that of the labels that were observed, by the same arithmetic.
/// Shares of all parts add up.
///
/// Kernel values are computed in double precision, for the sums, and rounded to single for the tables. What that does to a
/// draw is the engine's error: the last entry against the exact T.
///
/// Cost: n²/256 additions of 16 numbers per draw and plane, over all parts, with n · draws / 8 bytes for the labels.
pub fn label_draws(sample: &KlceSample, seed: u64, draws: usize, part: Part) -> (Vec<PairSums>, Vec<f64>) {
    statistics_of_labels(sample, &label_bits(sample, seed, draws), draws + 1, part)
}

/// The same of any `width` outcomes, as bits of [`super::draws::bits_beside`]; pairs are those of what was observed.
pub(super) fn statistics_of_labels(
    sample: &KlceSample,
    bits: &[u8],
    width: usize,
    part: Part,
) -> (Vec<PairSums>, Vec<f64>) {
    let planes = sample.planes();
    let mut sums = Sums {
        sample,
        bits,
        tiles: Tiles::new(sample),
        narrow: [[0.0; WIDE]; BLOCK],
        pairs: Vec::new(),
        statistics: vec![0.0; width],
        column: ColumnSums {
            lines: vec![[0.0; WIDE]; planes * width],
            base: vec![[0.0; WIDE]; planes],
            pending: 0,
            tables: std::array::from_fn(|_| Subsets::new()),
            waiting: Vec::with_capacity(TABLES),
        },
    };
    for column in columns(sums.tiles.columns(), part) {
        sums.add(column);
    }
    (sums.pairs, sums.statistics)
}

/// What a part has added up.
struct Sums<'a> {
    sample: &'a KlceSample,
    bits: &'a [u8],
    tiles: Tiles<f64>,
    /// kernel values of the tile in single precision
    narrow: Tile<f32>,
    /// of every column so far
    pairs: Vec<PairSums>,
    /// of every draw
    statistics: Vec<f64>,
    column: ColumnSums,
}

impl Sums<'_> {
    /// Adds the pairs of a column with all rows before it. A call of its own: browsers compile well what is called often.
    #[inline(never)]
    fn add(&mut self, column: usize) {
        let (width, sums) = (self.statistics.len(), &mut self.column);
        let own = Own::new(self.sample, self.bits, column, width);
        let mut pairs = PairSums::default();
        for row in 0..=2 * column + 1 {
            if !self.tiles.fill(row, column) {
                continue;
            }
            self.tiles.add(row, column, &mut pairs);
            narrow(&self.tiles.tile, &mut self.narrow);
            if !counts(&self.narrow) {
                continue;
            }
            sums.add_base(self.sample, &self.narrow, row);
            sums.add(&self.narrow, row, self.bits, width);
            if sums.pending == FLUSH {
                sums.flush(&own, self.bits, &mut self.statistics);
            }
        }
        sums.flush(&own, self.bits, &mut self.statistics);
        self.pairs.push(pairs);
    }
}

/// Rounds a tile to single precision.
#[inline(never)]
fn narrow(from: &Tile<f64>, to: &mut Tile<f32>) {
    for (from, to) in from.iter().zip(to) {
        for l in 0..WIDE {
            to[l] = from[l] as f32;
        }
    }
}

/// Σ_i K_ij (label of i) for the columns j of a tile, by plane and draw.
struct ColumnSums {
    lines: Vec<Line>,
    /// Σ_i K_ij P_i, by plane
    base: Vec<[f64; WIDE]>,
    pending: usize,
    tables: [Subsets; TABLES],
    /// row blocks whose tables are not added yet
    waiting: Vec<usize>,
}

impl ColumnSums {
    #[inline(never)]
    fn add_base(&mut self, sample: &KlceSample, tile: &Tile<f32>, row: usize) {
        let planes = sample.planes();
        let p = sample.p().chunks_exact(planes).skip(row * BLOCK);
        for (k, p) in tile.iter().zip(p) {
            for (base, p) in self.base.iter_mut().zip(p) {
                for l in 0..WIDE {
                    base[l] += f64::from(k[l]) * p;
                }
            }
        }
    }

    fn add(&mut self, rows: &Tile<f32>, row: usize, bits: &[u8], width: usize) {
        self.pending += 1;
        self.tables[self.waiting.len()].fill(rows);
        self.waiting.push(row);
        if let &[a, b, c, d] = &self.waiting[..] {
            let planes = self.base.len();
            for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
                let of = |row: usize| &bits[(row * planes + plane) * width..][..width];
                Subsets::add_all(&self.tables, lines, [a, b, c, d].map(of));
            }
            self.waiting.clear();
        }
    }

    /// Moves the sums into the statistics: 2 Σ_j e_j Σ_i K_ij e_i.
    #[inline(never)]
    fn flush(&mut self, own: &Own, bits: &[u8], statistics: &mut [f64]) {
        if self.pending == 0 {
            return;
        }
        let (width, planes) = (statistics.len(), self.base.len());
        for (table, row) in self.tables.iter().zip(self.waiting.drain(..)) {
            for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
                let at = (row * planes + plane) * width;
                table.add(lines, &bits[at..at + width]);
            }
        }
        for (plane, lines) in self.lines.chunks_exact_mut(width).enumerate() {
            let (base, p) = (&self.base[plane], &own.p[plane]);
            let [low, high] = own.bits[plane];
            for (draw, (line, statistic)) in lines.iter_mut().zip(statistics.iter_mut()).enumerate() {
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
    fn new(sample: &KlceSample, bits: &'a [u8], column: usize, width: usize) -> Self {
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
        Self { p, bits: (0..planes).map(|plane| [of(plane, 0), of(plane, 1)]).collect() }
    }
}
