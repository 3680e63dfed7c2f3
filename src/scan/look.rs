//! The score of every slice beyond what the fit knows, and what redrawn outcomes make of the largest.
//!
//! M: 1 in the slice; r = t − p̂; v = p̂(1 − p̂); w: weights; Z: what the fit knows.
//! u = Σ w M r − hᵀ Σ w z r, h = A⁻¹ C, C = Σ w M v z, A = Σ w v z zᵀ;
//! V = Σ w² v (M − hᵀ z)²; z = u / √V.

use std::ops::{AddAssign, Range};

use serde::{Deserialize, Serialize};

use super::fit::{BATCH, Batch, Design, Fit, dot};
use super::ground::{Ground, share};
use super::joint::{Joint, Layout};
use super::redraw::{CHUNK, Redraws, TOGETHER};
use super::{BLOCKS, REDRAWS};
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::table::Column;

/// Slices of whose variance less is their own say nothing: what is known tells who is in them.
const OWN: f64 = 0.02;
/// Slices in which fewer outcomes could be otherwise say nothing.
const LEAST_VARIANCE: f64 = 0.25;
/// Joint cells of columns at most: sixteen counts of each fit beside the processor.
const MOST_CELLS: usize = 1024;
/// Numbers that are added at once.
const QUAD: usize = 4;
/// Blocks that are summed together.
const GROUP: usize = 64;
/// Of them those whose signs are one byte.
const OCTET: usize = 8;
/// Sums side by side in registers.
const TILE: usize = 16;

/// What was found of some slices.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Looked {
    /// z of each; NaN where it says nothing
    pub z: Column<f64>,
    /// V / Σ w M of each, likewise
    pub row_variance: Column<f64>,
    /// largest |z*| of each redraw
    pub maxima: Column<f64>,
}

/// A slice that says something.
struct Scored {
    /// places in the table of sums
    cells: Vec<u32>,
    /// h, d
    h: Vec<f64>,
    /// 1 / √V
    per_sd: f64,
    /// Σ w M p̂: what Σ w M t* is held against
    expected: f64,
}

/// Looks at part `part` of `parts` of all slices: z of each, and the largest |z*| of every redraw.
///
/// Parts are some of the redraws of all slices, the first with z; where rows stand in blocks they are all redraws of some
/// families.
///
/// * `round`: of the redraws, each of which has streams of its own
///
/// # Cost
/// Up to [`super::EXACT_ROWS`] rows O(n B) a joint of columns, B = 319 redraws, sixteen side by side; beyond that O(n) a
/// family, O(n d) a joint and O(blocks B) a cell.
pub fn look(ground: &Ground, fit: &Fit, (part, parts): (usize, usize), round: usize, seed: u64) -> Looked {
    let families = ground.families();
    let redrawn_rows = ground.blocks.is_empty();
    let of_part = match redrawn_rows {
        true => 0..families.len(),
        false => share(families.len(), part, parts),
    };
    let families = families.get(of_part).unwrap_or_default();
    let tells = !redrawn_rows || part == 0;
    let count = if tells { families.iter().map(|family| family.len).sum() } else { 0 };
    let mut found = Looked {
        z: vec![f64::NAN; count].into(),
        row_variance: vec![f64::NAN; count].into(),
        maxima: vec![0.0; REDRAWS].into(),
    };
    let d = fit.width();
    if fit.inverse.len() != d * d || families.is_empty() {
        return found;
    }
    let layout = Layout::new(ground, families);
    let rows = Rows::new(ground, fit);
    let joints = Joint::all(ground, &layout, MOST_CELLS);
    let table = rows.sums(ground, &layout, &joints);
    let scored = scored(ground, fit, &layout, &rows, &table, &mut found);
    let streams = (round * REDRAWS.next_multiple_of(TOGETHER)) as u64;
    let mut maxima = vec![0.0_f64; REDRAWS];
    let batches = share(REDRAWS.div_ceil(TOGETHER), part, parts);
    let at = (ground, &layout, joints.as_slice());
    match (redrawn_rows, ground.weight.is_empty()) {
        (true, true) => redrawn::<u16>(at, &rows, &scored, (seed, streams), &mut maxima, batches),
        (true, false) => redrawn::<f64>(at, &rows, &scored, (seed, streams), &mut maxima, batches),
        (false, _) => by_blocks(ground, &layout, &rows, &scored, (seed, streams), &mut maxima),
    }
    found.maxima = maxima.into();
    found
}

