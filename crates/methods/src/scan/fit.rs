//! Predictions given the score and the detected subgroups: p̂ = σ(Z β̂).

use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::candidate::Candidate;
use super::input::ScanInput;
use super::redraw::CHUNK;
use crate::num::optimize::{can_start_from, is_usable_start};
use crate::num::special::{exp_nonpositive, sigmoid};
use crate::table::Column;

/// Prior precision of the effect of a subgroup, in squared log-odds: keeps it finite if all of its outcomes are equal.
const SUBGROUP_PRIOR: f64 = 0.05;
/// Prior precision of the basis of the score, whose columns have unit spread.
const BASIS_PRIOR: f64 = 1e-6;
const MOST_STEPS: usize = 30;
/// Newton's method stops if a step raises the mean log-likelihood by less than this.
const ENOUGH: f64 = 1e-12;
/// A step that is expected to raise it by less than this is taken without evaluation.
const NOTHING: f64 = 1e-17;
/// If rows are in blocks, the first fit uses one block in this number.
const SOME: usize = 16;
/// Rows that are processed together.
pub const BATCH: usize = CHUNK;

/// p̂ = σ(Z β̂), Z = (X, one column M for each detected candidate), and the terms that scores of other candidates need.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fit {
    /// candidates in Z
    pub named: Vec<Candidate>,
    /// β̂, d
    pub beta: Column<f64>,
    /// A⁻¹ with A = Σ w v z zᵀ, v = p̂(1 − p̂), d × d; empty where p̂ is 0 or 1 everywhere
    pub inverse: Column<f64>,
    /// Σ w² v z zᵀ, d × d; empty where every row counts once, or as often as it was counted: it is A
    pub squared: Column<f64>,
}

/// Z of the rows of an input, row by row.
pub struct Design<'a> {
    input: &'a ScanInput,
    members: Vec<Vec<f32>>,
}

impl<'a> Design<'a> {
    /// Columns of the basis, then M of each candidate. O(n) a candidate.
    pub fn new(input: &'a ScanInput, named: &[Candidate]) -> Self {
        Self { input, members: named.iter().map(|candidate| input.membership(candidate)).collect() }
    }

    /// d
    pub fn width(&self) -> usize {
        self.input.basis.len() + self.members.len()
    }

    /// Row `i` of Z.
    pub fn fill(&self, i: usize, row: &mut [f64]) {
        let own = self.input.basis.len();
        self.input.basis.fill(self.input.log_odds[i], row);
        for (to, member) in row[own..].iter_mut().zip(&self.members) {
            *to = f64::from(member[i]);
        }
    }

    /// Z β.
    pub fn log_odds(&self, i: usize, beta: &[f64], row: &mut [f64]) -> f64 {
        self.fill(i, row);
        row.iter().zip(beta).map(|(z, b)| z * b).sum()
    }
}

struct Sums {
    loss: f64,
    gradient: DVector<f64>,
    information: DMatrix<f64>,
}

/// Numbers of some rows under a fit, [`BATCH`] places each; those beyond the rows are 0.
pub struct Batch {
    /// Z, column after column
    columns: Vec<f64>,
    /// Z β
    log_odds: Vec<f64>,
    /// e^−|Z β|
    small: Vec<f64>,
    /// p̂
    pub p: Vec<f64>,
    /// other numbers of the same rows
    pub of_rows: [Vec<f64>; 2],
}

impl Batch {
    /// Room for rows of this width.
    pub fn new(width: usize) -> Self {
        let room = || vec![0.0; BATCH];
        Self {
            columns: vec![0.0; BATCH * width],
            log_odds: room(),
            small: room(),
            p: room(),
            of_rows: [room(), room()],
        }
    }

    /// Reads Z of these rows, at most [`BATCH`], and p̂.
    pub fn read(&mut self, design: &Design, rows: Range<usize>, beta: &[f64]) {
        let (input, count) = (design.input, rows.len());
        if count < BATCH {
            self.columns.fill(0.0);
        }
        input.basis.columns(&input.log_odds[rows.clone()], self.columns.chunks_exact_mut(BATCH));
        let subgroups = self.columns.chunks_exact_mut(BATCH).skip(input.basis.len());
        for (column, member) in subgroups.zip(&design.members) {
            for (to, member) in column.iter_mut().zip(&member[rows.clone()]) {
                *to = f64::from(*member);
            }
        }
        self.log_odds.fill(0.0);
        for (column, beta) in self.columns.chunks_exact(BATCH).zip(beta) {
            for (eta, z) in self.log_odds.iter_mut().zip(column) {
                *eta += z * beta;
            }
        }
        for (small, eta) in self.small.iter_mut().zip(&self.log_odds) {
            *small = exp_nonpositive(-eta.abs());
        }
        for ((p, small), eta) in self.p.iter_mut().zip(&self.small).zip(&self.log_odds) {
            let share = 1.0 / (1.0 + small);
            *p = if *eta >= 0.0 { share } else { small * share };
        }
    }

    /// Columns of Z.
    pub fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.columns.chunks_exact(BATCH)
    }

    /// −Σ w ln of the probability of the observed outcome: of rows that count once, of their product.
    fn loss(&self, input: &ScanInput, rows: Range<usize>) -> f64 {
        let observed = self.log_odds.iter().zip(&input.target[rows.clone()]);
        let linear = observed.map(|(eta, t)| if *t == 1 { eta.min(0.0) } else { (-eta).min(0.0) });
        if input.weight.is_empty() {
            // 1 + e^−|η| ≤ 2: the product of 512 stays below 2⁵¹²
            let product: f64 = self.small[..rows.len()].iter().map(|small| 1.0 + small).product();
            return product.ln() - linear.sum::<f64>();
        }
        let each = linear.zip(&self.small).zip(&input.weight[rows]);
        each.map(|((linear, small), w)| w * (small.ln_1p() - linear)).sum()
    }
}

