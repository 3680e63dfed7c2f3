//! Ensemble temperature scaling: a mixture of tempered, original and uniform probabilities.

mod entry;

pub use entry::EnsembleTemperature;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::metric::labels::check_classes;
use crate::num::simplex::{mixture_weights, quadratic_on_simplex};
use crate::num::special::softmax_in_place;
use crate::num::weight::{RowWeights, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::mapped_rows;
use crate::recalibrate::temperature::{self, Loss, TemperatureOptions};
use crate::table::Matrix;

/// P′ = w₁ softmax(Z/T) + w₂ softmax(Z) + w₃/m.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ets {
    /// T
    pub temperature: f64,
    /// w₁, w₂, w₃ ≥ 0 with sum 1
    pub weights: [f64; 3],
}

/// Fits T with T in [0.05, 5], then the weights, both by the same loss. Mean squared error is customary.
///
/// The weights are exact: a quadratic (or, for NLL, convex) problem on the simplex.
/// Source: Zhang, Kailkhura and Han (2020), section 4.2.
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// That of the temperature, and one pass.
///
/// # Examples
/// Logits of 9 : 1 where three of four are of the first class: least squares give it 3/4.
///
/// ```
/// use localcal_methods::recalibrate::{ets, temperature::Loss};
/// use ndarray::array;
///
/// let z = array![[9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0]];
/// let fit = ets::fit(z.view(), &[0, 0, 0, 1], Loss::Mse)?;
/// assert!((fit.parameters.apply(z.view())[[0, 0]] - 0.75).abs() < 1e-6);
/// assert!((fit.parameters.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(z: ArrayView2<f64>, y: &[u32], loss: Loss) -> Result<Fit<Ets>> {
    weighted_fit(&z.into(), y, None, loss)
}

/// [`fit`] to a matrix as files hold it, and to rows with weights; the mixture is that of least squares, or of rows that
/// count once for NLL. Errors and cost as there.
pub fn weighted_fit(z: &Matrix, y: &[u32], w: RowWeights, loss: Loss) -> Result<Fit<Ets>> {
    let options = TemperatureOptions { loss, ..TemperatureOptions::mse() };
    let tempered = temperature::weighted_fit(z, y, w, &options)?;
    let t = tempered.parameters.temperature;
    let (weights, after) = match loss {
        Loss::Mse => least_squares(z, y, w, t)?,
        Loss::Nll => likelihood(z, y, t)?,
    };
    let mut fit = Fit::plain(Ets { temperature: t, weights }, tempered.objective_before, after);
    fit.at_bound = tempered.at_bound;
    fit.warnings = tempered.warnings;
    Ok(fit)
}

/// The two softmax rows of row `i`.
fn components(z: &Matrix, i: usize, t: f64, tempered: &mut [f64], plain: &mut [f64]) {
    z.row_into(i, plain);
    for (a, b) in tempered.iter_mut().zip(plain.iter()) {
        *a = b / t;
    }
    softmax_in_place(tempered);
    softmax_in_place(plain);
}

