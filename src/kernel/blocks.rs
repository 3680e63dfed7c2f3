//! Blocked pairwise sums in any dimension: rows in fours against sources in blocks of eight.
//!
//! When the queries are the sources (own pair included), every kernel value serves its row and its column, so
//! each pair is evaluated once; chunks of rows small enough for the cache meet pairwise. Other queries take all
//! distances first and subtract the least, so that none ends in 0/0.

use super::frame::{Blocks, Frame};
use super::lane::{LANES, Lane, ROWS};
use super::{Kernel, KernelSums, Part, Points, Queries};

/// Bytes of coordinates in a chunk: two of them stay in the second-level cache.
const CHUNK_BYTES: usize = 128 * 1024;
/// Largest scaled norm for which single-precision distances keep the sums within 1e-5.
const SINGLE: f64 = 32.0;
/// Largest scaled norm for which scaled double-precision distances are kept within 1e-9.
const DOUBLE: f64 = 1e6;

/// Exponents between four rows (half a block) and the eight of another block.
#[inline(always)]
fn tile<T: Lane, const HALF: usize>(
    (rows, row_norm): (&[T], &[T]),
    (columns, column_norm): (&[T], &[T]),
    squared: bool,
) -> [[T; LANES]; ROWS] {
    let (rows, columns) = (rows.as_chunks::<LANES>().0, columns.as_chunks::<LANES>().0);
    if squared {
        return T::parts::<HALF, true>(rows, columns);
    }
    let mut sum = T::parts::<HALF, false>(rows, columns);
    for r in 0..ROWS {
        for l in 0..LANES {
            sum[r][l] = T::distance(sum[r][l], row_norm[HALF * ROWS + r], column_norm[l]);
        }
    }
    sum
}

/// sum + kernel·weight, lane by lane; by value, so that nothing can alias.
#[inline(always)]
fn weighted<T: Lane>(mut sum: [T; LANES], kernel: [T; LANES], weight: [T; LANES]) -> [T; LANES] {
    for l in 0..LANES {
        sum[l] = sum[l].plus(kernel[l].times(weight[l]));
    }
    sum
}

/// Sums of one chunk, in the precision of the lanes: channels, then Σ k², eight lanes each.
struct Partial<T> {
    sums: Vec<[T; LANES]>,
}

