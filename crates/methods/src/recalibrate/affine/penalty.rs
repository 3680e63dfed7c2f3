//! What keeps the weights of an affine map small.

use serde::{Deserialize, Serialize};

use super::Shape;

/// What is added to the mean NLL.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    /// nothing
    None,
    /// d Σ (Wᵢᵢ − 1)² + o Σ_{i≠j} W²ᵢⱼ + b Σ b²
    TowardsIdentity {
        /// d
        diagonal: f64,
        /// o
        off_diagonal: f64,
        /// b
        intercept: f64,
    },
    /// λ Σ_{i≠j} W²ᵢⱼ/(m(m − 1)) + μ Σ b²/m (off-diagonal and intercept regularization)
    Odir {
        /// λ
        lambda: f64,
        /// μ
        mu: f64,
    },
    /// [`Penalty::Odir`] with λ = μ chosen by 3-fold cross-validation over 10⁻⁴, …, 10; 0.1 for fewer than 50 rows
    OdirCrossValidated {
        /// seed of the folds
        seed: u64,
    },
}

/// Adds the penalty's gradient to `gradient` and returns the penalty. `x` holds the weights, then m intercepts.
pub(super) fn penalise(penalty: Penalty, shape: Shape, m: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
    let bias = x.len() - m;
    let mut value = 0.0;
    match penalty {
        Penalty::TowardsIdentity { diagonal, off_diagonal, intercept } => {
            for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
                let (weight, identity) = if i >= bias {
                    (intercept, 0.0)
                } else if shape == Shape::Vector || i % (m + 1) == 0 {
                    (diagonal, 1.0)
                } else {
                    (off_diagonal, 0.0)
                };
                let d = x - identity;
                value += weight * d * d;
                *g += 2.0 * weight * d;
            }
        }
        Penalty::Odir { lambda, mu } => {
            let off = lambda / (m * m.saturating_sub(1)).max(1) as f64;
            for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
                let weight = if i >= bias {
                    mu / m as f64
                } else if shape == Shape::Matrix && i % (m + 1) != 0 {
                    off
                } else {
                    continue;
                };
                value += weight * x * x;
                *g += 2.0 * weight * x;
            }
        }
        Penalty::None | Penalty::OdirCrossValidated { .. } => {}
    }
    value
}