fn least_squares(z: &Matrix, y: &[u32], w: RowWeights, t: f64) -> Result<([f64; 3], f64)> {
    check_classes(z, y)?;
    let m = z.width;
    let (mut a, mut b) = (vec![0.0; m], vec![0.0; m]);
    // Gram matrix of the three components minus the outcomes: with Σw = 1 the loss is wᵀGw.
    let mut gram = [[0.0; 3]; 3];
    let uniform = 1.0 / m as f64;
    for (i, &label) in y.iter().enumerate() {
        components(z, i, t, &mut a, &mut b);
        a[label as usize] -= 1.0;
        b[label as usize] -= 1.0;
        let (mut aa, mut ab, mut bb, mut sa, mut sb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (x, y) in a.iter().zip(&b) {
            aa += x * x;
            ab += x * y;
            bb += y * y;
            sa += x;
            sb += y;
        }
        let w = weight(w, i);
        gram[0][0] += w * aa;
        gram[0][1] += w * ab;
        gram[1][1] += w * bb;
        gram[0][2] += w * (uniform * sa - a[label as usize]);
        gram[1][2] += w * (uniform * sb - b[label as usize]);
        gram[2][2] += w * (1.0 - uniform);
    }
    let scale = 1.0 / (total_weight(w, y.len()) * m as f64);
    let full = std::array::from_fn(|j| std::array::from_fn(|k| scale * gram[j.min(k)][j.max(k)]));
    Ok(quadratic_on_simplex(&full))
}

fn likelihood(z: &Matrix, y: &[u32], t: f64) -> Result<([f64; 3], f64)> {
    check_classes(z, y)?;
    let m = z.width;
    let (mut a, mut b) = (vec![0.0; m], vec![0.0; m]);
    let own: Vec<[f64; 3]> = y
        .iter()
        .enumerate()
        .map(|(i, &label)| {
            components(z, i, t, &mut a, &mut b);
            [a[label as usize], b[label as usize], 1.0 / m as f64]
        })
        .collect();
    Ok(mixture_weights(&own))
}

impl Ets {
    /// w₁ softmax(Z/T) + w₂ softmax(Z) + w₃/m for every row: probabilities, n × m.
    ///
    /// * `z`: logits, n × m
    ///
    /// # Cost
    /// O(n m).
    pub fn apply(&self, z: ArrayView2<f64>) -> Array2<f64> {
        mapped_rows(z, |_, row| self.apply_row(row))
    }

    /// The same for one row of m logits, in place.
    pub fn apply_row(&self, row: &mut [f64]) {
        let [w1, w2, w3] = self.weights;
        let uniform = w3 / row.len() as f64;
        let mut tempered: Vec<f64> = row.iter().map(|z| z / self.temperature).collect();
        softmax_in_place(&mut tempered);
        softmax_in_place(row);
        for (v, t) in row.iter_mut().zip(&tempered) {
            *v = w1 * t + w2 * *v + uniform;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{f8, f8_logits, matrix, near};
    use crate::metric::brier::brier_mean;
    use crate::metric::log_loss::log_loss;
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (z, (_, y)) = (f8_logits(), f8());
        let found = weighted_fit(&z, &y, None, Loss::Mse).expect("valid");
        for (got, expected) in found.parameters.weights.iter().zip([0.0, 0.872_927_81, 0.127_072_19]) {
            near(Some(*got), expected, 2e-8);
        }
        near(Some(found.objective_after), 0.157_358_835_87, 1e-11);
        near(brier_mean(found.parameters.apply(z.to_array().view()).view(), &y).ok(), found.objective_after, 1e-12);
        let found = weighted_fit(&z, &y, None, Loss::Nll).expect("valid");
        for (got, expected) in found.parameters.weights.iter().zip([0.0, 0.840_569_21, 0.159_430_79]) {
            near(Some(*got), expected, 2e-7);
        }
        near(Some(found.objective_after), 0.818_574_891_57, 1e-11);
        near(
            log_loss(found.parameters.apply(z.to_array().view()).view(), &y, 1e-300).ok(),
            found.objective_after,
            1e-12,
        );
    }

    proptest! {
        #[test]
        fn the_mixture_is_no_worse_than_its_parts(z in proptest::collection::vec(-3.0..3.0_f64, 6..90), nll in any::<bool>()) {
            let n = z.len() / 3;
            let z = matrix(3, z[..3 * n].to_vec());
            let y: Vec<u32> = (0..n as u32).map(|i| i * i % 3).collect();
            let loss = if nll { Loss::Nll } else { Loss::Mse };
            let found = weighted_fit(&z, &y, None, loss).expect("valid");
            let ets = found.parameters;
            prop_assert!(ets.weights.iter().all(|w| *w >= 0.0));
            prop_assert!((ets.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let objective = |w: [f64; 3]| {
                let p = Ets { weights: w, ..ets }.apply(z.to_array().view());
                if nll { log_loss(p.view(), &y, 0.0).expect("rows") } else { brier_mean(p.view(), &y).expect("rows") }
            };
            for w in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.3, 0.4]] {
                prop_assert!(found.objective_after <= objective(w) + 1e-9);
            }
            prop_assert!((found.objective_after - objective(ets.weights)).abs() < 1e-9);
        }
    }
}
