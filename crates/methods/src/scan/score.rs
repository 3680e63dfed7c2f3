//! Score statistic of every candidate given the fit, from sums over its rows.
//!
//! M: 1 in the subgroup; r = t − p̂; v = p̂(1 − p̂); w: weights; Z: columns of the fit.
//! u = Σ w M r − hᵀ Σ w z r, h = A⁻¹ C, C = Σ w M v z, A = Σ w v z zᵀ;
//! V = Σ w² v (M − hᵀ z)²; z = u / √V.
//! With clusters c: V = (1 − ρ) Σ Eᵢ² + ρ Σ_c (Σ_{i∈c} Eᵢ)², E = w √v (M − hᵀ z), ρ the correlation of r / √v.

use serde::{Deserialize, Serialize};

use super::fit::{BATCH, Batch, Design, Fit, dot};
use super::input::{Of, ScanInput};
use super::joint::{Joint, Layout};
use crate::table::Column;

/// Candidates with a smaller share of variance left given the fit are not tested: the fit determines membership.
const OWN: f64 = 0.02;
/// Candidates with fewer variable outcomes than this are not tested.
const LEAST_VARIANCE: f64 = 0.25;
/// Numbers that are added together.
const QUAD: usize = 4;
/// Results of some candidates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScanStatistics {
    /// z of each; NaN if not tested
    pub z: Column<f64>,
    /// Σ w² v M / Σ w M of each, the variance of an independent row; NaN if not tested
    pub row_variance: Column<f64>,
    /// ρ, the correlation of outcomes within clusters; 0 without clusters
    pub correlation: f64,
    /// largest |z*| of each redraw
    pub maxima: Column<f64>,
    /// the same over the candidates about time
    pub time_maxima: Column<f64>,
}

/// A candidate that can be tested.
pub(super) struct Scored {
    /// positions in the table of sums
    pub(super) cells: Vec<u32>,
    /// h, d
    pub(super) h: Vec<f64>,
    /// V, of independent rows
    pub(super) variance: f64,
    /// 1 / √V
    pub(super) per_sd: f64,
    /// Σ w M p̂, the expected value of Σ w M t*
    pub(super) expected: f64,
    /// its number among all candidates
    pub(super) number: usize,
    /// whether it is about time
    pub(super) is_time: bool,
}

/// Numbers of every row under a fit.
pub(super) struct Rows<'a> {
    /// Z
    pub(super) design: Design<'a>,
    pub(super) beta: &'a [f64],
    /// p̂
    pub(super) p: Vec<f64>,
    /// Σ w z r
    pub(super) residual: Vec<f64>,
}

/// Numbers a cell of the table of sums begins with: rows, Σ w, Σ w r, Σ w p̂; then C, and with weights that are no numbers of
/// rows Σ w² v z.
const HEAD: usize = 4;

