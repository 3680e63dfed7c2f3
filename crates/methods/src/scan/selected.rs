//! Estimation after selection: the size of an effect that was selected for being large, given its selection.

use serde::{Deserialize, Serialize};

use crate::hypothesis::LEVEL;
use crate::num::special::normal_tail;

/// Steps of a bisection over at most |z| + 20: beyond the last bit of a double.
const STEPS: usize = 80;
/// Bound on the distance of the estimates from 0 and from z.
const FAR: f64 = 10.0;
/// Beyond this the continued fraction is used in place of `erfc`, which ends at 38.
const TAIL: f64 = 4.0;
/// Terms of the continued fraction: beyond [`TAIL`] the error is below 1e-15.
const TERMS: u32 = 60;

/// Median-unbiased estimate of a mean with its interval, in standard deviations.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conditional {
    /// μ̂, median-unbiased
    pub mu: f64,
    /// lower confidence limit of μ
    pub low: f64,
    /// upper confidence limit of μ
    pub high: f64,
}

/// μ of Z ~ N(μ, 1) given selection by |Z| > c: P(Z ≤ z | |Z| > c; μ) = ½ for the estimate, 0.975 and 0.025 for the
/// confidence limits. For every μ, given selection, the estimate is too large with probability ½ and the interval covers
/// μ with probability 95%. If |z| is far above c, selection has no effect: z and z ± 1.96.
///
/// * `z`: the selected value; if it does not exceed `critical`, |z| is used as the threshold
/// * `critical`: c ≥ 0
///
/// NaN gives NaN.
///
/// # Cost
/// O(1): three bisections of 80 steps.
///
/// # Source
/// Zhong and Prentice (2008), Bias-reduced estimators and confidence intervals for odds ratios in genome-wide association
/// studies, Biostatistics 9, 621–634.
///
/// # Examples
/// ```
/// use localcal_methods::scan::conditional;
///
/// let near = conditional(4.2, 3.8);
/// assert!(near.mu < 3.0 && near.low < 0.5 && near.high > 5.5);
/// let far = conditional(9.0, 3.8);
/// assert!((far.mu - 9.0).abs() < 1e-6 && (far.low - 7.04).abs() < 0.01);
/// ```
pub fn conditional(z: f64, critical: f64) -> Conditional {
    conditional_at(z, critical, LEVEL)
}

/// [`conditional`] with confidence level 1 − `level`, as for several simultaneous intervals.
pub fn conditional_at(z: f64, critical: f64, level: f64) -> Conditional {
    if z.is_nan() || critical.is_nan() {
        return Conditional { mu: f64::NAN, low: f64::NAN, high: f64::NAN };
    }
    let size = z.abs();
    let c = critical.clamp(0.0, size);
    // The share above z grows with μ: low ends where it is small.
    let [low, mu, high] = [0.5 * level, 0.5, 1.0 - 0.5 * level].map(|share| solved(size, c, share));
    match z < 0.0 {
        false => Conditional { mu, low, high },
        true => Conditional { mu: -mu, low: -high, high: -low },
    }
}

/// μ with P(Z > z | |Z| > c; μ) = `share`, z ≥ c ≥ 0.
fn solved(z: f64, c: f64, share: f64) -> f64 {
    let (mut below, mut above) = (-FAR, z + FAR);
    for _ in 0..STEPS {
        let middle = 0.5 * (below + above);
        if above_z(z, c, middle) < share {
            below = middle;
        } else {
            above = middle;
        }
    }
    0.5 * (below + above)
}

/// P(Z > z | |Z| > c; μ) = Q(z − μ) / (Q(c − μ) + Q(c + μ)), Q the upper tail; of logarithms, since each may underflow.
fn above_z(z: f64, c: f64, mu: f64) -> f64 {
    let (one, other) = (ln_upper_tail(c - mu), ln_upper_tail(c + mu));
    let (more, less) = if one >= other { (one, other) } else { (other, one) };
    (ln_upper_tail(z - mu) - more - (less - more).exp().ln_1p()).exp()
}

