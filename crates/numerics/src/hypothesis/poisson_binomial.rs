//! How many events scores that are right would bring: the sum of independent yes-or-no draws with probabilities of their own.

use statrs::distribution::{ContinuousCDF, Normal};

/// Rows up to which the distribution is computed exactly.
const EXACT: usize = 1_000;

/// Two-sided p-value of `events` among rows that happen with probabilities `p`: twice the smaller tail, at most 1.
///
/// Exact by convolution up to 1,000 rows (O(n²)); beyond, the normal distribution with continuity correction.
/// `NaN` for no rows. Source: Hong (2013), "On computing the distribution function for the Poisson binomial
/// distribution".
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
    let (low, high) = match p.len() <= EXACT {
        true => exact(p, events),
        false => normal(p.iter().sum(), p.iter().map(|p| p * (1.0 - p)).sum::<f64>().sqrt(), events),
    };
    (2.0 * low.min(high)).min(1.0)
}

/// [`two_sided`] of rows that were counted elsewhere: `counts[i]` rows have the probability `p[i]`.
pub fn two_sided_of_counts(p: &[f64], counts: &[f64], events: usize) -> f64 {
    let rows: f64 = counts.iter().sum();
    if rows <= EXACT as f64 {
        let each = p.iter().zip(counts).flat_map(|(&p, &n)| std::iter::repeat_n(p, n.max(0.0) as usize));
        return two_sided(&each.collect::<Vec<f64>>(), events);
    }
    let both = || p.iter().zip(counts);
    let mean = both().map(|(p, n)| n * p).sum();
    let (low, high) = normal(mean, both().map(|(p, n)| n * p * (1.0 - p)).sum::<f64>().sqrt(), events);
    (2.0 * low.min(high)).min(1.0)
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

fn normal(mean: f64, sd: f64, events: usize) -> (f64, f64) {
    let k = events as f64;
    if sd == 0.0 {
        // every row is certain: anything else than their number cannot happen
        return (f64::from(u8::from(k >= mean)), f64::from(u8::from(k <= mean)));
    }
    let below = |x: f64| Normal::standard().cdf((x - mean) / sd);
    (below(k + 0.5), 1.0 - below(k - 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // P(X ≤ 0) = .8 · .5 = .4, P(X ≥ 0) = 1.
        assert!((two_sided(&[0.2, 0.5], 0) - 0.8).abs() < 1e-15);
        // P(X ≥ 2) = .1
        assert!((two_sided(&[0.2, 0.5], 2) - 0.2).abs() < 1e-15);
        // all alike: the binomial distribution; SciPy: 2 binom.cdf(30, 100, .4)
        assert!((two_sided(&[0.4; 100], 30) - 0.049_565_646_232_986_16).abs() < 1e-12);
        assert!(two_sided(&[], 0).is_nan());
        assert_eq!(two_sided(&vec![1.0; 2000], 2000), 1.0);
        assert_eq!(two_sided(&vec![1.0; 2000], 1999), 0.0);
    }

    proptest! {
        #[test]
        fn large_groups_agree_with_exact_ones(p in prop::collection::vec(0.1f64..0.9, 400..900), shift in -2.0f64..2.0) {
            let mean: f64 = p.iter().sum();
            let sd = p.iter().map(|p| p * (1.0 - p)).sum::<f64>().sqrt();
            let events = (mean + shift * sd).round() as usize;
            let (low, high) = exact(&p, events);
            let sd = p.iter().map(|p| p * (1.0 - p)).sum::<f64>().sqrt();
            let (n_low, n_high) = normal(p.iter().sum(), sd, events);
            prop_assert!((low - n_low).abs() < 3e-3 && (high - n_high).abs() < 3e-3);
        }
    }
}