/// Numbers of every row under a fit.
struct Rows<'a> {
    /// Z
    design: Design<'a>,
    beta: &'a [f64],
    /// p̂
    p: Vec<f64>,
    /// Σ w z r
    residual: Vec<f64>,
}

/// Numbers a cell of the table of sums begins with: rows, Σ w, Σ w r, Σ w p̂; then C, and with weights Σ w² v z.
const HEAD: usize = 4;

impl<'a> Rows<'a> {
    fn new(ground: &'a Ground, fit: &'a Fit) -> Self {
        let design = Design::new(ground, &fit.slices);
        let (n, d) = (ground.rows(), design.width());
        let mut rows = Self { design, beta: &fit.beta, p: Vec::with_capacity(n), residual: vec![0.0; d] };
        let mut batch = Batch::new(d);
        let mut residual = vec![0.0; BATCH];
        for start in (0..n).step_by(BATCH) {
            let range = start..(start + BATCH).min(n);
            batch.read(&rows.design, range.clone(), rows.beta);
            rows.p.extend_from_slice(&batch.p[..range.len()]);
            residual.fill(0.0);
            for ((to, i), p) in residual.iter_mut().zip(range).zip(&batch.p) {
                *to = ground.weight(i) * (f64::from(ground.target[i]) - p);
            }
            for (sum, column) in rows.residual.iter_mut().zip(batch.columns()) {
                *sum += dot(&residual, column);
            }
        }
        rows
    }

    fn d(&self) -> usize {
        self.residual.len()
    }

    fn stride(&self, ground: &Ground) -> usize {
        (HEAD + self.d() * if ground.weight.is_empty() { 1 } else { 2 }).next_multiple_of(QUAD)
    }

    /// Sums of every cell. O(n d) a joint.
    fn sums(&self, ground: &Ground, layout: &Layout, joints: &[Joint]) -> Vec<f64> {
        let (d, stride, n) = (self.d(), self.stride(ground), ground.rows());
        let mut counts: Vec<Vec<f64>> = joints.iter().map(|joint| vec![0.0; joint.cells * stride]).collect();
        let mut values = vec![0.0; BATCH * stride];
        let mut batch = Batch::new(d);
        let mut places = Vec::with_capacity(BATCH);
        for start in (0..n).step_by(BATCH) {
            let rows = start..(start + BATCH).min(n);
            batch.read(&self.design, rows.clone(), self.beta);
            for ((i, value), p) in rows.clone().zip(values.chunks_exact_mut(stride)).zip(&batch.p) {
                let w = ground.weight(i);
                value[..HEAD].copy_from_slice(&[1.0, w, w * (f64::from(ground.target[i]) - p), w * p]);
            }
            let weighted = if ground.weight.is_empty() { 1 } else { 2 };
            for power in 0..weighted {
                for (j, column) in batch.columns().enumerate() {
                    let values = values.chunks_exact_mut(stride).zip(rows.clone());
                    for (((value, i), z), p) in values.zip(column).zip(&batch.p) {
                        let w = ground.weight(i);
                        let w = if power == 1 { w * w } else { w };
                        value[HEAD + power * d + j] = w * (p * (1.0 - p)) * z;
                    }
                }
            }
            for (joint, table) in joints.iter().zip(&mut counts) {
                joint.read(ground, rows.clone(), &mut places);
                let table = table.as_chunks_mut::<QUAD>().0;
                let quads = stride / QUAD;
                for (&place, value) in places.iter().zip(values.as_chunks::<QUAD>().0.chunks_exact(quads)) {
                    let at = usize::from(place) * quads;
                    for (to, x) in table[at..at + quads].iter_mut().zip(value) {
                        for (to, x) in to.iter_mut().zip(x) {
                            *to += x;
                        }
                    }
                }
            }
        }
        let mut table = vec![0.0; layout.len() * stride];
        for (joint, counts) in joints.iter().zip(&counts) {
            joint.spread(counts, stride, &mut table);
        }
        table
    }
}

