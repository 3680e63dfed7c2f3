//! Tests of all candidates: z given the fit, and the null distribution of the largest |z| from redrawn outcomes.

use std::ops::{AddAssign, Range};

use super::clustered::clustered_variances;
use super::dependence::Dependence;
use super::fit::{Batch, Fit};
use super::input::{ScanInput, share};
use super::joint::{Joint, Layout};
use super::redraw::{CHUNK, CountedRedraws, DataSets, Drawn, Redraws, TOGETHER};
use super::score::{Rows, ScanStatistics, Scored, scored};
use super::{BLOCKS, REDRAWS};
use crate::num::rng::{Lanes, bernoulli_threshold};

/// Joint cells of columns at most: sixteen counts of each fit beside the processor.
const MOST_CELLS: usize = 1024;
/// Blocks that are summed together.
const GROUP: usize = 64;
/// Of them those whose signs are one byte.
const OCTET: usize = 8;
/// Sums side by side in registers.
const TILE: usize = 16;

/// Part `part` of `parts` of the scan: z of each candidate, and the largest |z*| of every redraw.
///
/// The parts divide the redraws of all candidates; the first part also computes z. If rows are in blocks, the parts
/// divide the families, with all redraws.
///
/// * `round`: of the redraws, each of which has streams of its own
///
/// # Cost
/// Up to [`super::EXACT_ROWS`] rows O(n B) a joint of columns, B = 319 redraws, sixteen side by side; beyond that O(n) a
/// family, O(n d) a joint and O(blocks B) a cell.
pub fn scan_part(
    input: &ScanInput,
    fit: &Fit,
    (part, parts): (usize, usize),
    round: usize,
    seed: u64,
) -> ScanStatistics {
    let families = input.families();
    let redrawn_rows = input.blocks.is_empty();
    let of_part = match redrawn_rows {
        true => 0..families.len(),
        false => share(families.len(), part, parts),
    };
    let families = families.get(of_part).unwrap_or_default();
    let tells = !redrawn_rows || part == 0;
    let count = if tells { families.iter().map(|family| family.len).sum() } else { 0 };
    let mut found = ScanStatistics {
        z: vec![f64::NAN; count].into(),
        row_variance: vec![f64::NAN; count].into(),
        correlation: 0.0,
        maxima: vec![0.0; REDRAWS].into(),
        time_maxima: vec![0.0; REDRAWS].into(),
    };
    let d = fit.width();
    if fit.inverse.len() != d * d || families.is_empty() {
        return found;
    }
    let layout = Layout::new(input, families);
    let rows = Rows::new(input, fit);
    let joints = Joint::all(input, &layout, MOST_CELLS);
    let table = rows.sums(input, &layout, &joints);
    let mut scored = scored(input, fit, &layout, &rows, &table, &mut found);
    let dependence = input.dependence(&rows.p);
    if let Some(dependence) = dependence.as_ref().filter(|dependence| dependence.correlation > 0.0) {
        let variances = clustered_variances(input, &rows, &layout, &scored, dependence);
        for (scored, variance) in scored.iter_mut().zip(variances) {
            let wider = (variance / scored.variance).sqrt();
            scored.per_sd /= wider;
            if let Some(z) = found.z.get_mut(scored.number) {
                *z /= wider;
            }
        }
        found.correlation = dependence.correlation;
    }
    let streams = (round * REDRAWS.next_multiple_of(TOGETHER)) as u64;
    let mut maxima = vec![[0.0_f64; 2]; REDRAWS];
    let batches = share(REDRAWS.div_ceil(TOGETHER), part, parts);
    let at = (input, &layout, joints.as_slice());
    let draws = dependence.as_ref().map(Dependence::draws);
    let thresholds: Vec<i32> = match redrawn_rows && !input.counted {
        true => rows.p.iter().map(|&p| bernoulli_threshold(p)).collect(),
        false => Vec::new(),
    };
    let of_rows = |first: u64| Redraws::new(&thresholds, draws.as_ref(), seed, streams + first);
    let of_counts = |first: u64| CountedRedraws::new(&input.weight, &rows.p, seed, streams + first);
    match (redrawn_rows, input.weight.is_empty()) {
        (true, true) if input.rows() < usize::from(u16::MAX) => {
            redrawn::<u16, _>(at, &rows, &scored, of_rows, &mut maxima, batches);
        }
        (true, true) => redrawn::<u32, _>(at, &rows, &scored, of_rows, &mut maxima, batches),
        (true, false) if input.counted => redrawn::<f64, _>(at, &rows, &scored, of_counts, &mut maxima, batches),
        (true, false) => redrawn::<f64, _>(at, &rows, &scored, of_rows, &mut maxima, batches),
        (false, _) => by_blocks(input, &layout, &rows, &scored, (seed, streams), &mut maxima),
    }
    found.maxima = maxima.iter().map(|[of_all, _]| *of_all).collect();
    found.time_maxima = maxima.iter().map(|[_, of_time]| *of_time).collect();
    found
}

