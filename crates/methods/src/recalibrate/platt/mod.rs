//! Platt scaling: logistic regression of the target on the log-odds of the score.

mod entry;

pub use entry::PlattScaling;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::optimize::newton_over_rows;
use crate::num::special::{PROB_CLIP, log_loss_of_log_odds, logit, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;

/// What the slope multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlattInput {
    /// logit(p)
    #[default]
    Logit,
    /// p itself
    RawProb,
}

impl PlattInput {
    fn is_logit(&self) -> bool {
        *self == Self::Logit
    }
}

/// p′ = σ(a·u + b).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// slope; negative when higher scores mean fewer events
    pub a: f64,
    /// intercept
    pub b: f64,
    /// u: logit(p) unless said otherwise
    #[serde(default, skip_serializing_if = "PlattInput::is_logit")]
    pub input: PlattInput,
}

/// How the two numbers are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlattOptions {
    /// u
    pub input: PlattInput,
    /// targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0
    pub smoothing: bool,
    /// λ of ½λa² added to the *sum* of losses; 1 is scikit-learn's C = 1
    pub ridge: f64,
    /// a ≥ 0: never turn the order round
    pub non_negative: bool,
    /// clip of probabilities before the logit
    pub prob_clip: f64,
}

impl Default for PlattOptions {
    fn default() -> Self {
        Self { input: PlattInput::Logit, smoothing: true, ridge: 0.0, non_negative: false, prob_clip: PROB_CLIP }
    }
}

/// Largest |a|: where the scores separate the targets, the likelihood has no maximum.
const STEEPEST: f64 = 1e4;

/// Fits (a, b) by maximum likelihood (Newton's method from the identity).
///
/// The objective is the mean NLL of the (smoothed) targets, without the ridge.
/// Source: Platt (1999); numerics after Lin, Lin and Weng (2007).
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Examples
/// Half happen at 1/4, three of four at 3/4: log-odds −ln 3 and ln 3 become 0 and ln 3, so a = 1/2, b = ½ ln 3.
///
/// ```
/// use localcal_methods::recalibrate::platt::{PlattOptions, fit};
///
/// let (p, t) = ([0.25, 0.25, 0.75, 0.75, 0.75, 0.75], [0, 1, 1, 1, 1, 0]);
/// let fit = fit(&p, &t, &PlattOptions { smoothing: false, ..PlattOptions::default() })?;
/// assert!((fit.parameters.a - 0.5).abs() < 1e-9);
/// assert!((fit.parameters.b - 0.5 * 3.0_f64.ln()).abs() < 1e-9);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: &[f64], t: &[u8], options: &PlattOptions) -> Result<Fit<Platt>> {
    weighted_fit(p, t, None, options)
}

/// [`fit`] to rows with weights above 0: sums of weights stand for numbers of rows, also in the smoothed targets. Errors
/// as there.
pub fn weighted_fit(p: &[f64], t: &[u8], w: RowWeights, options: &PlattOptions) -> Result<Fit<Platt>> {
    check_weighted(p.len(), t.len(), w)?;
    let u: Vec<f64> = p.iter().map(|&p| input(p, options.input, options.prob_clip)).collect();
    Ok(fit_inputs(&u, t, w, options))
}

/// [`fit`] on given log-odds (or any other input, taken as it stands). Errors as there.
pub fn fit_logits(z: &[f64], t: &[u8], options: &PlattOptions) -> Result<Fit<Platt>> {
    check_lengths(z.len(), t.len())?;
    Ok(fit_inputs(z, t, None, options))
}

fn input(p: f64, kind: PlattInput, clip: f64) -> f64 {
    match kind {
        PlattInput::Logit => logit(p, clip),
        PlattInput::RawProb => p,
    }
}

