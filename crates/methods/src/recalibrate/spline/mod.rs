//! A smoothing spline on the log-odds: a natural cubic spline, penalized, with a few rows' worth of points on the
//! diagonal.

mod basis;
mod entry;

pub use basis::Basis;
pub use entry::SmoothingSpline;

use serde::{Deserialize, Serialize};

use super::inner::{FEWEST, FOLDS};
use crate::error::Result;
use crate::num::optimize::newton;
use crate::num::special::{log_loss_of_log_odds, logit, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, weight};
use crate::recalibrate::fit::Fit;

/// Scores nearer to 0 or 1 than this are as good as there: 2⁻²⁸.
const CLIP: f64 = 1.0 / (1_u32 << 28) as f64;
/// Knots at most: both ends, and quantiles of the scores between.
const KNOTS: usize = 11;
/// What the points on the diagonal weigh together, in rows.
const PRIOR_WEIGHT: f64 = 20.0;
/// λ is chosen on at most so many rows.
const MOST_ROWS_TO_CHOOSE: usize = 4_000;
/// λ where there are too few rows to choose it.
const MIDDLE_STRENGTH: f64 = 1.0;

/// p′ = σ(f(logit p)), f a natural cubic spline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spline {
    /// where its third derivative jumps, as log-odds, ascending; f is a straight line beyond the outer two
    pub knots: Vec<f64>,
    /// weights of the [`Basis`]: a constant, the log-odds, then one for each knot but the last two
    pub coefficients: Vec<f64>,
    /// λ
    pub strength: f64,
}

/// 17 values of λ, 10⁴ to 10⁻⁴, the smoothest first.
pub fn strengths() -> impl Iterator<Item = f64> {
    (-8..=8).rev().map(|half| 10.0_f64.powf(f64::from(half) / 2.0))
}

/// Fits f with the λ whose held-out loss on inner folds is the smallest.
///
/// * `s`: n scores in [0, 1]; `t`: n targets, 0 or 1; `w`: weights above 0
/// * `fold`: inner fold of each row, below [`FOLDS`]
///
/// Knots are the ends of the scores and quantiles between. λ is chosen over [`strengths`]; among more than 4,000 rows it
/// is chosen on every k-th and scaled with their number, and below 10 it is 1. The objective is the mean loss of the
/// rows without points and penalty.
///
/// Sources: Lucena (2018), "Spline-based probability calibration"; the basis: Hastie, Tibshirani and Friedman (2009),
/// section 5.2.1. At given knots and λ it is splinecalib's fit, which probmetrics uses.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// 85 fits on at most 3,200 rows, then one of all: O(121 n) a step of Newton's method.
pub fn fit(s: &[f64], t: &[u8], w: RowWeights, fold: &[u8]) -> Result<Fit<Spline>> {
    check_weighted(s.len(), t.len(), w)?;
    let z = log_odds(s);
    let basis = Basis::new(knots(&z));
    let step = z.len().div_ceil(MOST_ROWS_TO_CHOOSE).max(1);
    let some: Vec<usize> = (0..z.len()).step_by(step).collect();
    let strength = match some.len() >= FEWEST {
        true => chosen(&basis, &z, t, w, fold, &some) * some.len() as f64 / z.len() as f64,
        false => MIDDLE_STRENGTH,
    };
    let all: Vec<usize> = (0..z.len()).collect();
    let (coefficients, converged) = coefficients(&basis, Rows { z: &z, t, w, of: &all }, strength, &[]);
    let fitted = Spline { knots: basis.knots, coefficients, strength };
    let loss = |q: &[f64]| {
        let of = |i: usize| weight(w, i) * log_loss_of_log_odds(logit(q[i], CLIP), f64::from(t[i]));
        (0..q.len()).map(of).sum::<f64>() / (0..q.len()).map(|i| weight(w, i)).sum::<f64>()
    };
    let (before, after) = (loss(s), loss(&fitted.apply(s)));
    let mut fit = Fit::plain(fitted, before, after);
    if !converged {
        fit.warnings.push("Newton's method stopped without converging".into());
    }
    Ok(fit)
}

/// Fits f at given knots (log-odds, ascending) and λ: minimizes
/// (Σ w ℓ(row) + Σ v ℓ(point)) / (n + points) + λ |β|² / d, ℓ the log loss.
///
/// The points stand on the diagonal, at .01, .02, …, .99 and, weighing a 18th each, from 10⁻⁸ to 10⁻² and from
/// 1 − 10⁻² to 1 − 10⁻⁸; they weigh 20 rows together. Errors, source as [`fit`].
#[cfg(test)]
pub(super) fn fit_at(s: &[f64], t: &[u8], w: RowWeights, knots: &[f64], strength: f64) -> Result<Spline> {
    check_weighted(s.len(), t.len(), w)?;
    let (z, basis) = (log_odds(s), Basis::new(knots.to_vec()));
    let all: Vec<usize> = (0..z.len()).collect();
    let (coefficients, _) = coefficients(&basis, Rows { z: &z, t, w, of: &all }, strength, &[]);
    Ok(Spline { knots: basis.knots, coefficients, strength })
}

fn log_odds(s: &[f64]) -> Vec<f64> {
    s.iter().map(|&s| logit(s, CLIP)).collect()
}

/// Both ends and quantiles of the distinct values between.
fn knots(z: &[f64]) -> Vec<f64> {
    let mut z = z.to_vec();
    z.sort_by(f64::total_cmp);
    z.dedup();
    let last = z.len().saturating_sub(1);
    let count = KNOTS.min(z.len());
    let places = (0..count).map(|k| k * last / (count - 1).max(1));
    places.filter_map(|place| z.get(place).copied()).collect()
}

