//! Vector, matrix and Dirichlet scaling: an affine map of the logits.

mod entry;

pub use entry::{AffineMap, AffineScaling, AffineVariant, Dirichlet, Full, Vector};

use std::ops::RangeInclusive;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

mod penalty;
mod scaling;

pub use penalty::Penalty;
use penalty::penalise;

use crate::error::{Error, Result};
use crate::metric::labels::check_classes;
use crate::num::lbfgs::lbfgs;
use crate::num::optimize::Solution;
use crate::num::rng::Lanes;
use crate::num::special::softmax_in_place;
use crate::num::weight::{RowWeights, check_weighted};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::mapped_rows;
use crate::recalibrate::temperature::{self, TemperatureOptions};
use crate::table::{Matrix, Reals};

/// P′ = softmax(W Z + b); W diagonal for vector scaling. Dirichlet scaling is matrix scaling of ln P.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// m weights (the diagonal of W), or m × m row-major
    pub weights: Vec<f64>,
    /// m intercepts, mean 0
    pub bias: Vec<f64>,
}

/// Logits, classes and weights of rows.
#[derive(Clone, Copy)]
struct Labeled<'a> {
    z: &'a Matrix,
    y: &'a [u32],
    w: RowWeights<'a>,
}

impl Labeled<'_> {
    /// Σ w of some rows.
    fn total(&self, rows: &[u32]) -> f64 {
        match self.w {
            None => rows.len().max(1) as f64,
            Some(w) => rows.iter().map(|&i| w[i as usize]).sum(),
        }
    }
}

/// Which weights are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// one weight a class
    Vector,
    /// a full matrix
    Matrix,
}

impl Shape {
    /// No penalty for a vector, cross-validated ODIR for a matrix.
    pub fn default_penalty(self) -> Penalty {
        match self {
            Shape::Vector => Penalty::None,
            Shape::Matrix => Penalty::OdirCrossValidated { seed: 0 },
        }
    }
}

/// Fits W and b by penalized maximum likelihood (L-BFGS). The objectives include the penalty.
///
/// Sources: Guo et al. (2017), section 4.2 (vector, matrix); Kull et al. (2019), section 3 (Dirichlet, ODIR).
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`; `too_few_rows` for a matrix of more weights than rows without
/// penalty.
///
/// # Cost
/// Some 30 passes of O(nm) for a vector, O(nm²) for a matrix; seven times that with cross-validation.
///
/// # Examples
/// Logits of 9 : 1 where three of four are of the first class: intercepts alone give it 3/4.
///
/// ```
/// use localcal_methods::recalibrate::affine::{Penalty, Shape, fit};
/// use ndarray::array;
///
/// let z = array![[9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0]];
/// let fit = fit(z.view(), &[0, 0, 0, 1], Shape::Vector, Penalty::None)?;
/// assert!((fit.parameters.apply(z.view())[[0, 0]] - 0.75).abs() < 1e-4);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(z: ArrayView2<f64>, y: &[u32], shape: Shape, penalty: Penalty) -> Result<Fit<Affine>> {
    weighted_fit(&z.into(), y, None, shape, penalty)
}

