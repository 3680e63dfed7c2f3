//! The score of every slice beyond what the fit knows, and what redrawn outcomes make of the largest.
//!
//! M: 1 in the slice; r = t − p̂; v = p̂(1 − p̂); w: weights; Z: what the fit knows.
//! u = Σ w M r − hᵀ Σ w z r, h = A⁻¹ C, C = Σ w M v z, A = Σ w v z zᵀ;
//! V = Σ w² v (M − hᵀ z)²; z = u / √V.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::fit::{Design, Fit};
use super::ground::{Family, Ground};
use super::redraw::{CHUNK, Redraws, TOGETHER};
use super::{BLOCKS, REDRAWS};
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::num::special::sigmoid;
use crate::table::Column;

/// Slices of whose variance less is their own say nothing: what is known tells who is in them.
const OWN: f64 = 0.02;
/// Slices in which fewer outcomes could be otherwise say nothing.
const LEAST_VARIANCE: f64 = 0.25;
/// Blocks that are summed together.
const GROUP: usize = 64;
/// Sums side by side in registers.
const TILE: usize = 32;

/// What was found of some slices.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Looked {
    /// number of the first
    pub first: usize,
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
    /// Σ w M p̂ − hᵀ Σ w z p̂: what u* is taken from
    expected: f64,
}

/// Families of a part with the place of each in a table of sums.
struct Layout {
    families: Vec<Family>,
    /// where each begins, and the end of the last
    starts: Vec<usize>,
}

impl Layout {
    fn new(ground: &Ground, families: &[Family]) -> Self {
        let mut starts = vec![0];
        for family in families {
            let size = match family.b {
                None => ground.cuts[family.a].cells,
                Some(b) => (ground.cuts[family.a].bands.len() + 1) * (ground.cuts[b].bands.len() + 1),
            };
            starts.push(starts.last().copied().unwrap_or(0) + size);
        }
        Self { families: families.to_vec(), starts }
    }

    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Places in the table of every slice of a family.
    fn cells(&self, ground: &Ground, place: usize) -> Vec<Vec<u32>> {
        let (family, start) = (self.families[place], self.starts[place] as u32);
        match family.b {
            None => {
                let singles = ground.cuts[family.a].singles.iter();
                singles.map(|single| single.cells.iter().map(|&cell| start + u32::from(cell)).collect()).collect()
            }
            Some(b) => {
                let (height, width) = (ground.cuts[family.a].bands.len() as u32, ground.cuts[b].bands.len() as u32);
                (0..height).flat_map(|i| (0..width).map(move |j| vec![start + i * (width + 1) + j])).collect()
            }
        }
    }
}

/// The place in the table of every row of a chunk, family by family.
struct Places {
    /// band of every row, column by column
    bands: Vec<Vec<u8>>,
    /// place of every row, of one family
    places: Vec<u32>,
}

impl Places {
    fn new(ground: &Ground) -> Self {
        Self { bands: vec![Vec::new(); ground.cuts.len()], places: Vec::new() }
    }

    fn read(&mut self, ground: &Ground, layout: &Layout, rows: Range<usize>) {
        let mut used = vec![false; ground.cuts.len()];
        for family in &layout.families {
            if let Some(b) = family.b {
                (used[family.a], used[b]) = (true, true);
            }
        }
        for (column, bands) in self.bands.iter_mut().enumerate().filter(|(column, _)| used[*column]) {
            let of = &ground.cuts[column].band_of;
            bands.clear();
            bands.extend(ground.codes(column)[rows.clone()].iter().map(|&code| of[code as usize]));
        }
    }

    fn of(&mut self, ground: &Ground, layout: &Layout, place: usize, rows: Range<usize>) -> &[u32] {
        let (family, start) = (layout.families[place], layout.starts[place] as u32);
        self.places.clear();
        match family.b {
            None => self.places.extend(ground.codes(family.a)[rows].iter().map(|&code| start + u32::from(code))),
            Some(b) => {
                let width = ground.cuts[b].bands.len() as u32 + 1;
                let both = self.bands[family.a].iter().zip(&self.bands[b]);
                self.places.extend(both.map(|(&i, &j)| start + u32::from(i) * width + u32::from(j)));
            }
        }
        &self.places
    }
}

