//! How many events scores that are right would bring: the sum of independent yes-or-no draws with probabilities of
//! their own.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// Rows up to which the distribution is computed exactly.
const EXACT: usize = 1_000;

/// Two-sided p-value of `events` among rows that happen with probabilities `p`: twice the smaller tail, at most 1.
///
/// Exact by convolution up to 1,000 rows (O(n²)); beyond, a saddlepoint approximation (O(n) per Newton step), whose
/// relative error is below 1% where ten events or more are expected, and below 0.1% where a hundred are. `NaN` for no
/// rows. Source: Hong (2013), "On computing the distribution function for the Poisson binomial distribution"; Daniels
/// (1987), "Tail probability approximations", the second continuity correction.
///
/// ```
/// // P(X ≤ 0) = 0.8 · 0.5 = 0.4, P(X ≥ 0) = 1
/// let p = localcal_numerics::hypothesis::poisson_binomial::two_sided(&[0.2, 0.5], 0);
/// assert!((p - 0.8).abs() < 1e-12);
/// ```
pub fn two_sided(p: &[f64], events: usize) -> f64 {
    if p.is_empty() {
        return f64::NAN;
    }
    if p.len() <= EXACT {
        let (low, high) = exact(p, events);
        return (2.0 * low.min(high)).min(1.0);
    }
    approximate(|| p.iter().map(|&p| (p, 1.0)), events)
}

/// [`two_sided`] of rows that were counted elsewhere: `counts[i]` rows have the probability `p[i]`.
pub fn two_sided_of_counts(p: &[f64], counts: &[f64], events: usize) -> f64 {
    let rows: f64 = counts.iter().sum();
    if rows <= EXACT as f64 {
        let each = p.iter().zip(counts).flat_map(|(&p, &n)| std::iter::repeat_n(p, n.max(0.0) as usize));
        return two_sided(&each.collect::<Vec<f64>>(), events);
    }
    approximate(|| p.iter().copied().zip(counts.iter().copied()), events)
}

/// Twice the smaller tail, at most 1; `rows`: probabilities with the number of rows that have them.
fn approximate<I: Iterator<Item = (f64, f64)>>(rows: impl Fn() -> I, events: usize) -> f64 {
    let high = at_least(&rows, events as f64);
    let low = 1.0 - at_least(&rows, events as f64 + 1.0);
    // of a small lower tail the difference has no digits: it is the upper tail of what did not happen
    let total: f64 = rows().map(|(_, n)| n).sum();
    let low = if low < 0.5 { at_least(|| rows().map(|(p, n)| (1.0 - p, n)), total - events as f64) } else { low };
    (2.0 * low.min(high)).clamp(0.0, 1.0)
}

/// P(X ≥ k) by the saddlepoint approximation of Lugannani and Rice with Daniels' second continuity correction.
///
/// K(t) = Σ ln(1 − p + p eᵗ) and K′(t̂) = k − ½; with w = ±√(2 (t̂ (k − ½) − K(t̂))) and u = 2 sinh(t̂ / 2) √K″(t̂) it
/// is 1 − Φ(w) + φ(w) (1/u − 1/w).
fn at_least<I: Iterator<Item = (f64, f64)>>(rows: impl Fn() -> I, k: f64) -> f64 {
    let certain: f64 = rows().filter(|(p, _)| *p >= 1.0).map(|(_, n)| n).sum();
    let possible: f64 = rows().filter(|(p, _)| *p > 0.0).map(|(_, n)| n).sum();
    if k <= certain || k > possible {
        return f64::from(u8::from(k <= certain));
    }
    let x = k - 0.5;
    let Saddle { t, cumulant, variance } = Saddle::at(&rows, x);
    let w = t.signum() * (2.0 * (t * x - cumulant)).max(0.0).sqrt();
    if w.abs() < AT_THE_MEAN {
        // 1/u − 1/w loses its digits; its limit is − κ₃ / (6 κ₂^(3/2))
        let third: f64 = rows().map(|(p, n)| n * p * (1.0 - p) * (1.0 - 2.0 * p)).sum();
        return 0.5 + (-w - third / (6.0 * variance.powf(1.5))) * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI / 2.0;
    }
    let u = 2.0 * (t / 2.0).sinh() * variance.sqrt();
    let normal = Normal::standard();
    (normal.sf(w) + normal.pdf(w) * (1.0 / u - 1.0 / w)).clamp(0.0, 1.0)
}

/// |w| below which the formula of the tail takes its limit.
const AT_THE_MEAN: f64 = 1e-5;

/// t with K′(t) = x, and there K and K″.
struct Saddle {
    t: f64,
    cumulant: f64,
    variance: f64,
}