/// [`fit`] to a matrix as files hold it, and to rows with weights: the likelihood is Σ w ln P / Σ w, also of the rows that
/// choose a penalty. Errors and cost as there.
pub fn weighted_fit(z: &Matrix, y: &[u32], w: RowWeights, shape: Shape, penalty: Penalty) -> Result<Fit<Affine>> {
    check_classes(z, y)?;
    check_weighted(y.len(), y.len(), w)?;
    let data = Labeled { z, y, w };
    let (n, m) = (y.len(), z.width);
    if shape == Shape::Matrix && penalty == Penalty::None && n < m * m {
        return Err(Error::new(
            "too_few_rows",
            format!("{n} calibration rows for a matrix of {m} × {m} weights without a penalty"),
            "Use the penalized form, or vector scaling.",
        ));
    }
    let chosen = matches!(penalty, Penalty::OdirCrossValidated { .. }) && n >= 50;
    let penalty = match penalty {
        Penalty::OdirCrossValidated { .. } if n < 50 => Penalty::Odir { lambda: 0.1, mu: 0.1 },
        Penalty::OdirCrossValidated { seed } => cross_validated(data, shape, seed),
        fixed => fixed,
    };
    let rows: Vec<u32> = (0..n as u32).collect();
    let start = start(data, shape)?;
    let identity = identity(m, shape);
    let mut scratch = vec![0.0; identity.len()];
    let before = objective(data, &rows, shape, penalty, &identity, &mut scratch);
    let found = minimum(data, &rows, shape, penalty, &start, 500);
    let (x, after) = if found.value <= before { (found.x, found.value) } else { (identity, before) };
    let (weights, bias) = x.split_at(x.len() - m);
    let center = bias.iter().sum::<f64>() / m as f64;
    let parameters = Affine { weights: weights.to_vec(), bias: bias.iter().map(|b| b - center).collect() };
    let mut fit = Fit::plain(parameters, before, after);
    if let Penalty::Odir { lambda, .. } = penalty {
        let end = [(EXPONENTS.start(), "smallest", "smaller"), (EXPONENTS.end(), "largest", "larger")];
        let end = end.into_iter().find(|(exponent, ..)| chosen && lambda == 10.0_f64.powi(**exponent));
        let end =
            end.map_or_else(String::new, |(_, end, other)| format!(", the {end} tried: a {other} one may be better"));
        fit.warnings.push(format!("regularized with λ = μ = {lambda}{end}"));
    }
    if !found.converged {
        fit.warnings.push(format!("the optimizer stopped after {} steps without converging", found.steps));
    }
    if penalty == Penalty::None && after < 1e-4 {
        fit.warnings
            .push("the classes are separated on the calibration rows, so the weights are not at an optimum".into());
    }
    Ok(fit)
}

/// W = I, b = 0.
fn identity(m: usize, shape: Shape) -> Vec<f64> {
    scaled_identity(m, shape, 1.0)
}

fn scaled_identity(m: usize, shape: Shape, scale: f64) -> Vec<f64> {
    let mut x = match shape {
        Shape::Vector => vec![scale; m],
        Shape::Matrix => (0..m * m).map(|i| if i % (m + 1) == 0 { scale } else { 0.0 }).collect(),
    };
    x.resize(x.len() + m, 0.0);
    x
}

/// W = I/T at the fitted temperature: close to the answer, and in the family.
fn start(Labeled { z, y, w }: Labeled, shape: Shape) -> Result<Vec<f64>> {
    let t = temperature::weighted_fit(z, y, w, &TemperatureOptions::default())?.parameters.temperature;
    Ok(scaled_identity(z.width, shape, (1.0 / t).clamp(0.05, 20.0)))
}

/// L-BFGS in parameters in which the curvature at the start is about one: classes that are rare, or logits that are
/// large, do not slow the rest down, nor does a weight that pulls the same way as its intercept.
fn minimum(data: Labeled, rows: &[u32], shape: Shape, penalty: Penalty, start: &[f64], steps: usize) -> Solution {
    let z = data.z;
    let scaling = scaling::Scaling::at(z, rows, shape, penalty, start);
    // Where passes are long, steps of a ten-millionth are the last: rows do not know their likelihood to more than one
    // part in √n. With few rows the last digits cost nothing.
    let stall = if rows.len() * z.width > 1_000_000 { 1e-7 } else { 1e-12 };
    let mut x = start.to_vec();
    let mut found = lbfgs(
        |u, g| {
            x.copy_from_slice(u);
            scaling.unscale(&mut x);
            let value = objective(data, rows, shape, penalty, &x, g);
            scaling.scale_gradient(g);
            value
        },
        &scaling.scaled(start),
        1e-9,
        stall,
        steps,
    );
    scaling.unscale(&mut found.x);
    found
}

/// Penalized mean NLL over `rows`, and its gradient.
fn objective(
    Labeled { z, y, w }: Labeled,
    rows: &[u32],
    shape: Shape,
    penalty: Penalty,
    x: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let m = z.width;
    let (weights, bias) = x.split_at(x.len() - m);
    gradient.fill(0.0);
    let (dw, db) = gradient.split_at_mut(weights.len());
    let (mut input, mut p) = (vec![0.0; m], vec![0.0; m]);
    let mut loss = 0.0;
    for &i in rows {
        let label = y[i as usize] as usize;
        z.row_into(i as usize, &mut input);
        affine(weights, bias, &input, &mut p, shape);
        let own = p[label];
        let row_loss = softmax_in_place(&mut p) - own;
        p[label] -= 1.0;
        match w {
            None => loss += row_loss,
            Some(w) => {
                let w = w[i as usize];
                loss += w * row_loss;
                p.iter_mut().for_each(|r| *r *= w);
            }
        }
        match shape {
            Shape::Vector => {
                for ((dw, r), v) in dw.iter_mut().zip(&p).zip(&input) {
                    *dw += r * v;
                }
            }
            Shape::Matrix => {
                for (row, r) in dw.chunks_exact_mut(m).zip(&p) {
                    row.iter_mut().zip(&input).for_each(|(dw, v)| *dw += r * v);
                }
            }
        }
        db.iter_mut().zip(&p).for_each(|(db, r)| *db += r);
    }
    let scale = 1.0 / Labeled { z, y, w }.total(rows);
    gradient.iter_mut().for_each(|g| *g *= scale);
    loss * scale + penalise(penalty, shape, m, x, gradient)
}