/// Looks at the slices of some families: z of each, and the largest |z*| of every redraw.
///
/// * `round`: of the redraws, each of which has streams of its own
///
/// # Cost
/// Up to [`super::EXACT_ROWS`] rows O(n B) a family, B = 319 redraws, sixteen side by side; beyond that O(n d) a family and
/// O(blocks B) a cell.
pub fn look(ground: &Ground, fit: &Fit, families: &[Family], round: usize, seed: u64) -> Looked {
    let first = families.first().map_or(0, |family| family.first);
    let count = families.iter().map(|family| family.len).sum();
    let mut found = Looked {
        first,
        z: vec![f64::NAN; count].into(),
        row_variance: vec![f64::NAN; count].into(),
        maxima: vec![0.0; REDRAWS].into(),
    };
    let d = fit.width();
    if fit.inverse.len() != d * d || count == 0 {
        return found;
    }
    let layout = Layout::new(ground, families);
    let rows = Rows::new(ground, fit);
    let table = rows.sums(ground, &layout);
    let scored = scored(ground, fit, &layout, &rows, &table, &mut found);
    let streams = (round * REDRAWS.next_multiple_of(TOGETHER)) as u64;
    let mut maxima = vec![0.0_f64; REDRAWS];
    match (ground.blocks.is_empty(), ground.weight.is_empty()) {
        (true, true) => redrawn::<u16>(ground, &layout, &rows, &scored, (seed, streams), &mut maxima),
        (true, false) => redrawn::<f64>(ground, &layout, &rows, &scored, (seed, streams), &mut maxima),
        (false, _) => by_blocks(ground, &layout, &rows, &scored, (seed, streams), &mut maxima),
    }
    found.maxima = maxima.into();
    found
}

/// Numbers of every row under a fit.
struct Rows<'a> {
    d: usize,
    /// Z
    design: Design<'a>,
    /// p̂
    p: Vec<f64>,
    /// Σ w z r
    residual: Vec<f64>,
    /// Σ w z p̂
    expected: Vec<f64>,
}

/// Numbers a cell of the table of sums begins with: rows, Σ w, Σ w r, Σ w p̂; then C, and with weights Σ w² v z.
const HEAD: usize = 4;

impl<'a> Rows<'a> {
    fn new(ground: &'a Ground, fit: &Fit) -> Self {
        let design = Design::new(ground, &fit.slices);
        let (n, d) = (ground.rows(), design.width());
        let (mut row, mut p) = (vec![0.0; d], Vec::with_capacity(n));
        let (mut residual, mut expected) = (vec![0.0; d], vec![0.0; d]);
        for i in 0..n {
            let chance = sigmoid(design.log_odds(i, &fit.beta, &mut row));
            let w = ground.weight(i);
            let r = w * (f64::from(ground.target[i]) - chance);
            for ((residual, expected), z) in residual.iter_mut().zip(&mut expected).zip(&row) {
                *residual += r * z;
                *expected += w * chance * z;
            }
            p.push(chance);
        }
        Self { d, design, p, residual, expected }
    }

    fn stride(&self, ground: &Ground) -> usize {
        HEAD + self.d * if ground.weight.is_empty() { 1 } else { 2 }
    }

