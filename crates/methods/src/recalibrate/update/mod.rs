//! Updates for groups with shrinkage: a slope and an intercept for all, and a shift for each group that is as large as its
//! own rows can tell it from none.

mod belonging;
mod entry;
mod marginal;
#[cfg(test)]
mod tests;

pub use belonging::Belonging;
pub use entry::{ByLevel, GroupIntercept, SubgroupIntercept, SubgroupUpdate};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::special::{PROB_CLIP, ln_sigmoid, sigmoid};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::intercept;
use crate::recalibrate::logits::binary_logits;
use crate::recalibrate::platt::{self, PlattOptions};
use marginal::{Quadratic, Scale, Step};

/// What is done to the log-odds that all rows share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slope {
    /// a = 1 and b = 0: rows of no group stay as they are
    Identity,
    /// a = 1: recalibration in the large, by group
    Fixed,
    /// a is fitted: logistic recalibration, by group
    #[default]
    Free,
}

/// How an update is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UpdateOptions {
    /// whether a is fitted
    pub slope: Slope,
    /// τ, the standard deviation of the groups' shifts; none: as the calibration rows say
    pub spread: Option<f64>,
}

/// p′ = σ(a · logit p + b + Σ δ of the groups that the row lies in), δ ~ N(0, τ²).
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// slope
    pub a: f64,
    /// intercept of a row that lies in no group
    pub b: f64,
    /// δ of every group, in log-odds
    pub shifts: Vec<f64>,
    /// τ; 0 where groups differ no more than chance would make them
    pub spread: f64,
}

/// Largest τ that is tried: shifts of thirty log-odds.
const MOST_SPREAD: f64 = 10.0;
/// Steps in which τ may still change: on a few rows it may go to and fro for ever, and the smaller one then stays.
const SEARCHED: usize = 30;
/// Steps at most.
const STEPS: usize = 60;

/// Fits a, b and δ by penalized maximum likelihood, Σ w ln P(t) − Σ δ²/2τ², and τ as the calibration rows say: it is
/// the maximum of the restricted likelihood of δ in the quadratic approximation at the fit, a and b integrated out
/// (penalized quasi-likelihood). Shifts of small groups are drawn towards 0, and all are 0 where the groups differ no
/// more than chance would make them.
///
/// * `p`: n scores in [0, 1], clipped at [`PROB_CLIP`] before the logit
/// * `t`: n targets, 0 or 1; `of`: the groups that each row lies in, any number, overlapping or not
/// * with one kind of outcome, or scores that separate the two, there is no maximum: the update is then that of
///   [`intercept`] or [`platt`] at its bound, without shifts
///
/// Objectives are mean losses, nats, without the penalty.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n) a step and about ten steps; with k overlapping groups O(k³) beside it, with groups apart O(k).
///
/// # Source
/// Breslow and Clayton (1993), sections 2.2 to 2.4; recalibration of prediction models: Steyerberg (2019), section 15.3.
///
/// # Examples
/// Two wards of 400 rows that are said to happen one time in two; in the second three of four do. Of ln 3 apart, each
/// takes nearly half.
///
/// ```
/// use localcal_methods::recalibrate::update::{Belonging, Slope, UpdateOptions, fit};
///
/// let (p, t): (Vec<f64>, Vec<u8>) = (0..800).map(|i| (0.5, u8::from(i % 2 == 0 || i >= 400 && i % 4 == 1))).unzip();
/// let wards: Vec<u32> = (0..800).map(|i| i / 400).collect();
/// let options = UpdateOptions { slope: Slope::Fixed, spread: None };
/// let update = fit(&p, &t, None, &Belonging::of_codes(&wards, 2), &options)?.parameters;
/// assert!((update.shifts[0] + update.shifts[1]).abs() < 1e-3);
/// assert!((update.b + update.shifts[1] - 3.0_f64.ln()).abs() < 0.05);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: &[f64], t: &[u8], w: RowWeights, of: &Belonging, options: &UpdateOptions) -> Result<Fit<Update>> {
    check_weighted(p.len(), t.len(), w)?;
    check_lengths(p.len(), of.rows())?;
    let shared = match options.slope {
        Slope::Identity => {
            let before = intercept::weighted_fit(p, t, w)?.objective_before;
            Fit::plain((1.0, 0.0), before, before)
        }
        Slope::Fixed => intercept::weighted_fit(p, t, w)?.map(|fit| (1.0, fit.b)),
        Slope::Free => {
            let likeliest = PlattOptions { smoothing: false, ..PlattOptions::default() };
            platt::weighted_fit(p, t, w, &likeliest)?.map(|fit| (fit.a, fit.b))
        }
    };
    let (a, b) = shared.parameters;
    let without = |spread| Update { a, b, shifts: vec![0.0; of.groups()], spread };
    let one_outcome = t.iter().all(|&other| Some(&other) == t.first());
    if shared.at_bound.is_some() || one_outcome || options.spread == Some(0.0) {
        return Ok(shared.map(|_| without(0.0)));
    }
    let problem = Problem::new(p, t, w, of, options.slope, a);
    let (update, still) = problem.update(options.spread, b);
    let n = total_weight(w, t.len());
    let mut fit = Fit::plain(update, shared.objective_before, 0.0);
    fit.objective_after = -problem.log_likelihood(&fit.parameters) / n;
    if fit.parameters.spread >= MOST_SPREAD && options.spread.is_none() {
        fit.at_bound = Some(format!("spread {MOST_SPREAD} (upper bound)"));
    }
    if !still {
        fit.warnings.push(format!("the fit stopped after {STEPS} steps without converging"));
    }
    if fit.parameters.a < 0.0 {
        fit.warnings.push(
            "the slope is negative: on the calibration rows, the observed proportion falls with the score, and the fit \
             reverses the ranking"
                .into(),
        );
    }
    Ok(fit)
}

