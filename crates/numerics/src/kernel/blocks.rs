//! Blocked pairwise sums in any dimension: rows in fours against sources in blocks of eight.
//!
//! Queries that are the sources, own pair included, meet each pair once (`symmetric`), for every bandwidth at once.
//! Other queries take all distances first and subtract the least, so that none ends in 0/0.

use super::frame::{Blocks, Frame};
use super::lane::{LANES, Lane, ROWS, tile, weighted};
use super::symmetric::symmetric;
use super::{Engine, Kernel, KernelSums, Part, Points, Queries};
use crate::num::order::sort_short;

/// Largest scaled norm for which single-precision distances keep the sums within 1e-5.
const SINGLE: f64 = 32.0;
/// Largest scaled norm for which scaled double-precision distances are kept within 1e-9.
const DOUBLE: f64 = 1e6;
/// Bandwidths per pass: their running sums share the cache with the coordinates.
const TOGETHER: usize = 32;

/// Queries against sources: all distances of four queries first, then weights relative to the least.
fn one_sided<T: Lane>(sources: &Blocks<T>, queries: &Blocks<T>, leave_out: bool, part: Part, sums: &mut KernelSums) {
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
            if leave_out && let Some(own) = row.get_mut(q) {
                *own = T::of(f64::INFINITY);
            }
            let least = row.iter().map(|t| t.wide()).fold(f64::INFINITY, f64::min);
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

/// Exponents from four queries to every source; infinite for the padding behind them.
#[inline(never)]
fn exponents<T: Lane>(sources: &Blocks<T>, queries: &Blocks<T>, first: usize, rows: &mut [Vec<T>; ROWS]) {
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
                let factor = if square { weighted([T::ZERO; LANES], kernel, kernel) } else { kernel };
                *partial = weighted(*partial, factor, *weight);
            }
        }
        for (value, partial) in values.iter_mut().zip(&mut partial) {
            *value += partial.iter().map(|p| p.wide()).sum::<f64>();
            *partial = [T::ZERO; LANES];
        }
    }
}

/// As [`super::sums_at`]; `None` where scaled distances would not be accurate enough, or there is no source.
pub(super) fn sums(
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernels: &[Kernel],
    n_eff: bool,
    part: Part,
) -> Vec<Option<KernelSums>> {
    let center = Frame::center(sources);
    let frames: Vec<Frame> = kernels.iter().map(|k| Frame::new(&center, *k)).collect();
    let measured = |frame: &Frame| match queries {
        _ if sources.n() == 0 || !frame.scale.is_finite() => f64::INFINITY,
        Queries::At(points) => frame.reach(sources).max(frame.reach(*points)),
        Queries::Sources { .. } => frame.reach(sources),
    };
    let first = frames.first().map_or(f64::INFINITY, measured);
    // Norms go with the scale; they are taken anew only where the first was out of range.
    let reach: Vec<f64> = frames
        .iter()
        .map(|frame| match frames.first() {
            Some(base) if first > 0.0 && first.is_finite() => first * base.ratio(frame),
            _ => measured(frame),
        })
        .collect();
    let mut out: Vec<Option<KernelSums>> = reach
        .iter()
        .map(|reach| (*reach <= DOUBLE).then(|| KernelSums::unanswered(queries.n(sources), k, n_eff)))
        .collect();
    let single = |reach: f64| sources.d() > 3 && reach <= SINGLE;
    // Wide bandwidths first: where one reaches too little of a tile to matter, the narrower need not look.
    let mut order: Vec<usize> = (0..kernels.len()).collect();
    sort_short(&mut order, |a, b| reach[*a] < reach[*b]);
    let together = match queries {
        Queries::Sources { leave_one_out: false } => TOGETHER,
        _ => 1,
    };
    let mut from = 0;
    while from < order.len() {
        let first = order[from];
        let mut end = from + 1;
        while end < order.len()
            && end - from < together
            && single(reach[order[end]]) == single(reach[first])
            && reach[order[end]] <= DOUBLE
        {
            end += 1;
        }
        let mut answers: Vec<(f64, &mut KernelSums)> = Vec::new();
        // The narrowest bandwidth of the pass sets the scale: no other exponent is larger.
        let narrowest = order[end - 1];
        let frame = (&frames[narrowest], reach[narrowest]);
        for (kernel, answer) in out.iter_mut().enumerate() {
            if let (true, Some(answer)) = (order[from..end].contains(&kernel), answer) {
                answers.push((frame.0.ratio(&frames[kernel]), answer));
            }
        }
        sort_short(&mut answers, |a, b| a.0 < b.0);
        if single(reach[first]) {
            run::<f32>(frame, queries, sources, weights, k, part, &mut answers);
        } else {
            run::<f64>(frame, queries, sources, weights, k, part, &mut answers);
        }
        from = end;
    }
    out
}

/// As [`super::sums_of_fit`]: whether a place is scaled or met pair by pair is asked of itself and the sources.
pub(super) fn sums_of_fit(
    queries: Points,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> KernelSums {
    let mut all = KernelSums::unanswered(queries.n(), k, n_eff);
    all.engine = Engine::Blocks;
    let frame = Frame::new(&Frame::center(sources), kernel);
    let reach = frame.reach(sources);
    let whole = sources.n() > 0 && frame.scale.is_finite() && reach <= DOUBLE;
    let near = |row: &u32| whole && frame.norm(queries.row(*row as usize)) <= DOUBLE;
    let asked = part.range(queries.n());
    let (near, far): (Vec<u32>, Vec<u32>) = (asked.start as u32..asked.end as u32).partition(near);
    if !near.is_empty() {
        let places = queries.gather(&near);
        let at = Queries::At(queries.like(&places));
        let mut sums = KernelSums::unanswered(near.len(), k, n_eff);
        let scaled = (&frame, reach);
        let answers = &mut [(1.0, &mut sums)];
        run::<f64>(scaled, &at, sources, weights, k, Part::WHOLE, answers);
        all.scatter(&near, &sums);
    }
    if !far.is_empty() {
        let places = queries.gather(&far);
        let at = Queries::At(queries.like(&places));
        let sums = super::pairwise::sums(&at, sources, weights, k, kernel, n_eff, Part::WHOLE);
        all.scatter(&far, &sums);
    }
    all
}

fn run<T: Lane>(
    (frame, reach): (&Frame, f64),
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    part: Part,
    answers: &mut [(f64, &mut KernelSums)],
) {
    let squares = answers.iter().any(|(_, sums)| sums.n_eff.is_some());
    let Some((_, first)) = answers.first_mut() else {
        return;
    };
    let blocks = frame.blocks::<T>(sources, weights, k, squares);
    match queries {
        Queries::Sources { leave_one_out: false } => symmetric(&blocks, reach, part, answers),
        Queries::Sources { leave_one_out: true } => one_sided(&blocks, &blocks, true, part, first),
        Queries::At(points) => {
            let asked = frame.blocks::<T>(*points, &[], 0, false);
            one_sided(&blocks, &asked, false, part, first);
        }
    }
}