    /// Sums of every cell. O(n d) a family.
    fn sums(&self, ground: &Ground, layout: &Layout) -> Vec<f64> {
        let (d, stride, n) = (self.d, self.stride(ground), ground.rows());
        let mut table = vec![0.0; layout.len() * stride];
        let mut values = vec![0.0; CHUNK * stride];
        let mut z = vec![0.0; d];
        let mut places = Places::new(ground);
        for start in (0..n).step_by(CHUNK) {
            let rows = start..(start + CHUNK).min(n);
            for (i, value) in rows.clone().zip(values.chunks_exact_mut(stride)) {
                let (w, p) = (ground.weight(i), self.p[i]);
                self.design.fill(i, &mut z);
                let v = w * p * (1.0 - p);
                value[..HEAD].copy_from_slice(&[1.0, w, w * (f64::from(ground.target[i]) - p), w * p]);
                for (to, z) in value[HEAD..].iter_mut().zip(&z) {
                    *to = v * z;
                }
                if stride > HEAD + d {
                    for (to, z) in value[HEAD + d..].iter_mut().zip(&z) {
                        *to = w * v * z;
                    }
                }
            }
            places.read(ground, layout, rows.clone());
            for family in 0..layout.families.len() {
                let places = places.of(ground, layout, family, rows.clone());
                for (&place, value) in places.iter().zip(values.chunks_exact(stride)) {
                    let at = place as usize * stride;
                    for (to, x) in table[at..at + stride].iter_mut().zip(value) {
                        *to += x;
                    }
                }
            }
        }
        table
    }
}

/// z and V of every slice; those that say something, with what their redraws need.
fn scored(ground: &Ground, fit: &Fit, layout: &Layout, rows: &Rows, table: &[f64], found: &mut Looked) -> Vec<Scored> {
    let (d, stride) = (rows.d, rows.stride(ground));
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
            found.z[this] = (sum[2] - dot(&h, &rows.residual)) * per_sd;
            found.row_variance[this] = variance / sum[1];
            let expected = sum[3] - dot(&h, &rows.expected);
            scored.push(Scored { cells, h, per_sd, expected });
        }
    }
    scored
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// How redrawn outcomes are counted: as rows, or by their weights.
trait Tally: Copy + Default {
    /// Adds the outcomes of a row of weight `w`.
    fn add(sums: &mut [Self; TOGETHER], drawn: &[Self; TOGETHER]);
    /// t* w
    fn of(drawn: u8, w: f64) -> Self;
    fn number(self) -> f64;
}

impl Tally for u16 {
    #[inline(always)]
    fn add(sums: &mut [u16; TOGETHER], drawn: &[u16; TOGETHER]) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum = sum.wrapping_add(*t);
        }
    }
    #[inline(always)]
    fn of(drawn: u8, _: f64) -> u16 {
        u16::from(drawn)
    }
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Tally for f64 {
    #[inline(always)]
    fn add(sums: &mut [f64; TOGETHER], drawn: &[f64; TOGETHER]) {
        for (sum, t) in sums.iter_mut().zip(drawn) {
            *sum += *t;
        }
    }
    #[inline(always)]
    fn of(drawn: u8, w: f64) -> f64 {
        f64::from(drawn) * w
    }
    fn number(self) -> f64 {
        self
    }
}