/// The rows, with log-odds centered and scaled, so that both directions are of one size.
struct Problem<'a> {
    /// logit p
    z: Vec<f64>,
    t: &'a [u8],
    w: RowWeights<'a>,
    of: &'a Belonging,
    /// whether b is fitted
    common: bool,
    /// whether a is fitted, which it cannot be where all scores are the same
    free: bool,
    /// a where it is not fitted
    fixed: f64,
    mean: f64,
    scale: f64,
}

impl<'a> Problem<'a> {
    fn new(p: &[f64], t: &'a [u8], w: RowWeights<'a>, of: &'a Belonging, slope: Slope, a: f64) -> Self {
        let z = binary_logits(p, PROB_CLIP);
        let n = total_weight(w, z.len());
        let mean = z.iter().enumerate().map(|(i, z)| weight(w, i) * z).sum::<f64>() / n;
        let squares = z.iter().enumerate().map(|(i, z)| weight(w, i) * (z - mean).powi(2));
        let scale = (squares.sum::<f64>() / n).sqrt();
        let free = slope == Slope::Free && z.iter().any(|other| Some(other) != z.first());
        let common = slope != Slope::Identity;
        Self { z, t, w, of, common, free, fixed: a, mean, scale: if scale > 0.0 { scale } else { 1.0 } }
    }

    /// Newton's method on the penalized likelihood; before every step τ is chosen anew, until it settles. From
    /// σ(fixed · logit p + b) without shifts. Whether the last steps left it where it is.
    fn update(&self, spread: Option<f64>, b: f64) -> (Update, bool) {
        let slope = if self.free { self.fixed } else { 0.0 };
        let shared = if self.common { vec![b + slope * self.mean] } else { Vec::new() };
        let mut at = Step { shared, shifts: vec![0.0; self.of.groups()] };
        if self.free {
            at.shared.push(slope * self.scale);
        }
        let mut value = self.value(&at);
        let mut tau = Scale::of(spread.unwrap_or(0.0));
        let (mut settled, mut still) = (spread.is_some(), false);
        for step in 0..STEPS {
            let Some(quadratic) = self.quadratic(&at) else { break };
            let before = tau;
            if !settled {
                tau = quadratic.likeliest(MOST_SPREAD);
                if step == SEARCHED {
                    (tau, settled) = (tau.smaller(before), true);
                }
            }
            let Some(mut next) = quadratic.best(tau) else { break };
            let from = value - at.penalty(tau);
            let mut reached = self.value(&next);
            for _ in 0..30 {
                // A step from shifts that τ = 0 does not allow has nothing to be measured against.
                if from == f64::NEG_INFINITY || reached - next.penalty(tau) >= from - 1e-9 * from.abs() {
                    break;
                }
                next = next.halfway(&at);
                reached = self.value(&next);
            }
            let moved = next.distance(&at);
            (at, value) = (next, reached);
            // The error of a step is the square of the one before.
            if settled && moved < 1e-9 {
                still = true;
                break;
            }
            settled |= moved < 1e-7 && before.distance(tau) < 1e-6;
        }
        let (slope, scaled) = match at.shared.get(1) {
            Some(scaled) => (scaled / self.scale, scaled / self.scale * self.mean),
            None => (self.fixed, 0.0),
        };
        let b = at.shared.first().copied().unwrap_or(0.0) - scaled;
        (Update { a: slope, b, shifts: at.shifts, spread: tau.spread() }, still)
    }