/// z and V of every slice; those that say something, with what their redraws need.
fn scored(ground: &Ground, fit: &Fit, layout: &Layout, rows: &Rows, table: &[f64], found: &mut Looked) -> Vec<Scored> {
    let (d, stride) = (rows.d(), rows.stride(ground));
    let mut scored = Vec::new();
    let mut sum = vec![0.0; stride];
    let mut number = 0;
    for place in 0..layout.families.len() {
        for cells in layout.cells(ground, place) {
            let this = number;
            number += 1;
            sum.fill(0.0);
            for &cell in &cells {
                let at = cell as usize * stride;
                for (to, x) in sum.iter_mut().zip(&table[at..at + stride]) {
                    *to += x;
                }
            }
            if (sum[0] as usize) < ground.least {
                continue;
            }
            let (own, squared) = sum[HEAD..].split_at(d);
            let squared = if ground.weight.is_empty() { &[] } else { &squared[..d] };
            let h: Vec<f64> = fit.inverse.chunks_exact(d).map(|row| dot(row, own)).collect();
            // With weights: Σ w² v M − 2 hᵀ Σ w² v M z + hᵀ (Σ w² v z zᵀ) h.
            let (all, variance) = match squared.is_empty() {
                true => (own[0], own[0] - dot(&h, own)),
                false => {
                    let b: Vec<f64> = fit.squared.chunks_exact(d).map(|row| dot(row, &h)).collect();
                    (squared[0], squared[0] - 2.0 * dot(&h, squared) + dot(&h, &b))
                }
            };
            if variance.is_nan() || variance < OWN * all || own[0] < LEAST_VARIANCE {
                continue;
            }
            let per_sd = 1.0 / variance.sqrt();
            if let (Some(z), Some(row_variance)) = (found.z.get_mut(this), found.row_variance.get_mut(this)) {
                *z = (sum[2] - dot(&h, &rows.residual)) * per_sd;
                *row_variance = all / sum[1];
            }
            scored.push(Scored { cells, h, per_sd, expected: sum[3] });
        }
    }
    scored
}

/// How redrawn outcomes are counted: as rows, or by their weights.
trait Tally: Copy + Default + AddAssign {
    /// Adds the outcomes of a row of weight `w`.
    fn add(sums: &mut [Self; TOGETHER], drawn: &[u8; TOGETHER], w: f64);
    fn number(self) -> f64;
}

impl Tally for u16 {
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

impl Tally for f64 {
    #[inline(always)]
    fn add(sums: &mut [f64; TOGETHER], drawn: &[u8; TOGETHER], w: f64) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum += f64::from(*t) * w;
        }
    }
    fn number(self) -> f64 {
        self
    }
}