/// Largest |z*| of outcomes redrawn from p̂, row by row.
fn redrawn<T: Tally>(
    ground: &Ground,
    layout: &Layout,
    rows: &Rows,
    scored: &[Scored],
    (seed, streams): (u64, u64),
    maxima: &mut [f64],
) {
    let (n, d) = (ground.rows(), rows.d);
    let thresholds: Vec<i32> = rows.p.iter().map(|&p| bernoulli_threshold(p)).collect();
    let mut z = vec![0.0; n * d];
    z.chunks_exact_mut(d).enumerate().for_each(|(i, row)| rows.design.fill(i, row));
    let mut places = Places::new(ground);
    let mut drawn: Vec<[T; TOGETHER]> = Vec::with_capacity(CHUNK);
    for (batch, maxima) in maxima.chunks_mut(TOGETHER).enumerate() {
        let mut redraws = Redraws::new(&thresholds, seed, streams + (batch * TOGETHER) as u64);
        let mut table = vec![[T::default(); TOGETHER]; layout.len()];
        let mut of_fit = vec![[0.0; TOGETHER]; d];
        for start in (0..n).step_by(CHUNK) {
            let range = start..(start + CHUNK).min(n);
            drawn.clear();
            let labels = redraws.chunk(start).iter().zip(range.clone());
            drawn.extend(labels.map(|(row, i)| {
                let w = ground.weight(i);
                row.map(|t| T::of(t, w))
            }));
            for (drawn, z) in drawn.iter().zip(z[start * d..].chunks_exact(d)) {
                let t = drawn.map(T::number);
                for (sums, z) in of_fit.iter_mut().zip(z) {
                    for (sum, t) in sums.iter_mut().zip(&t) {
                        *sum += z * t;
                    }
                }
            }
            places.read(ground, layout, range.clone());
            for family in 0..layout.families.len() {
                let places = places.of(ground, layout, family, range.clone());
                for (&place, drawn) in places.iter().zip(&drawn) {
                    T::add(&mut table[place as usize], drawn);
                }
            }
        }
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
    let d = rows.d;
    // Cells, then what the fit knows, whole tiles of them.
    let width = (layout.len() + d).next_multiple_of(TILE);
    let half = vec![bernoulli_threshold(0.5); BLOCKS];
    let mut signs = vec![0_u8; BLOCKS * maxima.len()];
    for (stream, signs) in (streams..).zip(signs.chunks_exact_mut(BLOCKS)) {
        Lanes::seeded(seed, stream).fill_bernoulli(&half, signs);
    }
    let mut total = vec![0.0_f32; maxima.len() * width];
    let mut group = vec![0.0_f32; GROUP * width];
    let mut places = Places::new(ground);
    let (mut residual, mut z): (Vec<f32>, _) = (Vec::new(), vec![0.0; d]);
    let mut start = 0;
    for (block, &end) in ground.blocks.iter().enumerate() {
        let (end, within) = (end as usize, block % GROUP);
        let sums = &mut group[within * width..(within + 1) * width];
        sums.fill(0.0);
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
        places.read(ground, layout, range.clone());
        for family in 0..layout.families.len() {
            let places = places.of(ground, layout, family, range.clone());
            for (&place, r) in places.iter().zip(&residual) {
                sums[place as usize] += r;
            }
        }
        for (to, sum) in sums[layout.len()..].iter_mut().zip(of_fit) {
            *to = sum as f32;
        }
        start = end;
        if within + 1 == GROUP || block + 1 == ground.blocks.len() {
            let first = block - within;
            for (signs, total) in signs.chunks_exact(BLOCKS).zip(total.chunks_exact_mut(width)) {
                signed_sums(&group[..(within + 1) * width], &signs[first..=block], total);
            }
        }
    }
    for (most, total) in maxima.iter_mut().zip(total.chunks_exact(width)) {
        let (cells, of_fit) = total.split_at(layout.len());
        for slice in scored {
            let sum: f64 = slice.cells.iter().map(|&cell| f64::from(cells[cell as usize])).sum();
            let known: f64 = slice.h.iter().zip(of_fit).map(|(h, &sum)| h * f64::from(sum)).sum();
            *most = most.max((sum - known).abs() * slice.per_sd);
        }
    }
}

/// total += Σ of the rows of `group`, each with its sign.
fn signed_sums(group: &[f32], signs: &[u8], total: &mut [f32]) {
    let width = total.len();
    for (tile, total) in total.chunks_exact_mut(TILE).enumerate() {
        let mut sum = [0.0_f32; TILE];
        for (row, &sign) in group.chunks_exact(width).zip(signs) {
            let sign = f32::from(sign) * 2.0 - 1.0;
            for (sum, x) in sum.iter_mut().zip(&row[tile * TILE..(tile + 1) * TILE]) {
                *sum += sign * x;
            }
        }
        for (to, sum) in total.iter_mut().zip(sum) {
            *to += sum;
        }
    }
}
