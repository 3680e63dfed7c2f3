//! A smooth line through the bias of many rows: cubic ridge regression on one covariate.

use nalgebra::{DMatrix, DVector};

use crate::num::order::{ascending, equal_blocks};

/// λ of the published figure.
pub const RIDGE: f64 = 1.0;
/// Degree where there are enough different values.
const DEGREE: usize = 3;

/// β₀ + Σ_k β_k x^k, kept in a form that does not lose digits.
#[derive(Debug, Clone, PartialEq)]
pub struct BiasCurve {
    mean_bias: f64,
    /// mean and spread of x^k, and the coefficient of the standardized power
    terms: Vec<(f64, f64, f64)>,
}

impl BiasCurve {
    /// Least squares of `bias` on x, x², x³ with the penalty λ Σ β_k² on the coefficients of the powers as they are; the
    /// intercept is free.
    ///
    /// With fewer than four different values of x the degree is their number − 1. `None` without rows. O(n).
    ///
    /// Source: Hoerl and Kennard (1970); degree and λ as in Vashistha and Farahi (2025), figure 6.
    ///
    /// ```
    /// use localcal_numerics::hypothesis::bias_curve::BiasCurve;
    ///
    /// // two values of x give a straight line
    /// let line = BiasCurve::fit(&[0.0, 1.0], &[0.1, 0.3], 0.0).unwrap();
    /// assert!((line.at(0.5) - 0.2).abs() < 1e-12);
    /// ```
    pub fn fit(x: &[f64], bias: &[f64], ridge: f64) -> Option<Self> {
        let n = x.len().min(bias.len());
        if n == 0 {
            return None;
        }
        let order = ascending(&x[..n]);
        let distinct = equal_blocks(x, &order).take(DEGREE + 1).count();
        let degree = distinct - 1;
        let mean_bias = bias[..n].iter().sum::<f64>() / n as f64;
        // Powers of a standardized covariate would change the penalty; powers that are standardized do not.
        let mut powers: Vec<Vec<f64>> = Vec::with_capacity(degree);
        let mut terms = Vec::with_capacity(degree);
        for k in 1..=degree {
            let raw = || x[..n].iter().map(|x| x.powi(k as i32));
            let mean = raw().sum::<f64>() / n as f64;
            let spread = (raw().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
            if !(spread > 0.0 && spread.is_finite()) {
                break;
            }
            powers.push(raw().map(|v| (v - mean) / spread).collect());
            terms.push((mean, spread, 0.0));
        }
        let d = powers.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let centered: Vec<f64> = bias[..n].iter().map(|b| b - mean_bias).collect();
        let gram = DMatrix::from_fn(d, d, |j, k| {
            let own = if j == k { ridge / terms[j].1.powi(2) } else { 0.0 };
            dot(&powers[j], &powers[k]) + own
        });
        let right = DVector::from_fn(d, |j, _| dot(&powers[j], &centered));
        if d > 0 {
            let solution = gram.svd(true, true).solve(&right, 1e-13 * n as f64).ok()?;
            for (term, value) in terms.iter_mut().zip(solution.iter()) {
                term.2 = *value;
            }
        }
        Some(Self { mean_bias, terms })
    }

    /// The line at x.
    pub fn at(&self, x: f64) -> f64 {
        let term =
            |(k, (mean, spread, value)): (usize, &(f64, f64, f64))| (x.powi(k as i32 + 1) - mean) / spread * value;
        self.mean_bias + self.terms.iter().enumerate().map(term).sum::<f64>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_scikit_learn() {
        // sklearn.linear_model.Ridge(alpha=1) on (x, x², x³)
        let x = SKLEARN_X;
        let bias = SKLEARN_Y;
        let curve = BiasCurve::fit(&x, &bias, 1.0).unwrap();
        for (at, expected) in SKLEARN_AT.iter().zip(SKLEARN) {
            assert!((curve.at(*at) - expected).abs() < 1e-7, "{} {expected}", curve.at(*at));
        }
    }

    #[test]
    fn few_values_take_a_lower_degree() {
        assert_eq!(BiasCurve::fit(&[], &[], 1.0), None);
        let flat = BiasCurve::fit(&[5.0, 5.0], &[0.1, 0.3], 1.0).unwrap();
        assert!((flat.at(99.0) - 0.2).abs() < 1e-15);
        let two = BiasCurve::fit(&[0.0, 1.0], &[0.1, 0.3], 0.0).unwrap();
        assert!((two.at(0.5) - 0.2).abs() < 1e-12 && (two.at(2.0) - 0.5).abs() < 1e-12);
        let three = BiasCurve::fit(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], 0.0).unwrap();
        assert!((three.at(3.0) - 9.0).abs() < 1e-9);
    }

    const SKLEARN_X: [f64; 12] = [51.0, 32.0, 20.0, 19.0, 60.0, 65.0, 50.0, 56.0, 46.0, 67.0, 60.0, 18.0];
    const SKLEARN_Y: [f64; 12] =
        [-0.136, 0.041, 0.075, 0.085, -0.107, -0.083, -0.077, -0.079, -0.066, -0.037, -0.109, 0.107];
    const SKLEARN_AT: [f64; 4] = [20.0, 33.0, 51.0, 68.0];
    const SKLEARN: [f64; 4] = [0.09035849685026827, 0.02019641665629364, -0.09639994471767901, -0.04065116658092183];
}
