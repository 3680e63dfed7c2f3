//! Blocked sums where the queries are the sources, own pair included: every kernel value serves its row and its
//! column, so each pair is met once; every distance serves all bandwidths.
//!
//! Chunks of rows small enough for the cache meet pairwise. Every sum holds its own pair (kernel value 1), so
//! pairs whose kernel value is below a share of the last digit may be left out: see [`Lane::DROPPED`].

use super::frame::Blocks;
use super::lane::{LANES, Lane, ROWS, Rows, added, tile, weighted};
use super::{KernelSums, Part};

/// Bytes of coordinates and sums in a chunk: two of them stay in the second-level cache.
const CHUNK_BYTES: usize = 128 * 1024;

/// Tiles that are worked on together, a stage at a time: their exponents and kernel values stay in the first-level cache, and
/// what a stage carries along stays in registers.
const STRIP: usize = 16;

/// Exponents or kernel values between the rows of two blocks.
type Square<T> = [[T; LANES]; LANES];

/// Sums of one chunk, in the precision of the lanes: by bandwidth, block and channel (Σ k² last), eight lanes each.
struct Partial<T> {
    sums: Vec<[T; LANES]>,
}

/// What the bandwidths of one pass make of an exponent.
struct Exponents<T> {
    /// Factor on the exponents of the blocks, by falling bandwidth.
    ratio: Vec<T>,
    /// Exponents from here on are dropped.
    cut: T,
    /// Whether tiles are often so far apart that looking pays.
    far: bool,
}

/// One block of rows against some blocks of columns.
struct Strip<T> {
    /// Blocks of columns, counted within their chunk, that the bandwidth at hand reaches.
    columns: Vec<usize>,
    /// Exponents against each.
    exponents: Vec<Square<T>>,
    /// The least of each, where tiles are looked at.
    least: Vec<T>,
    /// Kernel values of one bandwidth.
    kernels: Vec<Square<T>>,
}

impl<T: Lane> Strip<T> {
    fn new() -> Self {
        Self {
            columns: Vec::with_capacity(STRIP),
            exponents: Vec::with_capacity(STRIP),
            least: Vec::with_capacity(STRIP),
            kernels: vec![[[T::ZERO; LANES]; LANES]; STRIP],
        }
    }

    /// Takes the exponents between a block of rows and those blocks of columns that the widest bandwidth reaches.
    #[inline(never)]
    fn fill(&mut self, all: &Blocks<T>, row_block: usize, first: usize, columns: std::ops::Range<usize>) {
        self.columns.clear();
        self.columns.extend(columns.clone());
        self.exponents.clear();
        let a = all.block(row_block);
        self.exponents.extend(columns.map(|column| whole_tile(a, all.block(first + column), all.squared)));
    }

    /// Forgets the tiles of which no pair is nearer than `cut` under a bandwidth: what it cannot reach, narrower ones cannot
    /// either.
    #[inline(never)]
    fn reach(&mut self, ratio: T, cut: T) {
        let mut kept = 0;
        for i in 0..self.columns.len() {
            if self.least[i].times(ratio) > cut {
                continue;
            }
            if kept < i {
                self.columns[kept] = self.columns[i];
                self.least[kept] = self.least[i];
                self.exponents[kept] = self.exponents[i];
            }
            kept += 1;
        }
        self.columns.truncate(kept);
        self.least.truncate(kept);
        self.exponents.truncate(kept);
    }

    #[inline(never)]
    fn decay(&mut self, ratio: T) {
        for (kernels, exponents) in self.kernels.iter_mut().zip(&self.exponents) {
            for (kernel, t) in kernels.iter_mut().zip(exponents) {
                *kernel = T::decay(&t.map(|t| t.times(ratio)));
            }
        }
    }

