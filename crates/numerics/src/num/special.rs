//! Functions of probabilities and log-odds that neither overflow nor cancel.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

/// Clip of probabilities before a logarithm or logit: the machine epsilon of f64.
pub const PROB_CLIP: f64 = f64::EPSILON;

/// σ(x) = 1/(1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let e = exp_nonpositive(-x.abs());
    let share = 1.0 / (1.0 + e);
    if x >= 0.0 { share } else { e * share }
}

/// ln σ(x) = −ln(1 + e⁻ˣ), finite for every finite x.
#[inline]
pub fn ln_sigmoid(x: f64) -> f64 {
    x.min(0.0) - exp_nonpositive(-x.abs()).ln_1p()
}

/// −t ln σ(z) − (1 − t) ln σ(−z) = ln(1 + eᶻ) − t z: the log loss of log-odds z where a share t happened.
#[inline]
pub fn log_loss_of_log_odds(z: f64, t: f64) -> f64 {
    exp_nonpositive(-z.abs()).ln_1p() + (z.max(0.0) - t * z)
}

/// ln(p/(1 − p)) with p clipped to [clip, 1 − clip].
///
/// ```
/// use localcal_numerics::num::special::{PROB_CLIP, logit, sigmoid};
///
/// // odds of 3
/// assert!((logit(0.75, PROB_CLIP) - f64::ln(3.0)).abs() < 1e-12);
/// assert!((sigmoid(f64::ln(3.0)) - 0.75).abs() < 1e-12);
/// ```
#[inline]
pub fn logit(p: f64, clip: f64) -> f64 {
    let p = p.clamp(clip, 1.0 - clip);
    (p / (1.0 - p)).ln()
}

/// exp(x) for x ≤ 0 to about one unit in the last place; 0 below −708.
///
/// Without branches or tables, so that loops over it become vector code, and without the system's mathematical
/// library, so that it gives the same bits everywhere. Range reduction x = k ln 2 + r, Taylor polynomial of degree 13
/// on |r| ≤ ½ ln 2. NaN remains NaN. Sums of kernels have an exponential of their own, [`decay_lanes`], with other
/// requirements.
///
/// [`decay_lanes`]: crate::kernel::decay_lanes
#[inline(always)]
pub fn exp_nonpositive(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    let mut sum = INVERSE_FACTORIALS[13];
    let mut i = 13;
    while i > 0 {
        i -= 1;
        sum = sum * r + INVERSE_FACTORIALS[i];
    }
    let power = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    if x < -708.0 { 0.0 } else { sum * power }
}

/// 1.5·2⁵²: adding it leaves the nearest whole number in the low bits.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts: products of the first with whole numbers up to 1024 are exact (Cody and Waite).
pub(crate) const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
pub(crate) const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

const INVERSE_FACTORIALS: [f64; 14] = {
    let mut values = [1.0; 14];
    let mut i = 1;
    while i < 14 {
        values[i] = values[i - 1] / i as f64;
        i += 1;
    }
    values
};

/// The 97.5% quantile of the standard normal distribution: [`normal_above`] of 0.025.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 80% quantile of the standard normal distribution: the standard errors beyond a critical value at which a test has 80%
/// power.
pub const NORMAL_80: f64 = 0.841_621_233_572_914_2;

/// z with P(Z > z) = `tail`, of a standard normal Z.
///
/// ```
/// use localcal_numerics::num::special::{NORMAL_975, normal_above};
///
/// assert!((normal_above(0.025) - NORMAL_975).abs() < 1e-12);
/// ```
pub fn normal_above(tail: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - tail)
}

/// P(Z > z) of a standard normal Z, to ten digits.
///
/// ```
/// use localcal_numerics::num::special::{NORMAL_975, normal_tail};
///
/// assert!((normal_tail(NORMAL_975) / 0.025 - 1.0).abs() < 1e-10);
/// ```
pub fn normal_tail(z: f64) -> f64 {
    0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(|Z| > |z|) of a standard normal Z: the two-sided p-value of z, to ten digits.
///
/// ```
/// use localcal_numerics::num::special::{NORMAL_975, normal_two_sided};
///
/// assert!((normal_two_sided(-NORMAL_975) / 0.05 - 1.0).abs() < 1e-10);
/// ```
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
}

