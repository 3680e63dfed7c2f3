//! Ridge-local recalibration: a correction of the log-odds by what happened to rows nearby, held back by a ridge so that a
//! few rows cannot move it far.
//!
//! LoRe's kernel mean is as noisy as the few rows behind it, and its confidence bins leave most rows unused. Here every
//! calibration row counts, only the *difference* from a base is estimated, and where nothing local can be told apart from
//! noise the base stays.

mod entry;
#[cfg(test)]
mod tests;
mod validated;

pub use entry::{RidgeLocal, RidgeLocalFit};
pub use validated::{Grid, Setting, Space, cross_validated};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::kernel::{Kernel, Part, Points, sums_of_fit};
use crate::num::check_lengths;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::recalibrate::platt::{self, Platt, PlattOptions};

/// What the local correction is made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// the score as it is
    None,
    /// σ(a · logit s + b) with the largest likelihood
    Platt,
}

impl Base {
    /// As requests and stored calibrators write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Platt => "platt",
        }
    }

    /// Its curve on some rows: a = 1 and b = 0 for [`Base::None`].
    ///
    /// # Errors
    /// `empty`, `length_mismatch`.
    pub fn fit(self, s: &[f64], t: &[u8]) -> Result<Platt> {
        match self {
            Self::None => Ok(Platt::IDENTITY),
            Self::Platt => {
                let ml = PlattOptions { smoothing: false, ..PlattOptions::default() };
                Ok(platt::fit(s, t, &ml)?.parameters)
            }
        }
    }
}

/// Log-odds of the base, a · logit s + b.
pub fn base_log_odds(base: &Platt, s: f64) -> f64 {
    base.a * logit(s, PROB_CLIP) + base.b
}

/// What a row adds to the two sums of the correction at its own place.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pull {
    /// r = t − g
    residual: f64,
    /// w = g (1 − g)
    information: f64,
}

fn pull(base: &Platt, s: f64, t: u8) -> Pull {
    let g = sigmoid(base_log_odds(base, s));
    Pull { residual: f64::from(t) - g, information: g * (1.0 - g) }
}

/// Σ k r / (Σ k w + κ); 0 where nothing is known and no ridge was asked for.
fn shift(residual: f64, information: f64, kappa: f64) -> f64 {
    let held = information + kappa;
    if held > 0.0 { residual / held } else { 0.0 }
}

/// Calibration rows: scores, targets 0 or 1, standardized places, and the curve of the base on them.
#[derive(Debug, Clone, Copy)]
pub struct RidgeRows<'a> {
    /// s
    pub score: &'a [f64],
    /// t
    pub target: &'a [u8],
    /// x, in units of the standard deviation of each coordinate
    pub at: Points<'a>,
    /// g = σ(a · logit s + b)
    pub base: Platt,
}

/// c′(x) = σ(logit g(x) + δ(x)) with δ(x) = Σ k(x, x_i) r_i / (Σ k(x, x_i) w_i + κ) over all calibration rows,
/// r = t − g, w = g (1 − g), k = exp(−‖x − x_i‖₁ / (d γ)): one Newton step of a local intercept with ridge κ, on the scale
/// of log-odds.
///
/// κ → ∞ is the base; κ = 0 and γ → ∞ one step of an intercept for all rows.
///
/// * `s`, `at`: one entry per new row
///
/// # Errors
/// `length_mismatch`; `invalid_option` for a bandwidth that is not a positive number.
///
/// # Cost
/// As [`sums_of_fit`] with two right-hand sides: O(n log n) in up to two dimensions.
///
/// # Source
/// After Luo et al. (2022), whose kernel mean it shrinks; local likelihood: Tibshirani and Hastie (1987).
///
/// # Examples
/// Eight rows of which five happened; the first, right at .90, lies beside two that were right and one that was wrong.
///
/// ```
/// use localcal_methods::kernel::Points;
/// use localcal_methods::recalibrate::lore_ridge::{Base, RidgeRows, recalibrated};
///
/// let score = [0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95];
/// let target = [1, 1, 0, 1, 1, 0, 1, 1];
/// let x = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];
/// // both coordinates have this standard deviation
/// let x = x.map(|x| x / 1.1575161985907585);
/// let rows = RidgeRows { score: &score, target: &target, at: Points::row_major(2, &x)?, base: Base::None.fit(&score, &target)? };
/// let found = recalibrated(&rows, &[0.90], Points::row_major(2, &x[..2])?, 0.4, 3.0)?;
/// assert!((found[0] - 0.902416).abs() < 1e-6);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn recalibrated(rows: &RidgeRows, s: &[f64], at: Points, gamma: f64, kappa: f64) -> Result<Vec<f64>> {
    check_lengths(rows.score.len(), rows.target.len())?;
    check_lengths(rows.score.len(), rows.at.n())?;
    if s.is_empty() {
        return Ok(Vec::new());
    }
    check_lengths(s.len(), at.n())?;
    let each = rows.score.iter().zip(rows.target).map(|(&s, &t)| pull(&rows.base, s, t));
    let sides: Vec<f64> = each.flat_map(|pull| [pull.residual, pull.information]).collect();
    let sums = sums_of_fit(at, rows.at, &sides, 2, Kernel::Laplacian { gamma }, false, Part::WHOLE)?;
    let (means, _) = sums.mean.as_chunks::<2>();
    let each = s.iter().zip(means.iter().zip(&sums.mass));
    let moved = each.map(|(&s, ([residual, information], mass))| {
        sigmoid(base_log_odds(&rows.base, s) + shift(residual * mass, information * mass, kappa))
    });
    Ok(moved.collect())
}