/// How redrawn outcomes are counted: as rows, or by their weights.
trait Tally<T>: Copy + Default + AddAssign {
    /// Adds the outcomes of a row of weight `w`.
    fn add(sums: &mut [Self; TOGETHER], drawn: &[T; TOGETHER], w: f64);
    fn number(self) -> f64;
}

impl Tally<u8> for u16 {
    #[inline(always)]
    fn add(sums: &mut [u16; TOGETHER], drawn: &[u8; TOGETHER], _: f64) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum = sum.wrapping_add(u16::from(*t));
        }
    }
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Tally<u8> for u32 {
    #[inline(always)]
    fn add(sums: &mut [u32; TOGETHER], drawn: &[u8; TOGETHER], _: f64) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum += u32::from(*t);
        }
    }
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl<T: Drawn> Tally<T> for f64 {
    #[inline(always)]
    fn add(sums: &mut [f64; TOGETHER], drawn: &[T; TOGETHER], w: f64) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum += t.sum(w);
        }
    }
    fn number(self) -> f64 {
        self
    }
}

/// Largest |z*| of outcomes redrawn from p̂, row by row, in some batches.
///
/// * `data_sets`: those from a number on
fn redrawn<T: Tally<D::Of>, D: DataSets>(
    (input, layout, joints): (&ScanInput, &Layout, &[Joint]),
    rows: &Rows,
    scored: &[Scored],
    data_sets: impl Fn(u64) -> D,
    maxima: &mut [[f64; 2]],
    batches: Range<usize>,
) {
    let n = input.rows();
    let places: Vec<Vec<u16>> = joints
        .iter()
        .map(|joint| {
            let mut places = Vec::new();
            joint.read(input, 0..n, &mut places);
            places
        })
        .collect();
    let z = columns_of_chunks(rows, n);
    let mut drawn: Vec<[D::Of; TOGETHER]> = Vec::with_capacity(n);
    for number in batches {
        let first = number * TOGETHER;
        let Some(maxima) = maxima.get_mut(first..) else { continue };
        let of_fit = draw(input, rows, &z, &mut data_sets(first as u64), &mut drawn);
        let mut table = vec![T::default(); layout.len() * TOGETHER];
        for (joint, places) in joints.iter().zip(&places) {
            let counts = counted::<T, D::Of>(input, places, &drawn, joint.cells);
            joint.spread(counts.as_flattened(), TOGETHER, &mut table);
        }
        let table = table.as_chunks_mut::<TOGETHER>().0;
        let of_times = rings_and_times(input, layout, &drawn, table);
        for subgroup in scored {
            let mut u = [-subgroup.expected; TOGETHER];
            let trend = layout.trends.iter().position(|(_, cell)| subgroup.cells == [*cell as u32]);
            if let Some(sums) = trend.and_then(|trend| of_times.get(trend)) {
                u.iter_mut().zip(sums).for_each(|(u, sum)| *u += sum);
            }
            for &cell in subgroup.cells.iter().filter(|_| trend.is_none()) {
                for (u, t) in u.iter_mut().zip(&table[cell as usize]) {
                    *u += t.number();
                }
            }
            for (h, sums) in subgroup.h.iter().zip(&of_fit) {
                for (u, sum) in u.iter_mut().zip(sums) {
                    *u -= h * sum;
                }
            }
            for ([of_all, of_time], u) in maxima.iter_mut().zip(u) {
                let size = u.abs() * subgroup.per_sd;
                *of_all = of_all.max(size);
                *of_time = of_time.max(if subgroup.is_time { size } else { 0.0 });
            }
        }
    }
}