    /// η of every row, as `each(row, η, standardized logit)`.
    fn each(&self, at: &Step, mut each: impl FnMut(usize, f64, f64)) {
        let shifts = self.of.sums(&at.shifts);
        let (constant, slope) = (at.shared.first().copied().unwrap_or(0.0), at.shared.get(1).copied());
        for (i, (&z, &pattern)) in self.z.iter().zip(&self.of.pattern).enumerate() {
            let x = (z - self.mean) / self.scale;
            let known = slope.map_or(self.fixed * z, |slope| slope * x);
            each(i, known + constant + shifts.get(pattern as usize).copied().unwrap_or(0.0), x);
        }
    }

    /// Σ w ln P(t).
    fn value(&self, at: &Step) -> f64 {
        let mut value = 0.0;
        self.each(at, |i, eta, _| value += weight(self.w, i) * ln_sigmoid(if self.t[i] == 1 { eta } else { -eta }));
        value
    }

    fn log_likelihood(&self, update: &Update) -> f64 {
        let shifts = self.of.sums(&update.shifts);
        let eta = self
            .z
            .iter()
            .zip(&self.of.pattern)
            .map(|(z, &k)| update.a * z + update.b + shifts.get(k as usize).copied().unwrap_or(0.0));
        let loss = |(i, eta): (usize, f64)| weight(self.w, i) * ln_sigmoid(if self.t[i] == 1 { eta } else { -eta });
        eta.enumerate().map(loss).sum()
    }

    /// Gradient and curvature of the log-likelihood.
    fn quadratic(&self, at: &Step) -> Option<Quadratic> {
        // Σ w r, Σ w r x, Σ w v, Σ w v x, Σ w v x² of the rows that lie in the same groups
        let mut sums = vec![[0.0; 5]; self.of.members.len()];
        self.each(at, |i, eta, x| {
            let (p, w) = (sigmoid(eta), weight(self.w, i));
            let (r, v) = (w * (f64::from(self.t[i]) - p), w * (p * (1.0 - p)));
            if let Some(sums) = sums.get_mut(self.of.pattern[i] as usize) {
                for (sum, term) in sums.iter_mut().zip([r, r * x, v, v * x, v * x * x]) {
                    *sum += term;
                }
            }
        });
        Quadratic::new(at, &sums, self.of)
    }
}

impl Update {
    /// σ(a logit p + b + δ) of every probability; p itself, to the bit, where that is the identity. Length n.
    ///
    /// * `p`: P(y = 1), length n, clipped to [ε, 1 − ε], ε = [`PROB_CLIP`]
    /// * `shift`: δ of every row, the sum over its groups, in log-odds; rows beyond its end are left out
    ///
    /// # Cost
    /// O(n).
    pub fn apply(&self, p: &[f64], shift: impl Iterator<Item = f64>) -> Vec<f64> {
        moved(p, self.a, self.b, shift)
    }
}

/// σ(a · logit p + b + shift) of every row; p itself, to the bit, where that is the identity.
fn moved(p: &[f64], a: f64, b: f64, shift: impl Iterator<Item = f64>) -> Vec<f64> {
    let logits = binary_logits(p, PROB_CLIP);
    let rows = p.iter().zip(&logits).zip(shift);
    let stays = |shift: f64| a == 1.0 && b + shift == 0.0;
    rows.map(|((p, z), shift)| if stays(shift) { *p } else { sigmoid(a * z + b + shift) }).collect()
}
