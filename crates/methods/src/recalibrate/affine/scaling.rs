//! Parameters in which the curvature of the likelihood is about one.

use super::penalty::{Penalty, penalise};
use super::{Shape, affine};
use crate::num::special::softmax_in_place;
use crate::table::Matrix;

/// A triangular change of parameters, from the Hessian's diagonal and, for a vector, the 2 × 2 block of every class:
/// where a class competes its logits are alike, so that weight and intercept do nearly the same.
pub(super) struct Scaling {
    /// diagonal of the factor
    own: Vec<f64>,
    /// entry that mixes an intercept into its class's weight; empty for a matrix
    cross: Vec<f64>,
}

impl Scaling {
    /// At `x`: mean P(1 − P)z² for a weight, mean P(1 − P) for an intercept, mean P(1 − P)z between the two, and the
    /// penalty.
    pub(super) fn at(z: &Matrix, rows: &[u32], shape: Shape, penalty: Penalty, x: &[f64]) -> Self {
        let m = z.width;
        // A matrix costs m times as much, and some 2,000 rows say enough; a vector of many classes needs them all.
        let step = match shape {
            Shape::Vector => (rows.len() / 2000.max(20 * m)).max(1),
            Shape::Matrix => (rows.len() / 2000).max(1),
        };
        let some: Vec<u32> = rows.iter().copied().step_by(step).collect();
        let (weights, bias) = x.split_at(x.len() - m);
        let mut diagonal = vec![0.0; x.len()];
        let mut cross = vec![0.0; if shape == Shape::Vector { m } else { 0 }];
        let (mut input, mut p) = (vec![0.0; m], vec![0.0; m]);
        for &i in &some {
            z.row_into(i as usize, &mut input);
            affine(weights, bias, &input, &mut p, shape);
            softmax_in_place(&mut p);
            let (of_weights, of_bias) = diagonal.split_at_mut(weights.len());
            for (k, p) in p.iter().enumerate() {
                let w = p * (1.0 - p);
                of_bias[k] += w;
                match shape {
                    Shape::Vector => {
                        of_weights[k] += w * input[k] * input[k];
                        cross[k] += w * input[k];
                    }
                    Shape::Matrix => {
                        let row = &mut of_weights[k * m..(k + 1) * m];
                        row.iter_mut().zip(&input).for_each(|(d, v)| *d += w * v * v);
                    }
                }
            }
        }
        let n = some.len().max(1) as f64;
        // The penalty is quadratic: its curvature is the change of its gradient from 0 to 1.
        let (mut high, mut low) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        penalise(penalty, shape, m, &vec![1.0; x.len()], &mut high);
        penalise(penalty, shape, m, &vec![0.0; x.len()], &mut low);
        let largest = diagonal.iter().fold(0.0_f64, |a, d| a.max(*d)) / n;
        let least = (1e-6 * largest).max(1e-12);
        let mut own: Vec<f64> = diagonal
            .iter()
            .zip(high.iter().zip(&low))
            .map(|(d, (high, low))| (d / n + (high - low)).max(least).sqrt())
            .collect();
        for (k, cross) in cross.iter_mut().enumerate() {
            *cross /= n * own[k];
            // Rounding, and classes that hardly occur, must not leave a direction without curvature.
            let square = own[m + k] * own[m + k];
            let left = (square - *cross * *cross).max(1e-3 * square);
            own[m + k] = left.sqrt();
        }
        Self { own, cross }
    }

    /// The parameters in the new coordinates.
    pub(super) fn scaled(&self, x: &[f64]) -> Vec<f64> {
        let mut u: Vec<f64> = x.iter().zip(&self.own).map(|(x, s)| x * s).collect();
        let m = self.cross.len();
        for (k, cross) in self.cross.iter().enumerate() {
            u[k] += cross * x[m + k];
        }
        u
    }

    /// And back, in place.
    pub(super) fn unscale(&self, u: &mut [f64]) {
        let m = self.cross.len();
        for (k, cross) in self.cross.iter().enumerate() {
            u[k] -= cross * u[m + k] / self.own[m + k];
        }
        u.iter_mut().zip(&self.own).for_each(|(u, s)| *u /= s);
    }

    /// A gradient in the parameters becomes one in the new coordinates.
    pub(super) fn scale_gradient(&self, g: &mut [f64]) {
        let m = self.cross.len();
        for (k, cross) in self.cross.iter().enumerate() {
            g[m + k] -= cross * g[k] / self.own[k];
        }
        g.iter_mut().zip(&self.own).for_each(|(g, s)| *g /= s);
    }
}
