//! The score of every slice beyond what the fit knows, and what redrawn outcomes make of the largest.
//!
//! M: 1 in the slice; r = t − p̂; v = p̂(1 − p̂); w: weights; Z: what the fit knows.
//! u = Σ w M r − hᵀ Σ w z r, h = A⁻¹ C, C = Σ w M v z, A = Σ w v z zᵀ;
//! V = Σ w² v (M − hᵀ z)²; z = u / √V.
//! Where rows lie in clusters c: V = (1 − ρ) Σ Eᵢ² + ρ Σ_c (Σ_{i∈c} Eᵢ)², E = w √v (M − hᵀ z), ρ the correlation of r / √v.

use std::ops::{AddAssign, Range};

use serde::{Deserialize, Serialize};

use super::clustered::clustered_variances;
use super::dependence::Dependence;
use super::fit::{BATCH, Batch, Design, Fit, dot};
use super::ground::{Ground, Of, share};
use super::joint::{Joint, Layout};
use super::redraw::{CHUNK, CountedRedraws, DataSets, Drawn, Redraws, TOGETHER};
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
    /// the same of the candidates that are about time
    pub time_maxima: Column<f64>,
}

/// A candidate that says something.
pub(super) struct Scored {
    /// places in the table of sums
    pub(super) cells: Vec<u32>,
    /// h, d
    pub(super) h: Vec<f64>,
    /// V, of independent rows
    pub(super) variance: f64,
    /// 1 / √V
    per_sd: f64,
    /// Σ w M p̂: what Σ w M t* is held against
    expected: f64,
    /// its number among those that were looked at
    number: usize,
    /// it is about time
    is_time: bool,
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
        time_maxima: vec![0.0; REDRAWS].into(),
    };
    let d = fit.width();
    if fit.inverse.len() != d * d || families.is_empty() {
        return found;
    }
    let layout = Layout::new(ground, families);
    let rows = Rows::new(ground, fit);
    let joints = Joint::all(ground, &layout, MOST_CELLS);
    let table = rows.sums(ground, &layout, &joints);
    let mut scored = scored(ground, fit, &layout, &rows, &table, &mut found);
    let dependence = ground.dependence(&rows.p);
    if let Some(dependence) = dependence.as_ref().filter(|dependence| dependence.correlation > 0.0) {
        let variances = clustered_variances(ground, &rows, &layout, &scored, dependence);
        for (scored, variance) in scored.iter_mut().zip(variances) {
            let wider = (variance / scored.variance).sqrt();
            scored.per_sd /= wider;
            if let (Some(z), Some(row_variance)) =
                (found.z.get_mut(scored.number), found.row_variance.get_mut(scored.number))
            {
                *z /= wider;
                *row_variance *= wider * wider;
            }
        }
    }
    let streams = (round * REDRAWS.next_multiple_of(TOGETHER)) as u64;
    let mut maxima = vec![[0.0_f64; 2]; REDRAWS];
    let batches = share(REDRAWS.div_ceil(TOGETHER), part, parts);
    let at = (ground, &layout, joints.as_slice());
    let draws = dependence.as_ref().map(Dependence::draws);
    let thresholds: Vec<i32> = match redrawn_rows && !ground.counted {
        true => rows.p.iter().map(|&p| bernoulli_threshold(p)).collect(),
        false => Vec::new(),
    };
    let of_rows = |first: u64| Redraws::new(&thresholds, draws.as_ref(), seed, streams + first);
    let of_counts = |first: u64| CountedRedraws::new(&ground.weight, &rows.p, seed, streams + first);
    match (redrawn_rows, ground.weight.is_empty()) {
        (true, true) if ground.rows() < usize::from(u16::MAX) => {
            redrawn::<u16, _>(at, &rows, &scored, of_rows, &mut maxima, batches);
        }
        (true, true) => redrawn::<u32, _>(at, &rows, &scored, of_rows, &mut maxima, batches),
        (true, false) if ground.counted => redrawn::<f64, _>(at, &rows, &scored, of_counts, &mut maxima, batches),
        (true, false) => redrawn::<f64, _>(at, &rows, &scored, of_rows, &mut maxima, batches),
        (false, _) => by_blocks(ground, &layout, &rows, &scored, (seed, streams), &mut maxima),
    }
    found.maxima = maxima.iter().map(|[of_all, _]| *of_all).collect();
    found.time_maxima = maxima.iter().map(|[_, of_time]| *of_time).collect();
    found
}