    /// Adds to what each of the eight rows gathers in every channel, still in lanes, and to the sums of the columns; the tile
    /// of the block with itself, column `own`, holds each pair twice and goes to the rows alone.
    #[inline(never)]
    fn add(
        &self,
        all: &Blocks<T>,
        (row_block, first): (usize, usize),
        gathered: &mut [Square<T>],
        column_sums: &mut [[T; LANES]],
        own: Option<usize>,
    ) {
        let stride = all.stride();
        let tiles = || self.columns.iter().zip(&self.kernels);
        for (channel, gathered) in gathered.iter_mut().enumerate() {
            // Every source counts once in the first channel and in the squares; padding is infinitely far.
            let plain = channel == 0;
            let square = channel == all.channels;
            for (r, row_sum) in gathered.iter_mut().enumerate() {
                let mut sum = *row_sum;
                if plain {
                    tiles().for_each(|(_, kernels)| sum = added(sum, kernels[r]));
                } else if square {
                    tiles().for_each(|(_, kernels)| sum = weighted(sum, kernels[r], kernels[r]));
                } else {
                    for (column, kernels) in tiles() {
                        sum = weighted(sum, kernels[r], *all.weights(first + column, channel));
                    }
                }
                *row_sum = sum;
            }
            let from_rows = all.weights(row_block, channel);
            for (column, kernels) in tiles().filter(|(column, _)| Some(**column) != own) {
                let column_sum = &mut column_sums[column * stride + channel];
                let mut sum = *column_sum;
                if plain {
                    kernels.iter().for_each(|kernel| sum = added(sum, *kernel));
                } else if square {
                    kernels.iter().for_each(|kernel| sum = weighted(sum, *kernel, *kernel));
                } else {
                    for (kernel, weight) in kernels.iter().zip(from_rows) {
                        sum = weighted(sum, *kernel, [*weight; LANES]);
                    }
                }
                *column_sum = sum;
            }
        }
    }
}

/// One chunk of rows against one chunk of columns; short calls, made often, so that they are compiled well early.
fn chunk_pair<T: Lane>(
    all: &Blocks<T>,
    exponents: &Exponents<T>,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    row_sums: &mut Partial<T>,
    column_sums: &mut Partial<T>,
) {
    let same = rows == columns;
    let (stride, many) = (all.stride(), exponents.ratio.len());
    let (height, width, first) = (rows.len(), columns.len(), columns.start);
    let mut gathered = vec![[[T::ZERO; LANES]; LANES]; stride * many];
    let mut strip = Strip::new();
    for (i, row_block) in rows.enumerate() {
        // A chunk meets itself in tiles on and above its diagonal.
        let own = same.then_some(i);
        for from in (own.unwrap_or(0)..width).step_by(STRIP) {
            strip.fill(all, row_block, first, from..(from + STRIP).min(width));
            if exponents.far {
                strip.least.clear();
                strip.least.extend(strip.exponents.iter().map(least));
            }
            for (g, ratio) in exponents.ratio.iter().enumerate() {
                if exponents.far {
                    strip.reach(*ratio, exponents.cut);
                }
                strip.decay(*ratio);
                let gathered = &mut gathered[g * stride..(g + 1) * stride];
                let sums = &mut column_sums.sums[g * width * stride..(g + 1) * width * stride];
                strip.add(all, (row_block, first), gathered, sums, own);
            }
        }
        for (g, gathered) in gathered.chunks_exact_mut(stride).enumerate() {
            let at = (g * height + i) * stride;
            for (row_sum, gathered) in row_sums.sums[at..at + stride].iter_mut().zip(gathered) {
                for (total, lanes) in row_sum.iter_mut().zip(gathered.iter_mut()) {
                    *total = lanes.iter().fold(*total, |total, lane| total.plus(*lane));
                    *lanes = [T::ZERO; LANES];
                }
            }
        }
    }
}

/// Whether one in ten tiles, among some spread over all, is out of reach of the narrowest kernel.
///
/// Looking at every tile costs a third of its time, so it must save more.
fn often_far<T: Lane>(all: &Blocks<T>, exponents: &Exponents<T>) -> bool {
    const TILES: usize = 100;
    let narrowest = exponents.ratio.last().copied().unwrap_or(T::ZERO);
    let dropped = (0..TILES).filter(|k| {
        let (i, j) = (k * all.len() / TILES, k * 37 % TILES * all.len() / TILES);
        let (a, b) = (all.block(i), all.block(j));
        least(&whole_tile(a, b, all.squared)).times(narrowest) > exponents.cut
    });
    dropped.count() * 10 >= TILES
}