/// Σ a b, in eight sums side by side.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// Of the first `n` rows.
fn sums(design: &Design, beta: &[f64], n: usize) -> Sums {
    let (input, d) = (design.input, design.width());
    let mut batch = Batch::new(d);
    let (mut loss, mut gradient, mut flat) = (0.0, vec![0.0; d], vec![0.0; d * d]);
    let mut weighted = vec![0.0; BATCH];
    for start in (0..n).step_by(BATCH) {
        let rows = start..(start + BATCH).min(n);
        batch.read(design, rows.clone(), beta);
        loss += batch.loss(input, rows.clone());
        let [mut residual, mut spread] = std::mem::take(&mut batch.of_rows);
        residual.fill(0.0);
        spread.fill(0.0);
        let of_rows = residual.iter_mut().zip(&mut spread).zip(&batch.p);
        for (((residual, spread), p), t) in of_rows.zip(&input.target[rows.clone()]) {
            *residual = p - f64::from(*t);
            *spread = p * (1.0 - p);
        }
        if !input.weight.is_empty() {
            let of_rows = residual.iter_mut().zip(&mut spread);
            for ((residual, spread), w) in of_rows.zip(&input.weight[rows]) {
                *residual *= w;
                *spread *= w;
            }
        }
        for (j, column) in batch.columns().enumerate() {
            gradient[j] += dot(&residual, column);
            for ((to, v), z) in weighted.iter_mut().zip(&spread).zip(column) {
                *to = v * z;
            }
            for (to, other) in flat[j * d..j * d + j + 1].iter_mut().zip(batch.columns()) {
                *to += dot(&weighted, other);
            }
        }
        batch.of_rows = [residual, spread];
    }
    for (j, beta) in beta.iter().enumerate() {
        let prior = prior(design, j);
        loss += 0.5 * prior * beta * beta;
        gradient[j] += prior * beta;
        flat[j * d + j] += prior;
    }
    let mut information = DMatrix::from_row_slice(d, d, &flat);
    information.fill_upper_triangle_with_lower_triangle();
    Sums { loss, gradient: DVector::from_vec(gradient), information }
}

fn prior(design: &Design, j: usize) -> f64 {
    if j < design.input.basis.len() { BASIS_PRIOR } else { SUBGROUP_PRIOR }
}

/// β̂ of the first `n` rows by Newton's method, and the information there.
fn newton(design: &Design, start: Vec<f64>, n: usize) -> (Vec<f64>, DMatrix<f64>) {
    let mut beta = start;
    let total: f64 = (0..n).map(|i| design.input.weight(i)).sum();
    let mut now = sums(design, &beta, n);
    for _ in 0..MOST_STEPS {
        let Some(factor) = now.information.clone().cholesky() else { break };
        let step = factor.solve(&now.gradient);
        let moved = |share: f64| -> Vec<f64> { beta.iter().zip(step.iter()).map(|(b, s)| b - share * s).collect() };
        if 0.5 * step.dot(&now.gradient) <= NOTHING * total {
            beta = moved(1.0);
            break;
        }
        let mut share = 1.0;
        let better = loop {
            let next = moved(share);
            let there = sums(design, &next, n);
            if there.loss <= now.loss {
                break Some((next, there));
            }
            share *= 0.5;
            if share < 1e-4 {
                break None;
            }
        };
        let Some((next, there)) = better else { break };
        let gain = now.loss - there.loss;
        (beta, now) = (next, there);
        if gain <= ENOUGH * total {
            break;
        }
    }
    (beta, now.information)
}

impl Fit {
    /// β̂ by Newton's method with a weak normal prior, from `start` and 0 for what is new in Z; of rows that stand block by
    /// block from the fit of some of the blocks.
    ///
    /// O(n d²) a step, about four.
    pub fn new(input: &ScanInput, named: Vec<Candidate>, start: &[f64]) -> Self {
        let design = Design::new(input, &named);
        let d = design.width();
        let mut beta: Vec<f64> = start.iter().copied().chain(std::iter::repeat(0.0)).take(d).collect();
        // Blocks are dealt at random.
        let some = input.blocks.get(input.blocks.len() / SOME).map_or(0, |&rows| rows as usize);
        if can_start_from(input.target.iter().take(some), d) {
            let of_some = newton(&design, beta.clone(), some).0;
            beta = if is_usable_start(&of_some) { of_some } else { beta };
        }
        let (beta, information) = newton(&design, beta, input.rows());
        let inverse = information.cholesky().map(|factor| factor.inverse());
        let squared = if input.has_squares() { squared(&design, &beta) } else { Vec::new() };
        Fit {
            named,
            beta: beta.into(),
            inverse: inverse.map(|m| m.as_slice().to_vec()).unwrap_or_default().into(),
            squared: squared.into(),
        }
    }

    /// d
    pub fn width(&self) -> usize {
        self.beta.len()
    }
}

fn squared(design: &Design, beta: &[f64]) -> Vec<f64> {
    let d = design.width();
    let (mut row, mut flat) = (vec![0.0; d], vec![0.0; d * d]);
    for i in 0..design.input.rows() {
        let p = sigmoid(design.log_odds(i, beta, &mut row));
        let v = design.input.weight(i).powi(2) * p * (1.0 - p);
        for j in 0..d {
            for k in 0..d {
                flat[j * d + k] += v * row[j] * row[k];
            }
        }
    }
    flat
}
