//! From draws of the statistic to a p-value.

use super::Null;
use crate::num::moments::mean_and_sd;

/// Where the observed statistic stands among the draws of a null.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// p-value; the reason where there is none
    pub p: std::result::Result<f64, &'static str>,
    /// mean of the draws, before any centring
    pub mean: f64,
    /// their standard deviation
    pub sd: f64,
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
/// use localcal::hypothesis::{Null, standing};
///
/// // two of four draws are as large: (1 + 2) / (4 + 1)
/// let found = standing(Null::Bernoulli, &[1.0, 2.0, 3.0, 4.0], 3.0, 0.0, 0.0);
/// assert_eq!((found.p, found.mean), (Ok(0.6), 2.5));
/// ```
pub fn standing(null: Null, draws: &[f64], t: f64, tie: f64, no_spread: f64) -> Standing {
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
    Standing { p, mean, sd }
}