fn affine(weights: &[f64], bias: &[f64], input: &[f64], out: &mut [f64], shape: Shape) {
    match shape {
        Shape::Vector => {
            for (k, out) in out.iter_mut().enumerate() {
                *out = weights[k] * input[k] + bias[k];
            }
        }
        Shape::Matrix => {
            for ((out, row), b) in out.iter_mut().zip(weights.chunks_exact(input.len())).zip(bias) {
                *out = b + row.iter().zip(input).map(|(w, v)| w * v).sum::<f64>();
            }
        }
    }
}

/// Powers of ten among which λ = μ is chosen.
const EXPONENTS: RangeInclusive<i32> = -4..=1;

fn cross_validated(data: Labeled, shape: Shape, seed: u64) -> Penalty {
    let (z, y) = (data.z, data.y);
    const FOLDS: u32 = 3;
    let mut fold = vec![0_u8; y.len()];
    let mut lanes = Lanes::seeded(seed, 0x0d1e);
    // Rows of one class are dealt out in turn, from a random place: every fold sees every class it can.
    let mut next: Vec<u32> = Vec::new();
    for (f, &label) in fold.iter_mut().zip(y) {
        let label = label as usize;
        while next.len() <= label {
            next.push(lanes.next()[0] >> 8);
        }
        *f = (next[label] % FOLDS) as u8;
        next[label] += 1;
    }
    let identity = identity(z.width, shape);
    let mut best = (f64::INFINITY, 0.1);
    for exponent in EXPONENTS {
        let lambda = 10.0_f64.powi(exponent);
        let penalty = Penalty::Odir { lambda, mu: lambda };
        let mut held_out = 0.0;
        for f in 0..FOLDS as u8 {
            let rows = |inside: bool| -> Vec<u32> {
                (0..y.len() as u32).filter(|&i| (fold[i as usize] == f) == inside).collect()
            };
            let (test, train) = (rows(true), rows(false));
            let found = minimum(data, &train, shape, penalty, &identity, 200);
            let mut scratch = vec![0.0; found.x.len()];
            held_out += data.total(&test) * objective(data, &test, shape, Penalty::None, &found.x, &mut scratch);
        }
        if held_out < best.0 {
            best = (held_out, lambda);
        }
    }
    Penalty::Odir { lambda: best.1, mu: best.1 }
}

impl Affine {
    /// W = I, b = 0.
    pub fn identity(m: usize, shape: Shape) -> Self {
        let x = identity(m, shape);
        let (weights, bias) = x.split_at(x.len() - m);
        Self { weights: weights.to_vec(), bias: bias.to_vec() }
    }

    /// softmax(W z + b) of every row: probabilities, n × m.
    ///
    /// * `z`: logits, for Dirichlet scaling ln P, n × m
    ///
    /// # Cost
    /// O(n m) for a weight per class, O(n m²) for one per pair of classes.
    pub fn apply(&self, z: ArrayView2<f64>) -> Array2<f64> {
        mapped_rows(z, |_, row| self.apply_row(row))
    }

    /// The same for one row of m logits, in place.
    pub fn apply_row(&self, row: &mut [f64]) {
        let shape = if self.weights.len() == self.bias.len() && row.len() != 1 { Shape::Vector } else { Shape::Matrix };
        let input = row.to_vec();
        affine(&self.weights, &self.bias, &input, row, shape);
        softmax_in_place(row);
    }
}

/// n × 2 logits (0, z) of log-odds: two classes for the methods that want a matrix.
pub fn two_columns(z: &[f64]) -> Matrix {
    Matrix { width: 2, values: Reals::F64(z.iter().flat_map(|&z| [0.0, z]).collect()) }
}

#[cfg(test)]
mod tests;