impl<'a> Rows<'a> {
    pub(super) fn new(input: &'a ScanInput, fit: &'a Fit) -> Self {
        let design = Design::new(input, &fit.named);
        let (n, d) = (input.rows(), design.width());
        let mut rows = Self { design, beta: &fit.beta, p: Vec::with_capacity(n), residual: vec![0.0; d] };
        let mut batch = Batch::new(d);
        let mut residual = vec![0.0; BATCH];
        for start in (0..n).step_by(BATCH) {
            let range = start..(start + BATCH).min(n);
            batch.read(&rows.design, range.clone(), rows.beta);
            rows.p.extend_from_slice(&batch.p[..range.len()]);
            residual.fill(0.0);
            for ((to, i), p) in residual.iter_mut().zip(range).zip(&batch.p) {
                *to = input.weight(i) * (f64::from(input.target[i]) - p);
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

    fn stride(&self, input: &ScanInput) -> usize {
        (HEAD + self.d() * if input.has_squares() { 2 } else { 1 }).next_multiple_of(QUAD)
    }

    /// Sums of every cell. O(n d) a joint, and of every row of a place.
    pub(super) fn sums(&self, input: &ScanInput, layout: &Layout, joints: &[Joint]) -> Vec<f64> {
        let (d, stride, n) = (self.d(), self.stride(input), input.rows());
        let mut table = vec![0.0; layout.len() * stride];
        let mut counts: Vec<Vec<f64>> = joints.iter().map(|joint| vec![0.0; joint.cells * stride]).collect();
        let mut values = vec![0.0; BATCH * stride];
        let mut batch = Batch::new(d);
        let mut places = Vec::with_capacity(BATCH);
        for start in (0..n).step_by(BATCH) {
            let rows = start..(start + BATCH).min(n);
            batch.read(&self.design, rows.clone(), self.beta);
            for ((i, value), p) in rows.clone().zip(values.chunks_exact_mut(stride)).zip(&batch.p) {
                let w = input.weight(i);
                value[..HEAD].copy_from_slice(&[input.count(i), w, w * (f64::from(input.target[i]) - p), w * p]);
            }
            let weighted = if input.has_squares() { 2 } else { 1 };
            for power in 0..weighted {
                for (j, column) in batch.columns().enumerate() {
                    let values = values.chunks_exact_mut(stride).zip(rows.clone());
                    for (((value, i), z), p) in values.zip(column).zip(&batch.p) {
                        let w = input.weight(i);
                        let w = if power == 1 { w * w } else { w };
                        value[HEAD + power * d + j] = w * (p * (1.0 - p)) * z;
                    }
                }
            }
            for (value, i) in values.chunks_exact(stride).zip(rows.clone()) {
                for cell in layout.rings_of(input, i) {
                    let sums = &mut table[cell * stride..(cell + 1) * stride];
                    sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += x);
                }
                for &(time, cell) in &layout.trends {
                    let m = f64::from(input.times[time].1[i]);
                    let sums = &mut table[cell * stride..(cell + 1) * stride];
                    sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += m * x);
                }
            }
            for (joint, table) in joints.iter().zip(&mut counts) {
                joint.read(input, rows.clone(), &mut places);
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
    fn squares(&self, input: &ScanInput, time: &[f32]) -> f64 {
        let of_rows = self.p.iter().zip(time).enumerate();
        of_rows.map(|(i, (p, m))| input.variance(i) * f64::from(*m).powi(2) * p * (1.0 - p)).sum()
    }
}

/// z and V of every candidate; those that can be tested, with the terms that their redraws need.
pub(super) fn scored(
    input: &ScanInput,
    fit: &Fit,
    layout: &Layout,
    rows: &Rows,
    table: &[f64],
    found: &mut ScanStatistics,
) -> Vec<Scored> {
    let (d, stride) = (rows.d(), rows.stride(input));
    let mut scored = Vec::new();
    let mut sum = vec![0.0; stride];
    let mut number = 0;
    for place in 0..layout.families.len() {
        let is_time = input.date_of(layout.families[place].of).is_some();
        let time = match layout.families[place].of {
            Of::Trend(time) => input.times.get(time),
            _ => None,
        };
        for cells in layout.cells(input, place) {
            let this = number;
            number += 1;
            // a ball without rows of its own is the one before it
            let ring = cells.last().filter(|_| matches!(layout.families[place].of, Of::Place(_)));
            if ring.is_some_and(|&ring| table.get(ring as usize * stride).is_none_or(|rows| *rows <= 0.0)) {
                continue;
            }
            sum.fill(0.0);
            for &cell in &cells {
                let at = cell as usize * stride;
                for (to, x) in sum.iter_mut().zip(&table[at..at + stride]) {
                    *to += x;
                }
            }
            if time.is_none() && (sum[0] as usize) < input.least {
                continue;
            }
            let (own, squared) = sum[HEAD..].split_at(d);
            let squared = if input.has_squares() { &squared[..d] } else { &[] };
            let h: Vec<f64> = fit.inverse.chunks_exact(d).map(|row| dot(row, own)).collect();
            // M² is M but for a time. With weights: Σ w² v M² − 2 hᵀ Σ w² v M z + hᵀ (Σ w² v z zᵀ) h.
            let all = match time {
                Some((_, time)) => rows.squares(input, time),
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

impl Rows<'_> {
    /// z of the first rows of a list, in several sizes, ascending, as far as they say something; of independent rows. O(d) a row,
    /// O(d²) a size.
    pub(super) fn z_of_first(&self, input: &ScanInput, fit: &Fit, rows: &[u32], sizes: &[usize]) -> Vec<(usize, f64)> {
        let d = self.d();
        // Σ w r, Σ w² v, Σ w v z, Σ w² v z
        let (mut score, mut all, mut own, mut squared) = (0.0, 0.0, vec![0.0; d], vec![0.0; d]);
        let mut z = vec![0.0; d];
        let mut found = Vec::with_capacity(sizes.len());
        let mut sizes = sizes.iter().peekable();
        for (count, &row) in (1..).zip(rows) {
            let i = row as usize;
            let (w, p) = (input.weight(i), self.p[i]);
            let v = p * (1.0 - p);
            self.design.fill(i, &mut z);
            score += w * (f64::from(input.target[i]) - p);
            all += input.variance(i) * v;
            for ((own, squared), z) in own.iter_mut().zip(&mut squared).zip(&z) {
                *own += w * v * z;
                *squared += input.variance(i) * v * z;
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