/// Two-sided p-value of no effect, of an estimate that is normal about it: P(|Z| ≥ |estimate| / error); 1 without spread. O(1).
pub fn wald_p(estimate: f64, error: f64) -> f64 {
    if error > 0.0 { normal_two_sided(estimate / error) } else { 1.0 }
}

/// Sum in eight interleaved parts: vector code, and the same bits at any vector width.
pub fn sum(x: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let chunks = x.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        for i in 0..8 {
            parts[i] += chunk[i];
        }
    }
    parts.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// The largest value; −∞ for none.
pub fn largest(x: &[f64]) -> f64 {
    let mut parts = [f64::NEG_INFINITY; 8];
    let chunks = x.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        for i in 0..8 {
            parts[i] = if chunk[i] > parts[i] { chunk[i] } else { parts[i] };
        }
    }
    parts.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max)
}

/// ln Σ exp(xᵢ), shifted by the largest; −∞ for no terms.
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let top = largest(x);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + x.iter().map(|&v| exp_nonpositive(v - top)).sum::<f64>().ln()
}

/// Replaces logits by exp(zₖ)/Σⱼ exp(zⱼ), shifted by the largest. Returns ln Σ exp(zⱼ).
///
/// ```
/// let mut z = [0.0, f64::ln(3.0)];
/// let log_sum = localcal_numerics::num::special::softmax_in_place(&mut z);
/// assert!((z[0] - 0.25).abs() < 1e-12 && (z[1] - 0.75).abs() < 1e-12 && (log_sum - f64::ln(4.0)).abs() < 1e-12);
/// ```
pub fn softmax_in_place(z: &mut [f64]) -> f64 {
    let top = largest(z);
    for v in z.iter_mut() {
        *v = exp_nonpositive(*v - top);
    }
    let total = sum(z);
    let scale = 1.0 / total;
    for v in z.iter_mut() {
        *v *= scale;
    }
    top + total.ln()
}

/// Position of the largest value; ties to the lowest index, 0 for an empty slice.
pub fn argmax(x: &[f64]) -> usize {
    let mut best = 0;
    for (i, &v) in x.iter().enumerate() {
        if v > x[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigmoid_and_logit_are_inverse() {
        for p in [1e-12, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
            assert!((sigmoid(logit(p, PROB_CLIP)) - p).abs() < 1e-15);
        }
        assert_eq!(sigmoid(-1e4), 0.0);
        assert_eq!(sigmoid(1e4), 1.0);
        assert!(logit(0.0, PROB_CLIP) < -36.0 && logit(1.0, PROB_CLIP) > 36.0);
    }

    #[test]
    fn ln_sigmoid_does_not_cancel() {
        assert_eq!(ln_sigmoid(-1e4), -1e4);
        assert!((ln_sigmoid(40.0) + (-40.0_f64).exp()).abs() < 1e-30);
        assert!((ln_sigmoid(0.3) - sigmoid(0.3).ln()).abs() < 1e-15);
    }

    #[test]
    fn exp_agrees_with_the_library() {
        for i in 0..200_000 {
            let x = -f64::from(i) * 0.003_541;
            let (got, expected) = (exp_nonpositive(x), x.exp());
            assert!((got - expected).abs() <= 4e-16 * expected + 1e-307, "{x}: {got} {expected}");
        }
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(-1e300), 0.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
        assert_eq!(sum(&[1.0; 19]), 19.0);
        assert_eq!(largest(&[-3.0, -1.0, -2.0, -9.0, -8.0, -1.5, -4.0, -5.0, -0.5]), -0.5);
    }

    #[test]
    fn softmax_ignores_a_shift() {
        let (mut a, mut b) = ([1.0, 2.0, 0.5], [1001.0, 1002.0, 1000.5]);
        softmax_in_place(&mut a);
        softmax_in_place(&mut b);
        for (x, y) in a.iter().zip(&b) {
            assert!((x - y).abs() < 1e-13);
        }
        assert!((log_sum_exp(&[1e3, 1e3]) - 1e3 - 2_f64.ln()).abs() < 1e-12);
        assert_eq!(argmax(&[0.3, 0.4, 0.4]), 1);
    }
}