/// The points on the diagonal: (p, weight).
fn prior() -> Vec<(f64, f64)> {
    let far = (0..18).map(|k| 10.0_f64.powf(-8.0 + f64::from(k) / 3.0));
    let ends = far.flat_map(|p| [(p, 1.0 / 18.0), (1.0 - p, 1.0 / 18.0)]);
    let points: Vec<(f64, f64)> = ends.chain((1..100).map(|p| (f64::from(p) / 100.0, 1.0))).collect();
    let total: f64 = points.iter().map(|point| point.1).sum();
    points.into_iter().map(|(p, weight)| (p, PRIOR_WEIGHT * weight / total)).collect()
}

/// Rows of a fit.
#[derive(Clone, Copy)]
struct Rows<'a> {
    z: &'a [f64],
    t: &'a [u8],
    w: RowWeights<'a>,
    of: &'a [usize],
}

/// The λ with the smallest held-out loss, the largest among equals.
fn chosen(basis: &Basis, z: &[f64], t: &[u8], w: RowWeights, fold: &[u8], some: &[usize]) -> f64 {
    let mut held_out = vec![0.0; strengths().count()];
    for f in 0..FOLDS as u8 {
        let (test, train): (Vec<usize>, Vec<usize>) = some.iter().partition(|&&i| fold.get(i) == Some(&f));
        let mut found = Vec::new();
        for (loss, strength) in held_out.iter_mut().zip(strengths()) {
            found = coefficients(basis, Rows { z, t, w, of: &train }, strength, &found).0;
            let of = |&i: &usize| weight(w, i) * log_loss_of_log_odds(basis.value(&found, z[i]), f64::from(t[i]));
            *loss += test.iter().map(of).sum::<f64>();
        }
    }
    let best = held_out.iter().zip(strengths()).min_by(|a, b| a.0.total_cmp(b.0));
    best.map_or(MIDDLE_STRENGTH, |(_, strength)| strength)
}

/// The minimum, by Newton's method from `start`, or from the identity; and whether it converged.
fn coefficients(basis: &Basis, rows: Rows, strength: f64, start: &[f64]) -> (Vec<f64>, bool) {
    let d = basis.len();
    let prior = prior();
    let of_rows = rows.of.iter().map(|&i| (rows.z[i], f64::from(rows.t[i]), weight(rows.w, i)));
    let points = prior.iter().map(|&(p, weight)| (logit(p, CLIP), p, weight));
    let total = (rows.of.len() + prior.len()) as f64;
    let mut x = vec![0.0; d];
    let mut flat = Vec::with_capacity((rows.of.len() + prior.len()) * d);
    let (mut targets, mut weights) = (Vec::new(), Vec::new());
    for (z, t, weight) in of_rows.chain(points) {
        basis.at(z, &mut x);
        flat.extend_from_slice(&x);
        targets.push(t);
        weights.push(weight / total);
    }
    // Columns of one size: cubes of log-odds beside a constant would leave nothing of its digits.
    let mut size = vec![0.0_f64; d];
    for row in flat.chunks_exact(d) {
        size.iter_mut().zip(row).for_each(|(size, x)| *size = size.max(x.abs()));
    }
    size.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
    flat.chunks_exact_mut(d).for_each(|row| row.iter_mut().zip(&size).for_each(|(x, size)| *x /= size));
    let penalty: Vec<f64> = size.iter().map(|size| strength / (d as f64 * size * size)).collect();
    let identity = |j: usize| if j == 1 { 1.0 } else { 0.0 };
    let start: Vec<f64> =
        size.iter().enumerate().map(|(j, size)| size * start.get(j).copied().unwrap_or_else(|| identity(j))).collect();
    let solution = newton(
        |beta, gradient, hessian| {
            let mut loss = 0.0;
            gradient.fill(0.0);
            hessian.fill(0.0);
            for ((row, &t), &w) in flat.chunks_exact(d).zip(&targets).zip(&weights) {
                let eta: f64 = row.iter().zip(beta).map(|(x, b)| x * b).sum();
                let p = sigmoid(eta);
                loss += w * log_loss_of_log_odds(eta, t);
                let (residual, curvature) = (w * (p - t), w * p * (1.0 - p));
                for (j, &x) in row.iter().enumerate() {
                    gradient[j] += residual * x;
                    let line = &mut hessian[j * d..=j * d + j];
                    line.iter_mut().zip(row).for_each(|(h, other)| *h += curvature * x * other);
                }
            }
            for j in 0..d {
                loss += penalty[j] * beta[j] * beta[j];
                gradient[j] += 2.0 * penalty[j] * beta[j];
                hessian[j * d + j] += 2.0 * penalty[j];
                for k in 0..j {
                    hessian[k * d + j] = hessian[j * d + k];
                }
            }
            loss
        },
        &start,
        100,
    );
    (solution.x.iter().zip(&size).map(|(x, size)| x / size).collect(), solution.converged)
}

impl Spline {
    /// σ(f(logit p)) of every probability: recalibrated probabilities, length n.
    ///
    /// * `p`: P(y = 1), length n, clipped to [2⁻²⁸, 1 − 2⁻²⁸]
    ///
    /// # Cost
    /// O(n knots).
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        let basis = Basis::new(self.knots.clone());
        p.iter().map(|&p| sigmoid(basis.value(&self.coefficients, logit(p, CLIP)))).collect()
    }
}

#[cfg(test)]
mod tests;
