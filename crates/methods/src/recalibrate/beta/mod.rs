//! Beta calibration: logistic regression on ln p and −ln(1 − p).

mod entry;

pub use entry::BetaCalibration;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::logistic::weighted_logistic;
use crate::num::special::{PROB_CLIP, ln_sigmoid, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::platt::{self, PlattOptions};

/// p′ = σ(a ln p − b ln(1 − p) + c).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beta {
    /// weight of ln p, at least 0
    pub a: f64,
    /// weight of −ln(1 − p), at least 0
    pub b: f64,
    /// intercept
    pub c: f64,
}

fn inputs(p: f64) -> (f64, f64) {
    let p = p.clamp(PROB_CLIP, 1.0 - PROB_CLIP);
    (p.ln(), -(-p).ln_1p())
}

/// Fits (a, b, c) by maximum likelihood with a, b ≥ 0: a coefficient that comes out negative is set to 0 and the rest
/// fitted again, a first.
///
/// Where that likelihood has no maximum (separated or few distinct scores), a = b is fitted by Platt scaling.
/// Source: Kull, Silva Filho and Flach (2017), section 4. Errors: `empty`, `length_mismatch`.
///
/// # Examples
/// What is calibrated stays: one of four happens at 1/4, one of two at 1/2, three of four at 3/4.
///
/// ```
/// use localcal_methods::recalibrate::beta;
///
/// let p = [0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75];
/// let fit = beta::fit(&p, &[0, 0, 0, 1, 0, 1, 1, 1, 1, 0])?;
/// assert!((fit.parameters.a - 1.0).abs() < 1e-6 && (fit.parameters.b - 1.0).abs() < 1e-6);
/// assert!(fit.parameters.c.abs() < 1e-6);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: &[f64], t: &[u8]) -> Result<Fit<Beta>> {
    weighted_fit(p, t, None)
}

/// [`fit`] to rows with weights above 0. Errors as there.
pub fn weighted_fit(p: &[f64], t: &[u8], w: RowWeights) -> Result<Fit<Beta>> {
    check_weighted(p.len(), t.len(), w)?;
    let (u, v): (Vec<f64>, Vec<f64>) = p.iter().map(|&p| inputs(p)).unzip();
    let objective = |beta: Beta| {
        u.iter()
            .zip(&v)
            .zip(t)
            .enumerate()
            .map(|(i, ((u, v), &t))| {
                let z = beta.a * u + beta.b * v + beta.c;
                -weight(w, i) * ln_sigmoid(if t == 1 { z } else { -z })
            })
            .sum::<f64>()
            / total_weight(w, p.len())
    };
    let before = objective(Beta::IDENTITY);
    let done = |beta| Fit::plain(beta, before, objective(beta));
    let (mut with_a, mut with_b) = (true, true);
    loop {
        let columns: Vec<&[f64]> =
            [(with_a, &u), (with_b, &v)].iter().filter(|c| c.0).map(|c| c.1.as_slice()).collect();
        let Some(found) = weighted_logistic(&columns, None, t, w) else {
            break;
        };
        let mut slopes = found.coefficients.iter().skip(1).copied();
        let a = if with_a { slopes.next().unwrap_or(0.0) } else { 0.0 };
        let b = if with_b { slopes.next().unwrap_or(0.0) } else { 0.0 };
        if a < 0.0 {
            with_a = false;
        } else if b < 0.0 {
            with_b = false;
        } else {
            let mut fit = done(Beta { a, b, c: found.coefficients[0] });
            let zero: Vec<&str> = [(with_a, "a"), (with_b, "b")].iter().filter(|c| !c.0).map(|c| c.1).collect();
            if !zero.is_empty() {
                fit.at_bound = Some(format!("{} = 0 (lower bound)", zero.join(" = ")));
            }
            return Ok(fit);
        }
    }
    let options = PlattOptions { smoothing: false, non_negative: true, ..PlattOptions::default() };
    let tied = platt::weighted_fit(p, t, w, &options)?;
    let (slope, c) = (tied.parameters.a, tied.parameters.b);
    let mut fit = done(Beta { a: slope, b: slope, c });
    fit.at_bound = tied.at_bound;
    fit.warnings = tied.warnings;
    fit.warnings.push("the three-parameter fit has no unique maximum, so a = b was imposed".into());
    Ok(fit)
}

impl Beta {
    /// a = b = 1, c = 0: leaves probabilities as they are.
    pub const IDENTITY: Beta = Beta { a: 1.0, b: 1.0, c: 0.0 };

    /// σ(a ln p − b ln(1 − p) + c) of every probability: recalibrated probabilities, length n.
    ///
    /// * `p`: P(y = 1), length n, clipped to [ε, 1 − ε], ε = [`PROB_CLIP`]
    ///
    /// # Cost
    /// O(n).
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        p.iter()
            .map(|&p| {
                let (u, v) = inputs(p);
                sigmoid(self.a * u + self.b * v + self.c)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, near};
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (p, y) = b12();
        let found = fit(&p, &y).expect("valid");
        near(Some(found.parameters.a), 0.486_077_6, 2e-7);
        near(Some(found.parameters.b), 1.023_218_5, 2e-7);
        near(Some(found.parameters.c), -0.391_665_8, 2e-7);
        // BFGS of scipy.optimize
        near(Some(found.objective_after), 0.577_455_484_883_544_5, 1e-12);
    }

    #[test]
    fn negative_and_degenerate_fits() {
        // higher scores, fewer events: nothing but the share of events is left
        let down = fit(&[0.1, 0.2, 0.3, 0.6, 0.7, 0.9], &[1, 0, 1, 0, 1, 0]).expect("valid");
        assert!(down.parameters.a >= 0.0 && down.parameters.b >= 0.0);
        assert!(down.at_bound.is_some());
        for (p, t) in [(vec![0.5; 3], vec![0, 1, 1]), (vec![0.2, 0.8], vec![0, 1]), (vec![0.2, 0.8], vec![1, 1])] {
            let found = fit(&p, &t).expect("valid");
            let q = found.parameters.apply(&p);
            assert!(q.iter().all(|q| (0.0..=1.0).contains(q)), "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn identity_and_improvement(rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8), 2..60)) {
            let (p, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            for (a, b) in Beta::IDENTITY.apply(&p).iter().zip(&p) {
                prop_assert!((a - b).abs() < 1e-14);
            }
            let found = fit(&p, &t).expect("valid");
            prop_assert!(found.objective_after <= found.objective_before + 1e-9);
        }
    }
}