/// Z, column by column of a chunk of rows.
fn columns_of_chunks(rows: &Rows, n: usize) -> Vec<f32> {
    let mut batch = Batch::new(rows.d());
    let mut z = Vec::with_capacity(n.next_multiple_of(CHUNK) * rows.d());
    for start in (0..n).step_by(CHUNK) {
        batch.read(&rows.design, start..(start + CHUNK).min(n), rows.beta);
        z.extend(batch.columns().flatten().map(|z| *z as f32));
    }
    z
}

/// Draws the outcomes of all rows; Σ w (t* − p̂) z of each column of the fit.
fn draw<D: DataSets>(
    input: &ScanInput,
    rows: &Rows,
    z: &[f32],
    redraws: &mut D,
    drawn: &mut Vec<[D::Of; TOGETHER]>,
) -> Vec<[f64; TOGETHER]> {
    let (n, d) = (input.rows(), rows.d());
    drawn.clear();
    let mut of_fit = vec![[0.0_f64; TOGETHER]; d];
    let mut residual = vec![[0.0_f32; TOGETHER]; CHUNK];
    for (start, z) in (0..n).step_by(CHUNK).zip(z.chunks_exact(CHUNK * d)) {
        let labels = redraws.chunk(start);
        drawn.extend_from_slice(labels);
        for ((to, t), i) in residual.iter_mut().zip(labels).zip(start..) {
            let (p, w) = (rows.p[i], input.weight(i));
            for (to, t) in to.iter_mut().zip(t) {
                *to = t.residual(w, p);
            }
        }
        for (sums, z) in of_fit.iter_mut().zip(z.chunks_exact(CHUNK)) {
            let mut own = [0.0_f32; TOGETHER];
            for (residual, z) in residual[..labels.len()].iter().zip(z) {
                for (own, r) in own.iter_mut().zip(residual) {
                    *own += r * z;
                }
            }
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum += f64::from(own);
            }
        }
    }
    of_fit
}

/// Redrawn outcomes in each cell of a joint.
///
/// * `places`: cell of each row
fn counted<T: Tally<Of>, Of>(
    input: &ScanInput,
    places: &[u16],
    drawn: &[[Of; TOGETHER]],
    cells: usize,
) -> Vec<[T; TOGETHER]> {
    let mut counts = vec![[T::default(); TOGETHER]; cells];
    match input.weight.is_empty() {
        true => places.iter().zip(drawn).for_each(|(&place, t)| T::add(&mut counts[usize::from(place)], t, 1.0)),
        false => {
            for ((&place, t), &w) in places.iter().zip(drawn).zip(input.weight.iter()) {
                T::add(&mut counts[usize::from(place)], t, w);
            }
        }
    }
    counts
}

/// Adds redrawn outcomes to the cells of balls; Σ m w t* of each trend, m the time.
fn rings_and_times<T: Tally<Of>, Of: Drawn>(
    input: &ScanInput,
    layout: &Layout,
    drawn: &[[Of; TOGETHER]],
    table: &mut [[T; TOGETHER]],
) -> Vec<[f64; TOGETHER]> {
    let mut of_times = vec![[0.0_f64; TOGETHER]; layout.trends.len()];
    for (i, t) in drawn.iter().enumerate() {
        for cell in layout.rings_of(input, i) {
            T::add(&mut table[cell], t, input.weight(i));
        }
        for (sums, (time, _)) in of_times.iter_mut().zip(&layout.trends) {
            let (m, w) = (f64::from(input.times[*time].1[i]), input.weight(i));
            sums.iter_mut().zip(t).for_each(|(sum, t)| *sum += m * t.sum(w));
        }
    }
    of_times
}