/// One chunk of rows against one chunk of columns; a short call, made often, so that it is compiled well early.
#[inline(never)]
fn chunk_pair<T: Lane>(
    all: &Blocks<T>,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    row_sums: &mut Partial<T>,
    column_sums: &mut Partial<T>,
) {
    let same = rows == columns;
    let stride = all.stride();
    // What each of the eight rows gathers, still in lanes.
    let mut gathered = vec![[[T::ZERO; LANES]; LANES]; stride];
    for (i, row_block) in rows.enumerate() {
        for (j, column_block) in columns.clone().enumerate() {
            let (a, b) = (all.block(row_block), all.block(column_block));
            let mut kernels = [[T::ZERO; LANES]; LANES];
            for (r, t) in tile::<T, 0>(a, b, all.squared).iter().enumerate() {
                kernels[r] = T::decay(t);
            }
            for (r, t) in tile::<T, 1>(a, b, all.squared).iter().enumerate() {
                kernels[ROWS + r] = T::decay(t);
            }
            let column_sums = &mut column_sums.sums[j * stride..(j + 1) * stride];
            for (channel, (row_sum, column_sum)) in gathered.iter_mut().zip(column_sums).enumerate()
            {
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
        let row_sums = &mut row_sums.sums[i * stride..(i + 1) * stride];
        for (row_sum, gathered) in row_sums.iter_mut().zip(&mut gathered) {
            for (total, lanes) in row_sum.iter_mut().zip(gathered.iter_mut()) {
                *total = lanes.iter().fold(*total, |total, lane| total.plus(*lane));
                *lanes = [T::ZERO; LANES];
            }
        }
    }
}

/// Each pair once: every part answers every query with its share of the pairs, and parts add up.
fn symmetric<T: Lane>(all: &Blocks<T>, part: Part, sums: &mut KernelSums) {
    let size = (CHUNK_BYTES / (all.d * LANES * size_of::<T>())).clamp(1, 128);
    let chunks: Vec<_> = (0..all.len())
        .step_by(size)
        .map(|s| s..(s + size).min(all.len()))
        .collect();
    let stride = all.stride();
    let mut total = vec![0.0; all.len() * LANES * stride];
    let pairs = chunks.len() * (chunks.len() + 1) / 2;
    let wanted = part.range(pairs);
    let fresh = |n: usize| Partial {
        sums: vec![[T::ZERO; LANES]; n * stride],
    };
    let mut index = 0;
    for (i, rows) in chunks.iter().enumerate() {
        for columns in &chunks[i..] {
            index += 1;
            if !wanted.contains(&(index - 1)) {
                continue;
            }
            let (mut row_sums, mut column_sums) = (fresh(rows.len()), fresh(columns.len()));
            chunk_pair(
                all,
                rows.clone(),
                columns.clone(),
                &mut row_sums,
                &mut column_sums,
            );
            for (chunk, partial) in [(rows, row_sums), (columns, column_sums)] {
                let totals = total[chunk.start * stride * LANES..].chunks_exact_mut(LANES);
                for (total, partial) in totals.zip(&partial.sums) {
                    for (total, partial) in total.iter_mut().zip(partial) {
                        *total += partial.wide();
                    }
                }
            }
        }
    }
    sums.additive = true;
    for q in 0..all.n {
        let at = |channel: usize| total[((q / LANES) * stride + channel) * LANES + q % LANES];
        let values: Vec<f64> = (1..all.channels).map(at).collect();
        sums.answered[q] = true;
        let square = if all.squares {
            at(all.channels)
        } else {
            f64::NAN
        };
        sums.store(q, 0.0, at(0), square, 0, &values);
    }
}

/// Queries against sources: all distances of four queries first, then weights relative to the least.
fn one_sided<T: Lane>(
    sources: &Blocks<T>,
    queries: &Blocks<T>,
    leave_out: bool,
    part: Part,
    sums: &mut KernelSums,
) {
    let wanted = part.range(queries.n);
    let mut rows: [Vec<T>; ROWS] = std::array::from_fn(|_| vec![T::ZERO; sources.len() * LANES]);
    let mut values = vec![0.0; sources.channels + 1];
    for first in (wanted.start / ROWS * ROWS..wanted.end).step_by(ROWS) {
        exponents(sources, queries, first, &mut rows);
        for (r, row) in rows.iter_mut().enumerate() {
            let q = first + r;
            if !wanted.contains(&q) {
                continue;
            }
            let skip = if leave_out { q } else { usize::MAX };
            let others = || {
                row.iter()
                    .enumerate()
                    .take(sources.n)
                    .filter(|(j, _)| *j != skip)
            };
            let least = others()
                .map(|(_, t)| t.wide())
                .fold(f64::INFINITY, f64::min);
            if let Some(own) = row.get_mut(skip) {
                *own = T::of(f64::INFINITY);
            }
            values.fill(0.0);
            if least < f64::INFINITY {
                gather(sources, row, T::of(least), &mut values);
            }
            sums.answered[q] = true;
            let top = if values[0] > 0.0 { -least } else { 0.0 };
            let channels = sources.channels;
            sums.store(q, top, values[0], values[channels], 0, &values[1..channels]);
        }
    }
}

/// Exponents from four queries to every source.
#[inline(never)]
fn exponents<T: Lane>(
    sources: &Blocks<T>,
    queries: &Blocks<T>,
    first: usize,
    rows: &mut [Vec<T>; ROWS],
) {
    let four = queries.block(first / LANES);
    for block in 0..sources.len() {
        let other = sources.block(block);
        let found = if first.is_multiple_of(LANES) {
            tile::<T, 0>(four, other, sources.squared)
        } else {
            tile::<T, 1>(four, other, sources.squared)
        };
        for (row, found) in rows.iter_mut().zip(&found) {
            row[block * LANES..(block + 1) * LANES].copy_from_slice(found);
        }
    }
}

/// Weighted sums of one query from its exponents: 64 sources in the lanes' precision, then into f64.
#[inline(never)]
fn gather<T: Lane>(sources: &Blocks<T>, row: &[T], least: T, values: &mut [f64]) {
    let negative = T::of(-least.wide());
    let channels = sources.channels;
    let mut partial = vec![[T::ZERO; LANES]; channels + 1];
    for (group, exponents) in row.chunks(8 * LANES).enumerate() {
        for (block, exponents) in exponents.as_chunks::<LANES>().0.iter().enumerate() {
            let kernel = T::decay(&exponents.map(|t| t.plus(negative)));
            for (channel, partial) in partial.iter_mut().enumerate() {
                let weight = sources.weights(group * 8 + block, channel);
                let square = channel == channels;
                let factor = if square {
                    weighted([T::ZERO; LANES], kernel, kernel)
                } else {
                    kernel
                };
                *partial = weighted(*partial, factor, *weight);
            }
        }
        for (value, partial) in values.iter_mut().zip(&mut partial) {
            *value += partial.iter().map(|p| p.wide()).sum::<f64>();
            *partial = [T::ZERO; LANES];
        }
    }
}

/// As [`super::sums`]; `None` where scaled distances would not be accurate enough, or there is no source.
pub(super) fn sums(
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> Option<KernelSums> {
    let frame = Frame::new(sources, kernel);
    let mut reach = frame.reach(sources);
    if let Queries::At(points) = queries {
        reach = reach.max(frame.reach(*points));
    }
    if sources.n() == 0 || !reach.is_finite() || reach > DOUBLE {
        return None;
    }
    let mut out = KernelSums::unanswered(queries.n(sources), k, n_eff);
    if sources.d() > 3 && reach <= SINGLE {
        run::<f32>(&frame, queries, sources, weights, k, part, &mut out);
    } else {
        run::<f64>(&frame, queries, sources, weights, k, part, &mut out);
    }
    Some(out)
}

fn run<T: Lane>(
    frame: &Frame,
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    part: Part,
    out: &mut KernelSums,
) {
    let blocks = frame.blocks::<T>(sources, weights, k, out.n_eff.is_some());
    match queries {
        Queries::Sources {
            leave_one_out: false,
        } => symmetric(&blocks, part, out),
        Queries::Sources {
            leave_one_out: true,
        } => one_sided(&blocks, &blocks, true, part, out),
        Queries::At(points) => {
            let asked = frame.blocks::<T>(*points, &[], 0, false);
            one_sided(&blocks, &asked, false, part, out);
        }
    }
}
