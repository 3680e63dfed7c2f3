//! Quadratic scaling: logistic regression of the target on the log-odds of the score and on their square.

mod entry;

pub use entry::QuadraticScaling;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::logistic::weighted_logistic;
use crate::num::special::{PROB_CLIP, ln_sigmoid, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::binary_logits;
use crate::recalibrate::platt::{self, PlattOptions};

/// p′ = σ(a + b z + c z²), z = logit p.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quadratic {
    /// intercept
    pub a: f64,
    /// slope
    pub b: f64,
    /// curvature; the curve turns at z = −b/(2c)
    pub c: f64,
}

/// Fits (a, b, c) by maximum likelihood, without a penalty.
///
/// * `p`: n scores in [0, 1], clipped at [`PROB_CLIP`] before the logit
/// * `t`: n targets, 0 or 1
///
/// Where the likelihood has no unique maximum (separated outcomes, fewer than three distinct scores), c = 0 and the rest
/// is Platt scaling. The curve need not rise: where it turns within the calibration rows a warning says at which score.
///
/// Source: Berta, Holzmüller, Jordan and Bach (2026), "Structured matrix scaling for multi-class calibration", the binary
/// case; `quadratic-scaling` of probmetrics.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n) a step of Newton's method, about 7 steps.
///
/// # Examples
/// At −ln 3, 0 and ln 3 one of two happens, one of four, and one of two: nothing but the square tells them apart.
///
/// ```
/// use localcal_methods::recalibrate::quadratic;
///
/// let p = [0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 0.75];
/// let fit = quadratic::fit(&p, &[1, 0, 1, 0, 0, 0, 1, 0])?.parameters;
/// assert!((fit.a + 3.0_f64.ln()).abs() < 1e-9 && fit.b.abs() < 1e-9);
/// assert!((fit.c - 1.0 / 3.0_f64.ln()).abs() < 1e-9);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: &[f64], t: &[u8]) -> Result<Fit<Quadratic>> {
    weighted_fit(p, t, None)
}

/// [`fit`] to rows with weights above 0. Errors as there.
pub fn weighted_fit(p: &[f64], t: &[u8], w: RowWeights) -> Result<Fit<Quadratic>> {
    check_weighted(p.len(), t.len(), w)?;
    let z = binary_logits(p, PROB_CLIP);
    let nll = |fit: Quadratic| {
        let of = |i: usize| weight(w, i) * ln_sigmoid(if t[i] == 1 { fit.log_odds(z[i]) } else { -fit.log_odds(z[i]) });
        -(0..z.len()).map(of).sum::<f64>() / total_weight(w, z.len())
    };
    let done = |fit: Quadratic| Fit::plain(fit, nll(Quadratic::IDENTITY), nll(fit));
    let squares: Vec<f64> = z.iter().map(|z| z * z).collect();
    let found = weighted_logistic(&[&z, &squares], None, t, w);
    if let Some(&[a, b, c]) = found.as_ref().map(|found| found.coefficients.as_slice()) {
        let mut fit = done(Quadratic { a, b, c });
        fit.warnings.extend(fit.parameters.turn_within(&z));
        return Ok(fit);
    }
    let line = platt::weighted_fit(p, t, w, &PlattOptions { smoothing: false, ..PlattOptions::default() })?;
    let mut fit = done(Quadratic { a: line.parameters.b, b: line.parameters.a, c: 0.0 });
    fit.at_bound = line.at_bound;
    fit.warnings = line.warnings;
    fit.warnings.push("the quadratic fit has no unique maximum: curvature was set to 0".into());
    Ok(fit)
}

impl Quadratic {
    /// a = c = 0, b = 1: leaves probabilities as they are.
    pub const IDENTITY: Quadratic = Quadratic { a: 0.0, b: 1.0, c: 0.0 };

    fn log_odds(self, z: f64) -> f64 {
        self.a + z * (self.b + self.c * z)
    }

    /// What is said where the curve turns between the smallest and the largest log-odds.
    fn turn_within(self, z: &[f64]) -> Option<String> {
        let turn = -self.b / (2.0 * self.c);
        let (below, above) = (z.iter().any(|z| *z < turn), z.iter().any(|z| *z > turn));
        (below && above).then(|| {
            let side = if self.c < 0.0 { "above" } else { "below" };
            format!(
                "the curve turns at a score of {:.3}: {side} it, the observed proportion falls with the score, and the fit \
                 reverses the ranking",
                sigmoid(turn)
            )
        })
    }

    /// σ(a + b z + c z²) of every probability, z = logit p: recalibrated probabilities, length n.
    ///
    /// * `p`: P(y = 1), length n, clipped to [ε, 1 − ε], ε = [`PROB_CLIP`]
    ///
    /// # Cost
    /// O(n).
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        binary_logits(p, PROB_CLIP).into_iter().map(|z| sigmoid(self.log_odds(z))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_a_maximum_it_is_straight() {
        for (p, t) in [
            (vec![0.5; 3], vec![0, 1, 1]),
            (vec![0.2, 0.8], vec![0, 1]),
            (vec![0.2, 0.8], vec![1, 1]),
            (vec![0.2, 0.2, 0.8, 0.8], vec![0, 1, 0, 1]),
            (vec![0.0, 0.1, 0.2, 0.8, 0.9, 1.0], vec![0, 0, 0, 1, 1, 1]),
        ] {
            let found = fit(&p, &t).expect("valid");
            assert_eq!(found.parameters.c, 0.0, "{found:?}");
            assert!(found.warnings.iter().any(|said| said.contains("curvature was set to 0")));
            assert!(found.parameters.apply(&p).iter().all(|q| (0.0..=1.0).contains(q)), "{found:?}");
        }
        assert_eq!(fit(&[], &[]).map_err(|error| error.code()).err(), Some("empty"));
    }

    #[test]
    fn a_turn_within_the_scores_is_said() {
        let p = [0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 0.75];
        let found = fit(&p, &[1, 0, 1, 0, 0, 0, 1, 0]).expect("valid");
        assert_eq!(
            found.warnings,
            [
                "the curve turns at a score of 0.500: below it, the observed proportion falls with the score, and the fit \
                 reverses the ranking"
            ]
        );
    }

    proptest! {
        #[test]
        fn the_likelihood_equations_hold(rows in proptest::collection::vec((0.01..0.99_f64, 0..2_u8), 5..60)) {
            let (p, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let found = fit(&p, &t).expect("valid");
            prop_assert!(found.objective_after <= found.objective_before + 1e-9);
            prop_assume!(!found.warnings.iter().any(|said| said.contains("curvature was set to 0")));
            let q = found.parameters.apply(&p);
            let z = binary_logits(&p, PROB_CLIP);
            for power in 0..3 {
                let sum = |of: &dyn Fn(usize) -> f64| (0..p.len()).map(|i| z[i].powi(power) * of(i)).sum::<f64>();
                let (fitted, seen) = (sum(&|i| q[i]), sum(&|i| f64::from(t[i])));
                prop_assert!((fitted - seen).abs() < 1e-5 * (1.0 + seen.abs()), "{} {}", fitted, seen);
            }
        }
    }
}