impl Saddle {
    /// By Newton's method, within a bracket that each step narrows.
    fn at<I: Iterator<Item = (f64, f64)>>(rows: impl Fn() -> I, x: f64) -> Self {
        let (mut low, mut high, mut t) = (-MOST_TILT, MOST_TILT, 0.0);
        for _ in 0..MOST_STEPS {
            let (mut mean, mut variance) = (0.0, 0.0);
            for (p, n) in rows() {
                let tilted = tilted(p, t);
                mean += n * tilted;
                variance += n * tilted * (1.0 - tilted);
            }
            if mean < x {
                low = t
            } else {
                high = t
            }
            let step = t + (x - mean) / variance;
            let next = if step > low && step < high { step } else { (low + high) / 2.0 };
            let ends = (next - t).abs() <= 1e-12 * next.abs().max(1e-3);
            t = next;
            if ends {
                break;
            }
        }
        let (mut cumulant, mut variance) = (0.0, 0.0);
        for (p, n) in rows() {
            let tilted = tilted(p, t);
            cumulant += n * (p * t.exp_m1()).ln_1p();
            variance += n * tilted * (1.0 - tilted);
        }
        Self { t, cumulant, variance }
    }
}

/// |t| of odds that are multiplied by eᵗ, at most.
const MOST_TILT: f64 = 500.0;
/// Of Newton's method or of halving the bracket.
const MOST_STEPS: usize = 100;

/// p with its odds multiplied by eᵗ.
fn tilted(p: f64, t: f64) -> f64 {
    let odds = p * t.exp();
    odds / (1.0 - p + odds)
}

/// P(X ≤ k) and P(X ≥ k).
fn exact(p: &[f64], events: usize) -> (f64, f64) {
    let mut mass = vec![0.0; p.len() + 1];
    mass[0] = 1.0;
    for (i, &p) in p.iter().enumerate() {
        for k in (1..=i + 1).rev() {
            mass[k] = mass[k] * (1.0 - p) + mass[k - 1] * p;
        }
        mass[0] *= 1.0 - p;
    }
    let split = events.min(p.len());
    (mass[..=split].iter().sum(), mass[split..].iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Probability, events, two-sided p; SciPy: `2 * min(binom.cdf(k, 1200, p), binom.sf(k - 1, 1200, p))`, at most 1.
    const GOLDEN: [(f64, usize, f64); 5] = [
        (0.01, 3, 0.004425923650109289),
        (0.01, 12, 1.0),
        (0.01, 24, 0.0027754488929504343),
        (0.2, 180, 9.094775822563661e-06),
        (0.2, 300, 2.893482678314427e-05),
    ];
    const BINOMIAL: f64 = 8.45708953550381e-06;

    #[test]
    fn by_hand() {
        // P(X ≤ 0) = .8 · .5 = .4, P(X ≥ 0) = 1.
        assert!((two_sided(&[0.2, 0.5], 0) - 0.8).abs() < 1e-15);
        // P(X ≥ 2) = .1
        assert!((two_sided(&[0.2, 0.5], 2) - 0.2).abs() < 1e-15);
        // all equal: the binomial distribution; SciPy: 2 binom.cdf(30, 100, .4)
        assert!((two_sided(&[0.4; 100], 30) - 0.049_565_646_232_986_16).abs() < 1e-12);
        assert!(two_sided(&[], 0).is_nan());
        assert_eq!(two_sided(&vec![1.0; 2000], 2000), 1.0);
        assert_eq!(two_sided(&vec![1.0; 2000], 1999), 0.0);
    }

    proptest! {
        // tails of 400 to 900 rows by both ways, also where events are rare
        #[test]
        fn large_groups_agree_with_exact_ones(
            p in prop::collection::vec(0.0f64..1.0, 400..900), power in 1.0f64..4.0, shift in -5.0f64..5.0,
        ) {
            let p: Vec<f64> = p.into_iter().map(|p| p.powf(power)).collect();
            let mean: f64 = p.iter().sum();
            let sd = p.iter().map(|p| p * (1.0 - p)).sum::<f64>().sqrt();
            let events = (mean + shift * sd).round().clamp(0.0, p.len() as f64) as usize;
            let (low, high) = exact(&p, events);
            let (two, near) = ((2.0 * low.min(high)).min(1.0), approximate(|| p.iter().map(|&p| (p, 1.0)), events));
            prop_assert!((near - two).abs() <= 1e-2 * two, "{near} {two}");
        }
    }

    /// Two-sided p-values of 1,200 rows with 12 and 240 expected events, by the exact binomial distribution.
    #[test]
    fn rare_events_have_a_skewed_distribution() {
        for (p, events, exact) in GOLDEN {
            let found = two_sided(&vec![p; 1_200], events);
            assert!((found / exact - 1.0).abs() < 1e-2, "{found} {exact}");
            let counted = two_sided_of_counts(&[p, p], &[700.0, 500.0], events);
            assert!((counted / found - 1.0).abs() < 1e-9, "{counted} {found}");
        }
    }

    #[test]
    fn certain_rows_and_the_mean_itself() {
        let mut p = vec![0.5; 2_000];
        p.extend([1.0; 100]);
        p.extend([0.0; 100]);
        // as many as expected: both tails are above one half
        assert_eq!(two_sided(&p, 1_100), 1.0);
        assert_eq!((two_sided(&p, 99), two_sided(&p, 2_101)), (0.0, 0.0));
        let (few, many) = (two_sided(&p, 1_000), two_sided(&p, 1_200));
        assert!((few / many - 1.0).abs() < 1e-9 && few < 1e-4, "{few} {many}");
        // SciPy: 2 binom.cdf(1000 - 100, 2000, 0.5)
        assert!((few / BINOMIAL - 1.0).abs() < 1e-4, "{few}");
    }
}