/// Exponents between the rows of two blocks.
#[inline(always)]
fn whole_tile<T: Lane>(a: Rows<T>, b: Rows<T>, squared: bool) -> Square<T> {
    let mut t = [[T::ZERO; LANES]; LANES];
    t[..ROWS].copy_from_slice(&tile::<T, 0>(a, b, squared));
    t[ROWS..].copy_from_slice(&tile::<T, 1>(a, b, squared));
    t
}

/// Smallest exponent of a tile.
#[inline(always)]
fn least<T: Lane>(t: &Square<T>) -> T {
    let mut least = t[0];
    for row in &t[1..] {
        for (least, t) in least.iter_mut().zip(row) {
            *least = if *t < *least { *t } else { *least };
        }
    }
    let mut one = least[0];
    for t in &least[1..] {
        one = if *t < one { *t } else { one };
    }
    one
}

/// Blocks per chunk, with sums for `many` bandwidths beside the coordinates.
fn chunk_length<T: Lane>(all: &Blocks<T>, many: usize) -> usize {
    let bytes = (all.d + all.stride() * many) * LANES * size_of::<T>();
    (CHUNK_BYTES / bytes).clamp(4, 128)
}

/// Each pair once, for every bandwidth of `answers`: the factor on the exponents of `all`, rising, and where its sums
/// go; `reach` is the largest scaled norm. Every part answers every query with its share of the pairs, and parts add up.
pub(super) fn symmetric<T: Lane>(all: &Blocks<T>, reach: f64, part: Part, answers: &mut [(f64, &mut KernelSums)]) {
    let many = answers.len();
    let size = chunk_length(all, many);
    let chunks: Vec<_> = (0..all.len()).step_by(size).map(|s| s..(s + size).min(all.len())).collect();
    let stride = all.stride();
    let mut total = vec![0.0; all.len() * LANES * stride * many];
    let wanted = part.range(chunks.len() * (chunks.len() + 1) / 2);
    let fresh = |n: usize| Partial { sums: vec![[T::ZERO; LANES]; n * stride * many] };
    let cut = (all.n as f64 / T::DROPPED).ln();
    let mut exponents =
        Exponents { ratio: answers.iter().map(|(ratio, _)| T::of(*ratio)).collect(), cut: T::of(cut), far: false };
    // Two rows are at most twice the largest norm apart; squared, four times.
    if 4.0 * reach > cut {
        exponents.far = often_far(all, &exponents);
    }
    let mut index = 0;
    for (i, rows) in chunks.iter().enumerate() {
        for columns in &chunks[i..] {
            index += 1;
            if !wanted.contains(&(index - 1)) {
                continue;
            }
            let (mut row_sums, mut column_sums) = (fresh(rows.len()), fresh(columns.len()));
            chunk_pair(all, &exponents, rows.clone(), columns.clone(), &mut row_sums, &mut column_sums);
            for (chunk, partial) in [(rows, row_sums), (columns, column_sums)] {
                for (g, partial) in partial.sums.chunks_exact(chunk.len() * stride).enumerate() {
                    let from = (g * all.len() + chunk.start) * stride * LANES;
                    let totals = total[from..].chunks_exact_mut(LANES);
                    for (total, partial) in totals.zip(partial) {
                        for (total, partial) in total.iter_mut().zip(partial) {
                            *total += partial.wide();
                        }
                    }
                }
            }
        }
    }
    let mut values = vec![0.0; all.channels - 1];
    for ((_, out), total) in answers.iter_mut().zip(total.chunks_exact(all.len() * LANES * stride)) {
        out.additive = true;
        for q in 0..all.n {
            let at = |channel: usize| total[((q / LANES) * stride + channel) * LANES + q % LANES];
            for (channel, value) in values.iter_mut().enumerate() {
                *value = at(channel + 1);
            }
            let square = if all.squares { at(all.channels) } else { f64::NAN };
            out.answered[q] = true;
            out.store(q, 0.0, at(0), square, 0, &values);
        }
    }
}