fn fit_inputs(u: &[f64], t: &[u8], w: RowWeights, options: &PlattOptions) -> Fit<Platt> {
    let n = total_weight(w, u.len());
    let sum = |x: &dyn Fn(usize) -> f64| -> f64 { (0..u.len()).map(|i| weight(w, i) * x(i)).sum() };
    let events = sum(&|i| f64::from(t[i]));
    let (high, low) =
        if options.smoothing { ((events + 1.0) / (events + 2.0), 1.0 / (n - events + 2.0)) } else { (1.0, 0.0) };
    let targets: Vec<f64> = t.iter().map(|&t| if t == 1 { high } else { low }).collect();
    let objective = |a: f64, b: f64| sum(&|i| log_loss_of_log_odds(a * u[i] + b, targets[i])) / n;
    let platt = |a, b| Platt { a, b, input: options.input };
    let before = match options.input {
        PlattInput::Logit => objective(1.0, 0.0),
        // The identity is not in this family: the loss of the scores themselves.
        PlattInput::RawProb => {
            sum(&|i| {
                let (p, t) = (u[i], targets[i]);
                -(t * p.max(PROB_CLIP).ln() + (1.0 - t) * (1.0 - p).max(PROB_CLIP).ln())
            }) / n
        }
    };
    let done = |a: f64, b: f64| Fit::plain(platt(a, b), before, objective(a, b));

    let first = u[0];
    let constant = logit(sum(&|i| targets[i]) / n, PROB_CLIP);
    if u.iter().all(|&v| v == first) {
        let mut fit = done(0.0, constant);
        fit.warnings.push("all scores are equal: the fit is the event rate".into());
        return fit;
    }
    if !options.smoothing && t.iter().all(|&other| other == t[0]) {
        let mut fit = done(0.0, constant);
        fit.warnings.push("only one outcome in the calibration rows: the fit is constant".into());
        return fit;
    }
    let unbounded = !options.smoothing && options.ridge == 0.0;
    if let Some((sign, cut)) = unbounded.then(|| separation(u, t)).flatten() {
        if sign < 0.0 && options.non_negative {
            return no_slope(done(0.0, constant));
        }
        let a = sign * STEEPEST;
        let mut fit = done(a, -a * cut);
        fit.at_bound = Some(format!("slope {a}"));
        fit.warnings.push("the scores separate the two outcomes perfectly: the slope is at its bound".into());
        return fit;
    }
    let Newton { a, b, converged, steps } = newton(u, t, w, &targets, options.ridge, constant);
    if options.non_negative && a < 0.0 {
        return no_slope(done(0.0, constant));
    }
    let mut fit = done(a, b);
    if !converged {
        fit.warnings.push(format!("Newton's method stopped after {steps} steps without converging"));
    }
    if a < 0.0 {
        fit.warnings.push(
            "the slope is negative: on the calibration rows, the observed proportion falls with the score, and the fit \
             reverses the ranking"
                .into(),
        );
    }
    fit
}

/// Where Newton's method ended.
struct Newton {
    a: f64,
    b: f64,
    converged: bool,
    steps: usize,
}

/// The slope and intercept that minimize the mean log loss of `targets` plus the penalty on the slope; `constant`: the
/// intercept to start from.
fn newton(u: &[f64], t: &[u8], w: RowWeights, targets: &[f64], ridge: f64, constant: f64) -> Newton {
    let n = total_weight(w, u.len());
    let sum = |x: &dyn Fn(usize) -> f64| -> f64 { (0..u.len()).map(|i| weight(w, i) * x(i)).sum() };
    // Centered and scaled, the two directions are of one size and Newton is safe from u = ±36 beside u = 0.
    let mean = sum(&|i| u[i]) / n;
    let scale = (sum(&|i| (u[i] - mean).powi(2)) / n).sqrt();
    let ridge = ridge / (scale * scale);
    let solution = newton_over_rows(
        t,
        |step, x, g, h| {
            g.fill(0.0);
            h.fill(0.0);
            let mut value = 0.0;
            for (i, (u, t)) in u.iter().zip(targets).enumerate().step_by(step) {
                let v = (u - mean) / scale;
                let z = x[0] * v + x[1];
                let p = sigmoid(z);
                let weight = weight(w, i);
                value += weight * log_loss_of_log_odds(z, *t);
                let (r, c) = (weight * (p - t), weight * (p * (1.0 - p)));
                g[0] += r * v;
                g[1] += r;
                h[0] += c * v * v;
                h[1] += c * v;
                h[3] += c;
            }
            g[0] += ridge * x[0];
            h[0] += ridge;
            value += 0.5 * ridge * x[0] * x[0];
            h[2] = h[1];
            g.iter_mut().for_each(|v| *v /= n);
            h.iter_mut().for_each(|v| *v /= n);
            value / n
        },
        &[0.0, constant],
        200,
    );
    let a = solution.x[0] / scale;
    Newton { a, b: solution.x[1] - a * mean, converged: solution.converged, steps: solution.steps }
}

fn no_slope(mut fit: Fit<Platt>) -> Fit<Platt> {
    fit.at_bound = Some("slope 0 (lower bound)".into());
    fit.warnings.push("a negative slope is not allowed: the fit is the event rate".into());
    fit
}

/// Sign of the slope and the cut, when no non-event lies above (or below) any event.
fn separation(u: &[f64], t: &[u8]) -> Option<(f64, f64)> {
    let mut range = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    for (&u, &t) in u.iter().zip(t) {
        let r = &mut range[usize::from(t == 1)];
        *r = (r.0.min(u), r.1.max(u));
    }
    let [non_events, events] = range;
    if non_events.1 <= events.0 {
        Some((1.0, 0.5 * (non_events.1 + events.0)))
    } else if events.1 <= non_events.0 {
        Some((-1.0, 0.5 * (events.1 + non_events.0)))
    } else {
        None
    }
}

impl Platt {
    /// a = 1, b = 0: leaves probabilities as they are.
    pub const IDENTITY: Platt = Platt { a: 1.0, b: 0.0, input: PlattInput::Logit };

