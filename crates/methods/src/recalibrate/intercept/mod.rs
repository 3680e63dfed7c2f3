//! Recalibration in the large: the same shift of every log-odds, so that as many events are expected as were seen.

mod entry;

pub use entry::Intercept;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::logistic::weighted_logistic;
use crate::num::special::{PROB_CLIP, ln_sigmoid, logit, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::binary_logits;

/// p′ = σ(logit p + b).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// b; above 0 where events are more frequent than the scores say
    pub b: f64,
}

/// Fits b by maximum likelihood: the only shift after which the mean of p′ is the share of events, Σ p′ = Σ t.
///
/// * `p`: n scores in [0, 1], clipped at [`PROB_CLIP`] before the logit
/// * `t`: n targets, 0 or 1
///
/// With one kind of outcome there is no maximum; b then stops at the log-odds of the clip, ±36.04.
///
/// Sources: Cox (1958), "Two further applications of a model for binary regression"; Steyerberg (2019), *Clinical
/// Prediction Models*, section 15.3.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n) a step of Newton's method, about 6 steps.
///
/// # Examples
/// Half of the rows happen where the scores say one in four: odds of 1/3 become 1, so b = ln 3.
///
/// ```
/// use localcal_methods::recalibrate::intercept;
///
/// let fit = intercept::fit(&[0.25; 4], &[0, 1, 0, 1])?;
/// assert!((fit.parameters.b - 3.0_f64.ln()).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: &[f64], t: &[u8]) -> Result<Fit<Shift>> {
    weighted_fit(p, t, None)
}

/// [`fit`] to rows with weights above 0: Σ w p′ = Σ w t. Errors as there.
pub fn weighted_fit(p: &[f64], t: &[u8], w: RowWeights) -> Result<Fit<Shift>> {
    check_weighted(p.len(), t.len(), w)?;
    let z = binary_logits(p, PROB_CLIP);
    let nll = |b: f64| {
        let of = |i: usize| weight(w, i) * ln_sigmoid(if t[i] == 1 { z[i] + b } else { -(z[i] + b) });
        -(0..z.len()).map(of).sum::<f64>() / total_weight(w, z.len())
    };
    let done = |b: f64| Fit::plain(Shift { b }, nll(0.0), nll(b));
    if let Some(found) = weighted_logistic(&[], Some(&z), t, w)
        && let Some(&b) = found.coefficients.first()
    {
        return Ok(done(b));
    }
    let b = logit(if t.contains(&1) { 1.0 } else { 0.0 }, PROB_CLIP);
    let mut fit = done(b);
    fit.at_bound = Some(format!("shift {b:.2}"));
    fit.warnings.push("only one outcome in the calibration rows: the shift is at its bound".into());
    Ok(fit)
}

impl Shift {
    /// σ(logit p + b) of every probability: recalibrated probabilities, length n.
    ///
    /// * `p`: P(y = 1), length n, clipped to [ε, 1 − ε], ε = [`PROB_CLIP`]
    ///
    /// # Cost
    /// O(n).
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        p.iter().map(|&p| sigmoid(logit(p, PROB_CLIP) + self.b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::near;
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        // Half happen where one in four was expected: odds of 1/3 become 1.
        let found = fit(&[0.25; 4], &[0, 1, 0, 1]).expect("valid");
        near(Some(found.parameters.b), 3.0_f64.ln(), 1e-12);
        near(Some(found.objective_after), 2.0_f64.ln(), 1e-12);
        // A row with weight 3 is three rows.
        let weighed = weighted_fit(&[0.25; 2], &[0, 1], Some(&[1.0, 3.0])).expect("valid");
        near(Some(weighed.parameters.b), 9.0_f64.ln(), 1e-12);
        near(Some(weighed.parameters.apply(&[0.25])[0]), 0.75, 1e-12);
    }

    #[test]
    fn agrees_with_statsmodels() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../../../tests/golden/intercept.json")).expect("JSON");
        let numbers = |key: &str| -> Vec<f64> {
            golden[key].as_array().expect("a list").iter().filter_map(serde_json::Value::as_f64).collect()
        };
        let (p, w) = (numbers("p"), numbers("w"));
        let t: Vec<u8> = numbers("y").iter().map(|&y| y as u8).collect();
        let fits = [("plain", fit(&p, &t)), ("weighted", weighted_fit(&p, &t, Some(&w)))];
        for (key, found) in fits {
            let found = found.expect("valid");
            near(Some(found.parameters.b), golden[key]["b"].as_f64().expect("a number"), 1e-10);
            near(Some(found.objective_after), golden[key]["nll"].as_f64().expect("a number"), 1e-13);
        }
    }

    #[test]
    fn one_kind_of_outcome_stays_finite() {
        for (t, sign) in [([1, 1, 1], 1.0), ([0, 0, 0], -1.0)] {
            let found = fit(&[0.1, 0.5, 1.0], &t).expect("valid");
            assert!(found.at_bound.is_some() && found.parameters.b * sign > 36.0, "{found:?}");
            assert!(found.objective_after < found.objective_before);
        }
        assert_eq!(fit(&[], &[]).map_err(|error| error.code()).err(), Some("empty"));
    }

    proptest! {
        #[test]
        fn as_many_events_are_expected_as_seen(rows in proptest::collection::vec((0.01..0.99_f64, 0..2_u8), 3..60)) {
            let (p, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let found = fit(&p, &t).expect("valid");
            prop_assert!(found.objective_after <= found.objective_before + 1e-12);
            prop_assume!(found.at_bound.is_none());
            let expected: f64 = found.parameters.apply(&p).iter().sum();
            let seen: f64 = t.iter().map(|&t| f64::from(t)).sum();
            prop_assert!((expected - seen).abs() < 1e-6, "{} {}", expected, seen);
            // The order stays, and what was calibrated in the large stays as it is.
            let again = fit(&found.parameters.apply(&p), &t).expect("valid");
            prop_assert!(again.parameters.b.abs() < 1e-6);
        }
    }
}
