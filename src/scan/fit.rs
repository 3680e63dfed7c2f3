//! What the score, and the slices that are named, make of every row: p̂ = σ(Z β̂).

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::ground::Ground;
use crate::num::special::{ln_sigmoid, sigmoid};
use crate::table::Column;

/// Prior precision of the effect of a slice, in squared log-odds: keeps it finite where all of its rows ended alike.
const SLICE_PRIOR: f64 = 0.05;
/// Of the basis of the score, whose columns have unit spread.
const BASIS_PRIOR: f64 = 1e-6;
const MOST_STEPS: usize = 30;
/// A step is the last when it raises the mean log-likelihood by less.
const ENOUGH: f64 = 1e-12;

/// A slice in Z: columns with the place of a single slice of each.
pub type Singles = Vec<(usize, usize)>;

/// p̂ = σ(Z β̂), Z = (X, a column a named slice), and what the scores of other slices need of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fit {
    /// slices in Z
    pub slices: Vec<Singles>,
    /// β̂, d
    pub beta: Column<f64>,
    /// A⁻¹ with A = Σ w v z zᵀ, v = p̂(1 − p̂), d × d; empty where outcomes cannot be told from p̂
    pub inverse: Column<f64>,
    /// Σ w² v z zᵀ, d × d; empty where every row counts once and it is A
    pub squared: Column<f64>,
}

/// Z of the rows of a ground, row by row.
pub struct Design<'a> {
    ground: &'a Ground,
    inside: Vec<Vec<bool>>,
}

impl<'a> Design<'a> {
    /// Columns of the basis, then one a slice. O(n) a slice.
    pub fn new(ground: &'a Ground, slices: &[Singles]) -> Self {
        Self { ground, inside: slices.iter().map(|singles| ground.inside(singles)).collect() }
    }

    /// d
    pub fn width(&self) -> usize {
        self.ground.basis.len() + self.inside.len()
    }

    /// Row `i` of Z.
    pub fn fill(&self, i: usize, row: &mut [f64]) {
        let own = self.ground.basis.len();
        self.ground.basis.fill(self.ground.log_odds[i], row);
        for (to, inside) in row[own..].iter_mut().zip(&self.inside) {
            *to = f64::from(u8::from(inside[i]));
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

fn sums(design: &Design, beta: &[f64]) -> Sums {
    let (ground, d) = (design.ground, design.width());
    let mut row = vec![0.0; d];
    let (mut loss, mut gradient, mut flat) = (0.0, vec![0.0; d], vec![0.0; d * d]);
    for i in 0..ground.rows() {
        let eta = design.log_odds(i, beta, &mut row);
        let (w, p) = (ground.weight(i), sigmoid(eta));
        let happened = ground.target[i] == 1;
        loss -= w * if happened { ln_sigmoid(eta) } else { ln_sigmoid(-eta) };
        let (residual, v) = (w * (p - f64::from(u8::from(happened))), w * p * (1.0 - p));
        for j in 0..d {
            gradient[j] += residual * row[j];
            let vz = v * row[j];
            for (to, z) in flat[j * d..j * d + j + 1].iter_mut().zip(&row) {
                *to += vz * z;
            }
        }
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
    if j < design.ground.basis.len() { BASIS_PRIOR } else { SLICE_PRIOR }
}

impl Fit {
    /// β̂ by Newton's method with a weak normal prior, from `start` and 0 for what is new in Z.
    ///
    /// O(n d²) a step, about six.
    pub fn new(ground: &Ground, slices: Vec<Singles>, start: &[f64]) -> Self {
        let design = Design::new(ground, &slices);
        let d = design.width();
        let mut beta: Vec<f64> = start.iter().copied().chain(std::iter::repeat(0.0)).take(d).collect();
        let total: f64 = (0..ground.rows()).map(|i| ground.weight(i)).sum();
        let mut now = sums(&design, &beta);
        for _ in 0..MOST_STEPS {
            let Some(factor) = now.information.clone().cholesky() else { break };
            let step = factor.solve(&now.gradient);
            let mut share = 1.0;
            let better = loop {
                let next: Vec<f64> = beta.iter().zip(step.iter()).map(|(b, s)| b - share * s).collect();
                let there = sums(&design, &next);
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
        let inverse = now.information.cholesky().map(|factor| factor.inverse());
        let squared = match ground.weight.is_empty() {
            true => Vec::new(),
            false => squared(&design, &beta),
        };
        Fit {
            slices,
            beta: beta.into(),
            inverse: inverse.map(|m| m.as_slice().to_vec()).unwrap_or_default().into(),
            squared: squared.into(),
        }
    }

    /// d
    pub fn width(&self) -> usize {
        self.beta.len()
    }

    /// p̂ of every row. O(n d).
    pub fn probabilities(&self, ground: &Ground) -> Vec<f64> {
        let design = Design::new(ground, &self.slices);
        let mut row = vec![0.0; design.width()];
        (0..ground.rows()).map(|i| sigmoid(design.log_odds(i, &self.beta, &mut row))).collect()
    }
}

fn squared(design: &Design, beta: &[f64]) -> Vec<f64> {
    let d = design.width();
    let (mut row, mut flat) = (vec![0.0; d], vec![0.0; d * d]);
    for i in 0..design.ground.rows() {
        let p = sigmoid(design.log_odds(i, beta, &mut row));
        let v = design.ground.weight(i).powi(2) * p * (1.0 - p);
        for j in 0..d {
            for k in 0..d {
                flat[j * d + k] += v * row[j] * row[k];
            }
        }
    }
    flat
}