    /// σ(a u + b) of every probability: recalibrated probabilities, length n. u is p or logit p, by [`PlattInput`].
    ///
    /// * `p`: P(y = 1), length n, clipped to [ε, 1 − ε], ε = [`PROB_CLIP`] before a logit
    ///
    /// # Cost
    /// O(n).
    pub fn apply(&self, p: &[f64]) -> Vec<f64> {
        p.iter().map(|&p| sigmoid(self.a * input(p, self.input, PROB_CLIP) + self.b)).collect()
    }

    /// σ(a z + b) of every log-odds z: recalibrated probabilities, length n. For [`PlattInput::Logit`].
    ///
    /// # Cost
    /// O(n).
    pub fn apply_logits(&self, z: &[f64]) -> Vec<f64> {
        z.iter().map(|z| sigmoid(self.a * z + self.b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, f8_top, near};
    use proptest::prelude::*;

    fn ml() -> PlattOptions {
        PlattOptions { smoothing: false, ..PlattOptions::default() }
    }

    #[test]
    fn worked_values() {
        // Printed from an optimum that is loose in the eighth digit.
        let (p, y) = b12();
        let found = fit(&p, &y, &ml()).expect("valid");
        near(Some(found.parameters.a), 0.741_438_01, 1.5e-7);
        // scipy.optimize.root on the likelihood equations: 0.06656676 (a looser optimum prints …74)
        near(Some(found.parameters.b), 0.066_566_76, 1.5e-7);
        near(Some(found.objective_after), 0.578_833_69, 1.5e-7);
        let (c, a) = f8_top();
        let smoothed = fit(&c, &a, &PlattOptions::default()).expect("valid").parameters;
        near(Some(smoothed.a), -0.022_300_28, 1.5e-7);
        near(Some(smoothed.b), 0.961_441_71, 1.5e-7);
        let raw = PlattOptions { input: PlattInput::RawProb, ..ml() };
        let found = fit(&c, &a, &raw).expect("valid").parameters;
        near(Some(found.a), -1.276_404_43, 1.5e-7);
        near(Some(found.b), 1.992_381, 5e-7);
        let found = fit(&c, &a, &PlattOptions { ridge: 1.0, ..raw }).expect("valid").parameters;
        near(Some(found.a), -0.070_772_05, 1.5e-7);
        near(Some(found.b), 1.147_317_97, 1.5e-7);
        let found = fit(&c, &a, &PlattOptions { non_negative: true, ..PlattOptions::default() }).expect("valid");
        assert_eq!(found.parameters.a, 0.0);
        assert!(found.at_bound.is_some());
    }

    #[test]
    fn separation_and_single_outcomes_stay_finite() {
        let found = fit(&[0.1, 0.2, 0.8, 0.9], &[0, 0, 1, 1], &ml()).expect("valid");
        assert_eq!(found.parameters.a, STEEPEST);
        assert!(found.at_bound.is_some() && found.objective_after < 1e-12);
        let smoothed = fit(&[0.1, 0.2, 0.8, 0.9], &[0, 0, 1, 1], &PlattOptions::default()).expect("valid");
        assert!(smoothed.parameters.a.abs() < 100.0);
        for options in [ml(), PlattOptions::default()] {
            let found = fit(&[0.1, 0.2, 0.8], &[1, 1, 1], &options).expect("valid");
            assert!(found.parameters.a.is_finite() && found.parameters.b.is_finite(), "{found:?}");
        }
        let equal = fit(&[0.3; 4], &[0, 1, 1, 1], &ml()).expect("valid");
        near(Some(equal.parameters.apply(&[0.3])[0]), 0.75, 1e-12);
    }

    #[test]
    fn parameters_read_as_a_and_b() {
        assert_eq!(serde_json::to_string(&Platt::IDENTITY).expect("serialises"), r#"{"a":1.0,"b":0.0}"#);
    }

    proptest! {
        #[test]
        fn the_likelihood_equations_hold(rows in proptest::collection::vec((0.01..0.99_f64, 0..2_u8), 3..60)) {
            let (p, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let found = fit(&p, &t, &ml()).expect("valid");
            prop_assert!(found.objective_after <= found.objective_before + 1e-9);
            prop_assume!(found.at_bound.is_none());
            let q = found.parameters.apply(&p);
            for x in [&|_: f64| 1.0, &|p: f64| logit(p, PROB_CLIP)] as [&dyn Fn(f64) -> f64; 2] {
                let fitted: f64 = p.iter().zip(&q).map(|(&p, q)| x(p) * q).sum();
                let seen: f64 = p.iter().zip(&t).map(|(&p, &t)| x(p) * f64::from(t)).sum();
                prop_assert!((fitted - seen).abs() < 1e-6, "{} {}", fitted, seen);
            }
        }

        #[test]
        fn the_identity_changes_nothing(p in proptest::collection::vec(0.0..=1.0_f64, 1..20)) {
            for (a, b) in Platt::IDENTITY.apply(&p).iter().zip(&p) {
                prop_assert!((a - b).abs() < 1e-14);
            }
        }
    }
}