/// Largest |z*| of outcomes redrawn from p̂, row by row, in some batches.
fn redrawn<T: Tally>(
    (ground, layout, joints): (&Ground, &Layout, &[Joint]),
    rows: &Rows,
    scored: &[Scored],
    (seed, streams): (u64, u64),
    maxima: &mut [f64],
    batches: Range<usize>,
) {
    let (n, d) = (ground.rows(), rows.d());
    let thresholds: Vec<i32> = rows.p.iter().map(|&p| bernoulli_threshold(p)).collect();
    let places: Vec<Vec<u16>> = joints
        .iter()
        .map(|joint| {
            let mut places = Vec::new();
            joint.read(ground, 0..n, &mut places);
            places
        })
        .collect();
    let mut batch = Batch::new(d);
    // Z, column by column of a chunk
    let mut z = Vec::with_capacity(n.next_multiple_of(CHUNK) * d);
    for start in (0..n).step_by(CHUNK) {
        batch.read(&rows.design, start..(start + CHUNK).min(n), rows.beta);
        z.extend(batch.columns().flatten().map(|z| *z as f32));
    }
    let mut drawn: Vec<[u8; TOGETHER]> = Vec::with_capacity(n);
    let mut residual = vec![[0.0_f32; TOGETHER]; CHUNK];
    for number in batches {
        let first = number * TOGETHER;
        let Some(maxima) = maxima.get_mut(first..) else { continue };
        let mut redraws = Redraws::new(&thresholds, seed, streams + first as u64);
        drawn.clear();
        let mut of_fit = vec![[0.0_f64; TOGETHER]; d];
        for (start, z) in (0..n).step_by(CHUNK).zip(z.chunks_exact(CHUNK * d)) {
            let labels = redraws.chunk(start);
            drawn.extend_from_slice(labels);
            for ((to, t), i) in residual.iter_mut().zip(labels).zip(start..) {
                let (p, w) = (rows.p[i] as f32, ground.weight(i) as f32);
                for (to, t) in to.iter_mut().zip(t) {
                    *to = w * (f32::from(*t) - p);
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
        let mut table = vec![T::default(); layout.len() * TOGETHER];
        for (joint, places) in joints.iter().zip(&places) {
            let mut counts = vec![[T::default(); TOGETHER]; joint.cells];
            match ground.weight.is_empty() {
                true => {
                    places.iter().zip(&drawn).for_each(|(&place, t)| T::add(&mut counts[usize::from(place)], t, 1.0))
                }
                false => {
                    for ((&place, t), &w) in places.iter().zip(&drawn).zip(ground.weight.iter()) {
                        T::add(&mut counts[usize::from(place)], t, w);
                    }
                }
            }
            joint.spread(counts.as_flattened(), TOGETHER, &mut table);
        }
        let table = table.as_chunks::<TOGETHER>().0;
        for slice in scored {
            let mut u = [-slice.expected; TOGETHER];
            for &cell in &slice.cells {
                for (u, t) in u.iter_mut().zip(&table[cell as usize]) {
                    *u += t.number();
                }
            }
            for (h, sums) in slice.h.iter().zip(&of_fit) {
                for (u, sum) in u.iter_mut().zip(sums) {
                    *u -= h * sum;
                }
            }
            for (most, u) in maxima.iter_mut().zip(u) {
                *most = most.max(u.abs() * slice.per_sd);
            }
        }
    }
}

/// Largest |z*| where every block of rows has a random sign.
fn by_blocks(
    ground: &Ground,
    layout: &Layout,
    rows: &Rows,
    scored: &[Scored],
    (seed, streams): (u64, u64),
    maxima: &mut [f64],
) {
    let d = rows.d();
    // Cells, then what the fit knows, whole tiles of them.
    let width = (layout.len() + d).next_multiple_of(TILE);
    let signs = octets(seed, streams, maxima.len());
    // A joint pays while its cells are few beside the rows of a block.
    let joints = Joint::all(ground, layout, ground.rows() / BLOCKS / 4);
    let mut counts: Vec<f32> = Vec::new();
    // tile by tile, of each redraw
    let mut total = vec![[0.0_f32; TILE]; maxima.len() * (width / TILE)];
    let mut group = vec![0.0_f32; GROUP * width];
    let (mut places, mut residual, mut z): (Vec<u16>, Vec<f32>, _) = (Vec::new(), Vec::new(), vec![0.0; d]);
    let mut start = 0;
    for (block, &end) in ground.blocks.iter().enumerate() {
        let (end, within) = (end as usize, block % GROUP);
        if within == 0 {
            group.fill(0.0);
        }
        let sums = &mut group[within * width..(within + 1) * width];
        let range = start..end;
        residual.clear();
        let mut of_fit = vec![0.0; d];
        for i in range.clone() {
            let r = ground.weight(i) * (f64::from(ground.target[i]) - rows.p[i]);
            residual.push(r as f32);
            rows.design.fill(i, &mut z);
            for (sum, z) in of_fit.iter_mut().zip(&z) {
                *sum += r * z;
            }
        }
        for joint in &joints {
            joint.read(ground, range.clone(), &mut places);
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
        if within + 1 == GROUP || block + 1 == ground.blocks.len() {
            let first = (block - within) / OCTET;
            let some = signs.iter().map(|of| &of[first..(block + 1).div_ceil(OCTET)]).collect::<Vec<_>>();
            signed_sums(&group, width, &some, &mut total);
        }
    }
    let mut of_redraw = vec![0.0_f32; width];
    for (redraw, most) in maxima.iter_mut().enumerate() {
        let tiles = total.iter().skip(redraw).step_by(REDRAWS);
        for (to, tile) in of_redraw.chunks_exact_mut(TILE).zip(tiles) {
            to.copy_from_slice(tile);
        }
        let (cells, of_fit) = of_redraw.split_at(layout.len());
        for slice in scored {
            let sum: f64 = slice.cells.iter().map(|&cell| f64::from(cells[cell as usize])).sum();
            let known: f64 = slice.h.iter().zip(of_fit).map(|(h, &sum)| h * f64::from(sum)).sum();
            *most = most.max((sum - known).abs() * slice.per_sd);
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
