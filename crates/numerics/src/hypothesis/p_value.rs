//! From draws of the statistic to a p-value.

use super::Null;
use crate::num::moments::mean_and_sd;

/// The observed statistic compared with the draws of a null.
#[derive(Debug, Clone, PartialEq)]
pub struct NullComparison {
    /// p-value; the reason where there is none
    pub p: std::result::Result<f64, &'static str>,
    /// mean of the draws, before any centering
    pub mean: f64,
    /// their standard deviation
    pub sd: f64,
}

/// Whether p > α is certain before all is drawn: as many of `some` draws are beyond `t` as make it so of all of them. Under
/// [`Null::PermuteCentred`] the mean of all draws is not known yet; those to come are taken to have the mean of all
/// permutations, and five standard errors more.
///
/// * `some`: the first draws
/// * `all`: how many draws there would be
/// * `expected`: mean of the statistic over all permutations
///
/// # Cost
/// O(number of draws).
///
/// # Source
/// Besag and Clifford (1991), Sequential Monte Carlo p-values.
pub(super) fn is_above(null: Null, some: &[f64], all: usize, (t, tie): (f64, f64), expected: f64, alpha: f64) -> bool {
    let shift = match null {
        Null::PermuteCentred => {
            let (mean, sd) = mean_and_sd(some);
            let (drawn, left) = (some.len() as f64, all.saturating_sub(some.len()) as f64);
            (drawn * mean + left * expected + 5.0 * sd * left.sqrt()) / all.max(1) as f64
        }
        _ => 0.0,
    };
    let beyond = |counts: &dyn Fn(f64) -> bool| some.iter().filter(|draw| counts(**draw - shift - t)).count() as f64;
    // What differs by rounding is as small.
    let alpha = alpha * (1.0 + 1e-9);
    match null {
        Null::Bernoulli => 1.0 + beyond(&|more| more >= -tie) > alpha * (all as f64 + 1.0),
        _ => beyond(&|more| more > tie) > alpha * all as f64,
    }
}

/// The p-value of the observed statistic `t`, larger counting as worse.
///
/// Bernoulli: (1 + #{T_b ≥ T}) / (N + 1). Others: max(1/N, #{T_b > T} / N), as the paper's package; under
/// [`Null::PermuteCentred`] the mean of the draws is first subtracted from them.
///
/// * `tie`: differences of at most this count as ties
/// * `no_spread`: draws whose standard deviation is at most this cannot tell anything
///
/// # Cost
/// O(number of draws).
///
/// # Source
/// Phipson and Smyth (2010), Permutation p-values should never be zero, for the one that is added.
///
/// ```
/// use localcal_numerics::hypothesis::{Null, null_comparison};
///
/// // two of four draws are as large: (1 + 2) / (4 + 1)
/// let found = null_comparison(Null::Bernoulli, &[1.0, 2.0, 3.0, 4.0], 3.0, 0.0, 0.0);
/// assert_eq!((found.p, found.mean), (Ok(0.6), 2.5));
/// ```
pub fn null_comparison(null: Null, draws: &[f64], t: f64, tie: f64, no_spread: f64) -> NullComparison {
    let n = draws.len();
    let (mean, sd) = mean_and_sd(draws);
    let p = if n == 0 {
        Err("no_draws")
    } else if sd.is_nan() || sd <= no_spread {
        Err("every_draw_is_alike")
    } else {
        let shift = if null == Null::PermuteCentred { mean } else { 0.0 };
        let beyond = |counts: &dyn Fn(f64) -> bool| draws.iter().filter(|draw| counts(**draw - shift - t)).count();
        Ok(if null == Null::Bernoulli {
            (1 + beyond(&|more| more >= -tie)) as f64 / (n + 1) as f64
        } else {
            beyond(&|more| more > tie).max(1) as f64 / n as f64
        })
    };
    NullComparison { p, mean, sd }
}