/// Largest |z*| where every block of rows has a random sign.
fn by_blocks(
    input: &ScanInput,
    layout: &Layout,
    rows: &Rows,
    scored: &[Scored],
    (seed, streams): (u64, u64),
    maxima: &mut [[f64; 2]],
) {
    let d = rows.d();
    // cells, then columns of the fit, in whole tiles
    let width = (layout.len() + d).next_multiple_of(TILE);
    let signs = octets(seed, streams, maxima.len());
    // A joint pays while its cells are few beside the rows of a block.
    let joints = Joint::all(input, layout, input.rows() / BLOCKS / 4);
    let mut counts: Vec<f32> = Vec::new();
    // tile by tile, of each redraw
    let mut total = vec![[0.0_f32; TILE]; maxima.len() * (width / TILE)];
    let mut group = vec![0.0_f32; GROUP * width];
    let (mut places, mut residual, mut z): (Vec<u16>, Vec<f32>, _) = (Vec::new(), Vec::new(), vec![0.0; d]);
    let mut start = 0;
    for (block, &end) in input.blocks.iter().enumerate() {
        let (end, within) = (end as usize, block % GROUP);
        if within == 0 {
            group.fill(0.0);
        }
        let sums = &mut group[within * width..(within + 1) * width];
        let range = start..end;
        residual.clear();
        let mut of_fit = vec![0.0; d];
        for i in range.clone() {
            let r = input.weight(i) * (f64::from(input.target[i]) - rows.p[i]);
            residual.push(r as f32);
            rows.design.fill(i, &mut z);
            for (sum, z) in of_fit.iter_mut().zip(&z) {
                *sum += r * z;
            }
        }
        for (i, r) in range.clone().zip(&residual) {
            layout.rings_of(input, i).for_each(|cell| sums[cell] += r);
            layout.trends.iter().for_each(|(time, cell)| sums[*cell] += input.times[*time].1[i] * r);
        }
        for joint in &joints {
            joint.read(input, range.clone(), &mut places);
            counts.clear();
            counts.resize(joint.cells, 0.0);
            for (&place, r) in places.iter().zip(&residual) {
                counts[usize::from(place)] += r;
            }
            joint.spread(&counts, 1, sums);
        }
        for (to, sum) in sums[layout.len()..].iter_mut().zip(of_fit) {
            *to = sum as f32;
        }
        start = end;
        if within + 1 == GROUP || block + 1 == input.blocks.len() {
            let first = (block - within) / OCTET;
            let some = signs.iter().map(|of| &of[first..(block + 1).div_ceil(OCTET)]).collect::<Vec<_>>();
            signed_sums(&group, width, &some, &mut total);
        }
    }
    let mut of_redraw = vec![0.0_f32; width];
    for (redraw, [of_all, of_time]) in maxima.iter_mut().enumerate() {
        let tiles = total.iter().skip(redraw).step_by(REDRAWS);
        for (to, tile) in of_redraw.chunks_exact_mut(TILE).zip(tiles) {
            to.copy_from_slice(tile);
        }
        let (cells, of_fit) = of_redraw.split_at(layout.len());
        for subgroup in scored {
            let sum: f64 = subgroup.cells.iter().map(|&cell| f64::from(cells[cell as usize])).sum();
            let known: f64 = subgroup.h.iter().zip(of_fit).map(|(h, &sum)| h * f64::from(sum)).sum();
            let size = (sum - known).abs() * subgroup.per_sd;
            *of_all = of_all.max(size);
            *of_time = of_time.max(if subgroup.is_time { size } else { 0.0 });
        }
    }
}

/// The signs of the blocks, eight a byte, of each redraw.
fn octets(seed: u64, streams: u64, redraws: usize) -> Vec<Vec<u8>> {
    let half = vec![bernoulli_threshold(0.5); BLOCKS];
    let signs = (streams..).take(redraws).map(|stream| {
        let mut octets = vec![0; BLOCKS.div_ceil(OCTET)];
        Lanes::seeded(seed, stream).bernoulli_bits(&half, &mut |place, octet| octets[place] = octet);
        octets
    });
    signs.collect()
}

