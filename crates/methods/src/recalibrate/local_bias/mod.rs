//! Correction by the witness: a score plus the bias of similar rows in the calibration rows.

mod entry;

pub use entry::{LocalBias, WitnessCorrection};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::hypothesis::witness::{SCALED, WitnessForm};
use crate::kernel::{Part, Points, Queries, sums, sums_of_fit};

/// How the bias of a new row is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BiasForm {
    /// kernel-weighted mean residual, kernels in covariates and in the score
    #[default]
    Product,
    /// kernel-weighted mean residual, the score as one more covariate
    Concatenated,
    /// kernel ridge regression of the residual, the score as one more covariate
    Krr,
}

impl BiasForm {
    /// The kernel it looks through.
    pub fn kernel_form(self) -> WitnessForm {
        match self {
            Self::Product => WitnessForm::Product,
            Self::Concatenated | Self::Krr => WitnessForm::Concatenated,
        }
    }
}

/// Most calibration rows of a kernel ridge regression: every step of the solver looks at every pair.
pub const MOST_RIDGE_ROWS: usize = 5000;
/// Rows whose corrections are computed in one go.
const TOGETHER: usize = 512;
/// Steps of the solver.
const MOST_STEPS: usize = 200;
/// Residual, against the right-hand side, at which it stops.
const TOLERANCE: f64 = 1e-10;

/// Σ_i k w_i / Σ_i k at every new place, or Σ_i k w_i where `summed`.
///
/// * `at`, `new`: scaled places, see [`crate::hypothesis::witness::WitnessKernel::places`]
///
/// # Errors
/// As the kernel sums. O(n) per new place; `progress` hears the share done.
pub fn bias_at(
    at: Points,
    weights: &[f64],
    new: Points,
    summed: bool,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<f64>> {
    let (n, d) = (new.n(), new.d());
    let mut bias = Vec::with_capacity(n);
    while bias.len() < n {
        let end = (bias.len() + TOGETHER).min(n);
        let places = Points::row_major(d, &new.values()[bias.len() * d..end * d])?;
        let found = sums_of_fit(places, at, weights, 1, SCALED, false, Part::WHOLE)?;
        if summed {
            bias.extend(found.mean.iter().zip(&found.mass).map(|(m, k)| m * k));
        } else {
            bias.extend(found.mean);
        }
        progress(end as f64 / n as f64);
    }
    Ok(bias)
}

/// α of kernel ridge regression without an intercept: (K + λI) α = e, by conjugate gradients.
///
/// # Errors
/// As the kernel sums. O(n²) a step, some tens of steps for smooth kernels.
///
/// # Source
/// Hestenes and Stiefel (1952); the regression of the residual as in Vashistha and Farahi (2025).
pub fn ridge_weights(at: Points, residual: &[f64], ridge: f64, progress: &mut dyn FnMut(f64)) -> Result<Vec<f64>> {
    let own = Queries::Sources { leave_one_out: false };
    let product = |v: &[f64]| -> Result<Vec<f64>> {
        let found = sums(own, at, v, 1, SCALED, false, Part::WHOLE)?;
        let kernel = found.mean.iter().zip(&found.mass).map(|(m, k)| m * k);
        Ok(kernel.zip(v).map(|(kv, v)| kv + ridge * v).collect())
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut alpha = vec![0.0; residual.len()];
    let mut rest = residual.to_vec();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = size * TOLERANCE * TOLERANCE;
    let start = size;
    for _ in 0..MOST_STEPS {
        if size <= enough {
            break;
        }
        let along = product(&direction)?;
        let step = size / dot(&direction, &along);
        if !step.is_finite() {
            // Rounding has eaten what was left to find.
            break;
        }
        for ((alpha, rest), (d, a)) in alpha.iter_mut().zip(&mut rest).zip(direction.iter().zip(&along)) {
            *alpha += step * d;
            *rest -= step * a;
        }
        let next = dot(&rest, &rest);
        for (d, r) in direction.iter_mut().zip(&rest) {
            *d = r + next / size * *d;
        }
        size = next;
        // Digits won, of those that are wanted.
        progress((size / start).ln() / (TOLERANCE * TOLERANCE).ln());
    }
    Ok(alpha)
}

/// clip(s + bias, 0, 1), and how many scores had to be cut.
pub fn corrected(score: &[f64], bias: &[f64]) -> (Vec<f64>, usize) {
    let mut clipped = 0;
    let each = score.iter().zip(bias).map(|(s, b)| {
        let moved = s + b;
        clipped += usize::from(!moved.is_nan() && !(0.0..=1.0).contains(&moved));
        if moved.is_nan() { *s } else { moved.clamp(0.0, 1.0) }
    });
    (each.collect(), clipped)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::f8_top;
    use crate::hypothesis::witness::WitnessKernel;

    /// sklearn.kernel_ridge.KernelRidge(alpha=1, kernel="rbf", gamma=.5) on (φ, c) of F8, predicted at its rows.
    const SKLEARN: [f64; 8] = [
        0.030885856396832827,
        0.18531602436582098,
        -0.2212378952386573,
        0.1787808227550606,
        0.28372687400836366,
        -0.15832077485103005,
        0.12073542685918762,
        0.016269815591897274,
    ];

    #[test]
    fn ridge_regression_agrees_with_scikit_learn() {
        let (s, t) = f8_top();
        let x = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];
        let kernel = WitnessKernel { form: WitnessForm::Concatenated, width_p: 0.1, gamma: 0.5 };
        let places = kernel.places(Points::row_major(2, &x).unwrap(), &s).unwrap();
        let at = Points::new(places.view()).unwrap();
        let residual: Vec<f64> = s.iter().zip(&t).map(|(s, t)| f64::from(*t) - s).collect();
        let alpha = ridge_weights(at, &residual, 1.0, &mut |_| ()).unwrap();
        let bias = bias_at(at, &alpha, at, true, &mut |_| ()).unwrap();
        for ((ours, theirs), (e, alpha)) in bias.iter().zip(SKLEARN).zip(residual.iter().zip(&alpha)) {
            assert!((ours - theirs).abs() < 1e-9, "{ours} {theirs}");
            // (K + I) α = e
            assert!((ours + alpha - e).abs() < 1e-9);
        }
    }

    #[test]
    fn what_leaves_the_unit_interval_is_cut_and_counted() {
        let (moved, clipped) = corrected(&[0.9, 0.1, 0.5, 0.3], &[0.2, -0.2, 0.5, f64::NAN]);
        assert_eq!((moved, clipped), (vec![1.0, 0.0, 1.0, 0.3], 2));
    }
}
