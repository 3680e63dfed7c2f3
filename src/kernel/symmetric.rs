//! Blocked sums where the queries are the sources, own pair included: every kernel value serves its row and its
//! column, so each pair is met once; every distance serves all bandwidths.
//!
//! Chunks of rows small enough for the cache meet pairwise. Every sum holds its own pair (kernel value 1), so
//! pairs whose kernel value is below a share of the last digit may be left out: see [`Lane::DROPPED`].

use super::blocks::{tile, weighted};
use super::frame::Blocks;
use super::lane::{LANES, Lane, ROWS, Rows};
use super::{KernelSums, Part};

/// Bytes of coordinates and sums in a chunk: two of them stay in the second-level cache.
const CHUNK_BYTES: usize = 128 * 1024;

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

/// One chunk of rows against one chunk of columns; a short call, made often, so that it is compiled well early.
#[inline(never)]
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
    let (height, width) = (rows.len(), columns.len());
    // What each of the eight rows gathers, still in lanes.
    let mut gathered = vec![[[T::ZERO; LANES]; LANES]; stride * many];
    for (i, row_block) in rows.enumerate() {
        for (j, column_block) in columns.clone().enumerate() {
            let (a, b) = (all.block(row_block), all.block(column_block));
            let mut kernels = [[T::ZERO; LANES]; LANES];
            let simple = many == 1 && !exponents.far;
            let t = if simple {
                // Straight from registers: the usual case, and a third faster.
                let (upper, lower) = kernels.split_at_mut(ROWS);
                for (kernel, t) in upper.iter_mut().zip(tile::<T, 0>(a, b, all.squared)) {
                    *kernel = T::decay(&t);
                }
                for (kernel, t) in lower.iter_mut().zip(tile::<T, 1>(a, b, all.squared)) {
                    *kernel = T::decay(&t);
                }
                kernels
            } else {
                whole_tile(a, b, all.squared)
            };
            let least = if exponents.far { least(&t) } else { T::ZERO };
            for (g, ratio) in exponents.ratio.iter().enumerate() {
                // Bandwidths fall: what this one cannot reach, the rest cannot either.
                if least.times(*ratio) > exponents.cut {
                    break;
                }
                if !simple {
                    for (kernel, t) in kernels.iter_mut().zip(&t) {
                        let mut scaled = *t;
                        for t in &mut scaled {
                            *t = t.times(*ratio);
                        }
                        *kernel = T::decay(&scaled);
                    }
                }
                let gathered = &mut gathered[g * stride..(g + 1) * stride];
                let at = (g * width + j) * stride;
                let column_sums = &mut column_sums.sums[at..at + stride];
                for (channel, (row_sum, column_sum)) in gathered.iter_mut().zip(column_sums).enumerate() {
                    if channel == all.channels {
                        for lane in kernels.as_flattened_mut() {
                            *lane = lane.times(*lane);
                        }
                    }
                    let from_columns = all.weights(column_block, channel);
                    for (row_sum, kernel) in row_sum.iter_mut().zip(&kernels) {
                        *row_sum = weighted(*row_sum, *kernel, *from_columns);
                    }
                    if !same {
                        let from_rows = all.weights(row_block, channel);
                        let mut sum = *column_sum;
                        for (weight, kernel) in from_rows.iter().zip(&kernels) {
                            sum = weighted(sum, *kernel, [*weight; LANES]);
                        }
                        *column_sum = sum;
                    }
                }
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
#[inline(never)]
fn whole_tile<T: Lane>(a: Rows<T>, b: Rows<T>, squared: bool) -> [[T; LANES]; LANES] {
    let mut t = [[T::ZERO; LANES]; LANES];
    t[..ROWS].copy_from_slice(&tile::<T, 0>(a, b, squared));
    t[ROWS..].copy_from_slice(&tile::<T, 1>(a, b, squared));
    t
}

/// Smallest exponent of a tile.
#[inline(always)]
fn least<T: Lane>(t: &[[T; LANES]; LANES]) -> T {
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