/// Numbers of every row under a fit.
pub(super) struct Rows<'a> {
    /// Z
    pub(super) design: Design<'a>,
    beta: &'a [f64],
    /// p̂
    pub(super) p: Vec<f64>,
    /// Σ w z r
    residual: Vec<f64>,
}

/// Numbers a cell of the table of sums begins with: rows, Σ w, Σ w r, Σ w p̂; then C, and with weights that are no numbers of
/// rows Σ w² v z.
const HEAD: usize = 4;

impl<'a> Rows<'a> {
    fn new(ground: &'a Ground, fit: &'a Fit) -> Self {
        let design = Design::new(ground, &fit.named);
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

    pub(super) fn d(&self) -> usize {
        self.residual.len()
    }

    fn stride(&self, ground: &Ground) -> usize {
        (HEAD + self.d() * if ground.has_squares() { 2 } else { 1 }).next_multiple_of(QUAD)
    }

    /// Sums of every cell. O(n d) a joint, and of every row of a place.
    fn sums(&self, ground: &Ground, layout: &Layout, joints: &[Joint]) -> Vec<f64> {
        let (d, stride, n) = (self.d(), self.stride(ground), ground.rows());
        let mut table = vec![0.0; layout.len() * stride];
        let mut counts: Vec<Vec<f64>> = joints.iter().map(|joint| vec![0.0; joint.cells * stride]).collect();
        let mut values = vec![0.0; BATCH * stride];
        let mut batch = Batch::new(d);
        let mut places = Vec::with_capacity(BATCH);
        for start in (0..n).step_by(BATCH) {
            let rows = start..(start + BATCH).min(n);
            batch.read(&self.design, rows.clone(), self.beta);
            for ((i, value), p) in rows.clone().zip(values.chunks_exact_mut(stride)).zip(&batch.p) {
                let w = ground.weight(i);
                value[..HEAD].copy_from_slice(&[ground.count(i), w, w * (f64::from(ground.target[i]) - p), w * p]);
            }
            let weighted = if ground.has_squares() { 2 } else { 1 };
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
            for (value, i) in values.chunks_exact(stride).zip(rows.clone()) {
                for cell in layout.rings_of(ground, i) {
                    let sums = &mut table[cell * stride..(cell + 1) * stride];
                    sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += x);
                }
                for &(time, cell) in &layout.trends {
                    let m = f64::from(ground.times[time].1[i]);
                    let sums = &mut table[cell * stride..(cell + 1) * stride];
                    sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += m * x);
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
        for (joint, counts) in joints.iter().zip(&counts) {
            joint.spread(counts, stride, &mut table);
        }
        table
    }

    /// Σ w² v M² of a time, which is not 0 or 1. O(n).
    fn squares(&self, ground: &Ground, time: &[f32]) -> f64 {
        let of_rows = self.p.iter().zip(time).enumerate();
        of_rows.map(|(i, (p, m))| ground.variance(i) * f64::from(*m).powi(2) * p * (1.0 - p)).sum()
    }
}

/// z and V of every candidate; those that say something, with what their redraws need.
fn scored(ground: &Ground, fit: &Fit, layout: &Layout, rows: &Rows, table: &[f64], found: &mut Looked) -> Vec<Scored> {
    let (d, stride) = (rows.d(), rows.stride(ground));
    let mut scored = Vec::new();
    let mut sum = vec![0.0; stride];
    let mut number = 0;
    for place in 0..layout.families.len() {
        let is_time = ground.date_of(layout.families[place].of).is_some();
        let time = match layout.families[place].of {
            Of::Trend(time) => ground.times.get(time),
            _ => None,
        };
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
            if time.is_none() && (sum[0] as usize) < ground.least {
                continue;
            }
            let (own, squared) = sum[HEAD..].split_at(d);
            let squared = if ground.has_squares() { &squared[..d] } else { &[] };
            let h: Vec<f64> = fit.inverse.chunks_exact(d).map(|row| dot(row, own)).collect();
            // M² is M but for a time. With weights: Σ w² v M² − 2 hᵀ Σ w² v M z + hᵀ (Σ w² v z zᵀ) h.
            let all = match time {
                Some((_, time)) => rows.squares(ground, time),
                None => squared.first().or(own.first()).copied().unwrap_or(0.0),
            };
            let variance = match squared.is_empty() {
                true => all - dot(&h, own),
                false => {
                    let b: Vec<f64> = fit.squared.chunks_exact(d).map(|row| dot(row, &h)).collect();
                    all - 2.0 * dot(&h, squared) + dot(&h, &b)
                }
            };
            let too_little = time.is_none() && own[0] < LEAST_VARIANCE;
            if variance.is_nan() || variance <= 0.0 || variance < OWN * all || too_little {
                continue;
            }
            let per_sd = 1.0 / variance.sqrt();
            if let Some(z) = found.z.get_mut(this) {
                *z = (sum[2] - dot(&h, &rows.residual)) * per_sd;
            }
            if let (Some(row_variance), None) = (found.row_variance.get_mut(this), time) {
                *row_variance = all / sum[1];
            }
            scored.push(Scored { cells, h, variance, per_sd, expected: sum[3], number: this, is_time });
        }
    }
    scored
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
    (ground, layout, joints): (&Ground, &Layout, &[Joint]),
    rows: &Rows,
    scored: &[Scored],
    data_sets: impl Fn(u64) -> D,
    maxima: &mut [[f64; 2]],
    batches: Range<usize>,
) {
    let (n, d) = (ground.rows(), rows.d());
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
    let mut drawn: Vec<[D::Of; TOGETHER]> = Vec::with_capacity(n);
    let mut residual = vec![[0.0_f32; TOGETHER]; CHUNK];
    for number in batches {
        let first = number * TOGETHER;
        let Some(maxima) = maxima.get_mut(first..) else { continue };
        let mut redraws = data_sets(first as u64);
        drawn.clear();
        let mut of_fit = vec![[0.0_f64; TOGETHER]; d];
        for (start, z) in (0..n).step_by(CHUNK).zip(z.chunks_exact(CHUNK * d)) {
            let labels = redraws.chunk(start);
            drawn.extend_from_slice(labels);
            for ((to, t), i) in residual.iter_mut().zip(labels).zip(start..) {
                let (p, w) = (rows.p[i], ground.weight(i));
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
        let table = table.as_chunks_mut::<TOGETHER>().0;
        let mut of_times = vec![[0.0_f64; TOGETHER]; layout.trends.len()];
        for (i, t) in drawn.iter().enumerate() {
            for cell in layout.rings_of(ground, i) {
                T::add(&mut table[cell], t, ground.weight(i));
            }
            for (sums, (time, _)) in of_times.iter_mut().zip(&layout.trends) {
                let (m, w) = (f64::from(ground.times[*time].1[i]), ground.weight(i));
                sums.iter_mut().zip(t).for_each(|(sum, t)| *sum += m * t.sum(w));
            }
        }
        for slice in scored {
            let mut u = [-slice.expected; TOGETHER];
            let trend = layout.trends.iter().position(|(_, cell)| slice.cells == [*cell as u32]);
            if let Some(sums) = trend.and_then(|trend| of_times.get(trend)) {
                u.iter_mut().zip(sums).for_each(|(u, sum)| *u += sum);
            }
            for &cell in slice.cells.iter().filter(|_| trend.is_none()) {
                for (u, t) in u.iter_mut().zip(&table[cell as usize]) {
                    *u += t.number();
                }
            }
            for (h, sums) in slice.h.iter().zip(&of_fit) {
                for (u, sum) in u.iter_mut().zip(sums) {
                    *u -= h * sum;
                }
            }
            for ([of_all, of_time], u) in maxima.iter_mut().zip(u) {
                let size = u.abs() * slice.per_sd;
                *of_all = of_all.max(size);
                *of_time = of_time.max(if slice.is_time { size } else { 0.0 });
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
    maxima: &mut [[f64; 2]],
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
        for (i, r) in range.clone().zip(&residual) {
            layout.rings_of(ground, i).for_each(|cell| sums[cell] += r);
            layout.trends.iter().for_each(|(time, cell)| sums[*cell] += ground.times[*time].1[i] * r);
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
    for (redraw, [of_all, of_time]) in maxima.iter_mut().enumerate() {
        let tiles = total.iter().skip(redraw).step_by(REDRAWS);
        for (to, tile) in of_redraw.chunks_exact_mut(TILE).zip(tiles) {
            to.copy_from_slice(tile);
        }
        let (cells, of_fit) = of_redraw.split_at(layout.len());
        for slice in scored {
            let sum: f64 = slice.cells.iter().map(|&cell| f64::from(cells[cell as usize])).sum();
            let known: f64 = slice.h.iter().zip(of_fit).map(|(h, &sum)| h * f64::from(sum)).sum();
            let size = (sum - known).abs() * slice.per_sd;
            *of_all = of_all.max(size);
            *of_time = of_time.max(if slice.is_time { size } else { 0.0 });
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

/// Times that a place is moved.
const MOVES: usize = 2;

/// The smallest ball is taken that has this share of the largest |z|: where the error is, not how far it can still be seen.
const FOCUS: f64 = 0.9;

/// Around a place the smallest ball that shows as much: other centers among its rows, other sizes; with its z.
///
/// * `rows`: of the place, ascending; `z`: its own, in whose units that of the ball is told
///
/// # Cost
/// O(n d), and that of [`super::Places::refined`].
pub(super) fn refined(ground: &Ground, fit: &Fit, rows: &[u32], z: f64) -> (Vec<u32>, f64) {
    let Some(places) = ground.places.as_ref().filter(|_| !fit.inverse.is_empty()) else { return (rows.to_vec(), z) };
    let of_rows = Rows::new(ground, fit);
    let Some((_, own)) = of_rows.z_of_first(ground, fit, rows, &[rows.len()]).first().copied() else {
        return (rows.to_vec(), z);
    };
    let mut best = (rows.to_vec(), own);
    let around = |rows: &[u32], take: &mut dyn FnMut(&[u32], f64)| {
        places.refined(rows, ground.least, &mut |near, sizes| {
            for (size, z) in of_rows.z_of_first(ground, fit, near, sizes) {
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

/// z of some rows under a fit, of independent rows; 0 where it says nothing.
pub(super) fn z_beside(ground: &Ground, fit: &Fit, rows: &[u32]) -> f64 {
    if fit.inverse.is_empty() {
        return 0.0;
    }
    let of_rows = Rows::new(ground, fit);
    of_rows.z_of_first(ground, fit, rows, &[rows.len()]).first().map_or(0.0, |(_, z)| *z)
}

impl Rows<'_> {
    /// z of the first rows of a list, in several sizes, ascending, as far as they say something; of independent rows. O(d) a row,
    /// O(d²) a size.
    fn z_of_first(&self, ground: &Ground, fit: &Fit, rows: &[u32], sizes: &[usize]) -> Vec<(usize, f64)> {
        let d = self.d();
        // Σ w r, Σ w² v, Σ w v z, Σ w² v z
        let (mut score, mut all, mut own, mut squared) = (0.0, 0.0, vec![0.0; d], vec![0.0; d]);
        let mut z = vec![0.0; d];
        let mut found = Vec::with_capacity(sizes.len());
        let mut sizes = sizes.iter().peekable();
        for (count, &row) in (1..).zip(rows) {
            let i = row as usize;
            let (w, p) = (ground.weight(i), self.p[i]);
            let v = p * (1.0 - p);
            self.design.fill(i, &mut z);
            score += w * (f64::from(ground.target[i]) - p);
            all += ground.variance(i) * v;
            for ((own, squared), z) in own.iter_mut().zip(&mut squared).zip(&z) {
                *own += w * v * z;
                *squared += ground.variance(i) * v * z;
            }
            if sizes.next_if(|size| **size == count).is_none() {
                continue;
            }
            let h: Vec<f64> = fit.inverse.chunks_exact(d).map(|row| dot(row, &own)).collect();
            let variance = match fit.squared.is_empty() {
                true => all - dot(&h, &own),
                false => {
                    let b: Vec<f64> = fit.squared.chunks_exact(d).map(|row| dot(row, &h)).collect();
                    all - 2.0 * dot(&h, &squared) + dot(&h, &b)
                }
            };
            if variance.is_nan() || variance < OWN * all || own[0] < LEAST_VARIANCE {
                continue;
            }
            found.push((count, (score - dot(&h, &self.residual)) / variance.sqrt()));
        }
        found
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