/// total += Σ of the rows of `group`, each with its sign: eight rows at a time, whose 256 sums are made once for all redraws.
fn signed_sums(group: &[f32], width: usize, signs: &[&[u8]], total: &mut [[f32; TILE]]) {
    let mut sums = vec![[0.0_f32; TILE]; 1 << OCTET];
    for (tile, total) in total.chunks_exact_mut(signs.len()).enumerate() {
        for (octet, rows) in group.chunks_exact(OCTET * width).enumerate() {
            let of_tile = |row: usize| rows[row * width..].as_chunks::<TILE>().0.get(tile).copied().unwrap_or_default();
            let mut none = [0.0; TILE];
            for row in 0..OCTET {
                none.iter_mut().zip(of_tile(row)).for_each(|(sum, x)| *sum -= x);
            }
            sums[0] = none;
            for row in 0..OCTET {
                let twice = of_tile(row).map(|x| 2.0 * x);
                let (without, with) = sums.split_at_mut(1 << row);
                for (with, without) in with.iter_mut().zip(without) {
                    for ((to, x), twice) in with.iter_mut().zip(without).zip(&twice) {
                        *to = *x + twice;
                    }
                }
            }
            for (total, signs) in total.iter_mut().zip(signs) {
                let Some(&signs) = signs.get(octet) else { continue };
                for (total, x) in total.iter_mut().zip(&sums[usize::from(signs)]) {
                    *total += x;
                }
            }
        }
    }
}

/// Maximum number of times that a ball is moved.
const MOVES: usize = 2;

/// The smallest ball with this share of the largest |z| is used: it is closer to the location of the error.
const FOCUS: f64 = 0.9;

/// The smallest ball near a given one with a similar |z|: other centers among its rows, other sizes; with its z.
///
/// * `rows`: rows of the ball, ascending; `z`: its z, in whose units that of the new ball is stated
///
/// # Cost
/// O(n d), and that of [`super::Places::refined`].
pub(super) fn refined(input: &ScanInput, fit: &Fit, rows: &[u32], z: f64) -> (Vec<u32>, f64) {
    let Some(places) = input.places.as_ref().filter(|_| !fit.inverse.is_empty()) else { return (rows.to_vec(), z) };
    let of_rows = Rows::new(input, fit);
    let Some((_, own)) = of_rows.z_of_first(input, fit, rows, &[rows.len()]).first().copied() else {
        return (rows.to_vec(), z);
    };
    let mut best = (rows.to_vec(), own);
    let around = |rows: &[u32], take: &mut dyn FnMut(&[u32], f64)| {
        places.refined(rows, input.least, &mut |near, sizes| {
            for (size, z) in of_rows.z_of_first(input, fit, near, sizes) {
                if z * own > 0.0 {
                    take(near.get(..size).unwrap_or_default(), z);
                }
            }
        });
    };
    for _ in 0..MOVES {
        let mut found = best.clone();
        around(&best.0, &mut |rows, z| {
            if z.abs() > found.1.abs() {
                found = (rows.to_vec(), z);
            }
        });
        best = found;
    }
    let enough = FOCUS * best.1.abs();
    let widest = best.0.clone();
    around(&widest, &mut |rows, z| {
        if z.abs() >= enough && (rows.len(), -z.abs()) < (best.0.len(), -best.1.abs()) {
            best = (rows.to_vec(), z);
        }
    });
    best.0.sort_unstable();
    (best.0, z * (best.1 / own).abs())
}

/// z of a set of independent rows under a fit; 0 if undefined.
pub(super) fn z_beside(input: &ScanInput, fit: &Fit, rows: &[u32]) -> f64 {
    if fit.inverse.is_empty() {
        return 0.0;
    }
    let of_rows = Rows::new(input, fit);
    of_rows.z_of_first(input, fit, rows, &[rows.len()]).first().map_or(0.0, |(_, z)| *z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_sign() {
        let width = 2 * TILE;
        let group: Vec<f32> = (0..GROUP * width).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
        let signs: Vec<Vec<u8>> =
            (0..3).map(|k| (0..GROUP / OCTET).map(|o| (o * 57 + k * 91) as u8).collect()).collect();
        let mut total = vec![[0.0; TILE]; 3 * 2];
        signed_sums(&group, width, &signs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut total);
        for (k, signs) in signs.iter().enumerate() {
            for cell in 0..width {
                let sign = |row: usize| if signs[row / OCTET] >> (row % OCTET) & 1 == 1 { 1.0 } else { -1.0 };
                let expected: f32 = (0..GROUP).map(|row| sign(row) * group[row * width + cell]).sum();
                assert_eq!(total[cell / TILE * 3 + k][cell % TILE], expected);
            }
        }
    }
}