/// ln P(Z > x), Z ~ N(0, 1): beyond [`TAIL`] Q(x) = φ(x) / (x + 1 / (x + 2 / (x + …))).
fn ln_upper_tail(x: f64) -> f64 {
    if x < TAIL {
        return normal_tail(x).ln();
    }
    let fraction = (1..=TERMS).rev().fold(x, |rest, k| x + f64::from(k) / rest);
    -0.5 * (x * x + (2.0 * std::f64::consts::PI).ln()) - fraction.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::rng::Draws;
    use crate::num::special::sigmoid;

    fn near(a: f64, b: f64, by: f64) -> bool {
        (a - b).abs() <= by
    }

    #[test]
    fn tails_meet() {
        // ln Q(4), ln Q(10), ln Q(40): Abramowitz and Stegun, table 26.2
        assert!(near(ln_upper_tail(4.0), 3.167_124_183_311_992e-5_f64.ln(), 1e-12));
        assert!(near(ln_upper_tail(4.0 - 1e-12), ln_upper_tail(4.0), 1e-9));
        assert!(near(ln_upper_tail(10.0), 7.619_853_024_160_527e-24_f64.ln(), 1e-12));
        assert!(near(ln_upper_tail(40.0), -804.608_442_013_754, 1e-9));
    }

    #[test]
    fn without_a_condition_it_is_the_usual_interval() {
        let found = conditional(1.3, 0.0);
        assert!(near(found.mu, 1.3, 1e-12) && near(found.high - 1.3, 1.959_963_984_540_054, 1e-9), "{found:?}");
        assert!(near(1.3 - found.low, 1.959_963_984_540_054, 1e-9), "{found:?}");
        // and far beyond the threshold
        for z in [12.0, 45.0, 400.0] {
            let found = conditional(z, 3.8);
            assert!(near(found.mu, z, 1e-9) && near(found.low, z - 1.959_964, 1e-5), "{found:?}");
        }
    }

    #[test]
    fn at_the_threshold_nothing_is_known_but_the_side() {
        // z = c: P(Z > c | |Z| > c) = Q(c − μ) / (Q(c − μ) + Q(c + μ)), ½ at 0; with c = 0 it is Φ(μ)
        let found = conditional(3.8, 3.8);
        assert!(near(found.mu, 0.0, 1e-9) && near(found.low, -found.high, 1e-9), "{found:?}");
        assert!(near(above_z(3.8, 3.8, found.high), 0.975, 1e-9) && found.high < 0.6, "{found:?}");
        // not beyond it, or never beyond it: as if at it
        assert_eq!(conditional(3.8, 4.1), found);
        assert_eq!(conditional(3.8, f64::INFINITY), found);
        assert!(near(conditional(0.0, 0.0).mu, 0.0, 1e-9));
        assert!(conditional(f64::NAN, 3.0).mu.is_nan());
    }

    /// By hand: the equation holds at what is found. With z = 4.2 and c = 3.8 the right-hand side of ½ is met where
    /// Q(4.2 − μ) = ½ (Q(3.8 − μ) + Q(3.8 + μ)).
    #[test]
    fn each_end_solves_its_equation() {
        let q = normal_tail;
        for (z, c) in [(4.2, 3.8), (3.81, 3.8), (2.5, 1.0), (6.0, 4.4)] {
            let found = conditional(z, c);
            let wide = conditional_at(z, c, 0.01);
            assert!(wide.low < found.low && wide.high > found.high && wide.mu == found.mu, "{wide:?}");
            for (mu, share) in [(found.low, 0.025), (found.mu, 0.5), (found.high, 0.975)] {
                assert!(near(q(z - mu) / (q(c - mu) + q(c + mu)), share, 1e-9), "{z} {c}: {mu}");
            }
            let other = conditional(-z, c);
            assert_eq!((other.mu, other.low, other.high), (-found.mu, -found.high, -found.low));
        }
    }

    #[test]
    fn it_grows_with_z_and_never_beyond_it() {
        let mut last = conditional(3.8, 3.8);
        for step in 1..400 {
            let z = 3.8 + 0.02 * f64::from(step);
            let found = conditional(z, 3.8);
            assert!(found.mu > last.mu && found.low > last.low && found.high > last.high, "{z}: {found:?} {last:?}");
            assert!(
                found.low < found.mu && found.mu < found.high && found.mu <= z && found.mu >= 0.0,
                "{z}: {found:?}"
            );
            last = found;
        }
    }

    #[test]
    fn intervals_of_what_was_picked_hold_the_truth_95_times_of_100() {
        let mut draws = Draws::seeded(4, 28);
        for (truth, c) in [(0.0, 1.0), (1.0, 2.0), (2.5, 3.0), (3.1, 3.8), (4.1, 3.8), (6.0, 3.8)] {
            let (mut picked, mut held, mut above) = (0.0, 0.0, 0.0);
            while picked < 4000.0 {
                let z: f64 = truth + draws.normal();
                if z.abs() > c {
                    let found = conditional(z, c);
                    picked += 1.0;
                    held += f64::from(u8::from(found.low <= truth && truth <= found.high));
                    above += f64::from(u8::from(found.mu > truth));
                }
            }
            // standard errors: 0.34 and 0.8 points
            assert!(near(held / picked, 0.95, 0.012), "{truth}, {c}: coverage {}", held / picked);
            assert!(near(above / picked, 0.5, 0.028), "{truth}, {c}: too large {}", above / picked);
        }
    }

    /// One site of 20 (200 of 4,000 rows) with a calibration error of some points: among the files in which its |z| exceeds
    /// 3.8, the uncorrected gap is too large at low power, and the conditional one is not.
    #[test]
    fn a_site_that_was_picked() {
        let mut draws = Draws::seeded(11, 28);
        for (truth, most_plain, least_plain) in
            [(0.10, 0.06, 0.03), (0.13, 0.035, 0.01), (0.16, 0.02, 0.0), (0.20, 0.01, -0.01)]
        {
            let (mut picked, mut held, mut plain, mut corrected) = (0.0, 0.0, 0.0, 0.0);
            for _ in 0..1500 {
                let (mut more, mut variance) = (0.0, 0.0);
                for _ in 0..200 {
                    let p = sigmoid(-1.0 + 0.5 * draws.normal());
                    more += f64::from(u8::from(draws.uniform() < p + truth)) - p;
                    variance += p * (1.0 - p);
                }
                let scale = variance.sqrt() / 200.0;
                let z = more / variance.sqrt();
                if z.abs() > 3.8 {
                    let found = conditional(z, 3.8);
                    picked += 1.0;
                    held += f64::from(u8::from(found.low * scale <= truth && truth <= found.high * scale));
                    plain += z * scale - truth;
                    corrected += found.mu * scale - truth;
                }
            }
            let (plain, corrected, held) = (plain / picked, corrected / picked, held / picked);
            assert!(plain > least_plain && plain < most_plain, "{truth}: plain {plain}");
            assert!(
                corrected.abs() < 0.02 && corrected < 0.01,
                "{truth}: corrected {corrected}, plain {plain}, {picked}"
            );
            assert!(held > 0.92 && held < 0.99, "{truth}: coverage {held}, {picked}");
        }
    }
}
