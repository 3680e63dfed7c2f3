//! How many events scores that are right would bring where rows are dependent within clusters.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::num::cluster::{ClusteredDraws, RowClusters, correlated_variance};
use crate::num::rng::{Lanes, bernoulli_threshold};

/// Redraws of the outcomes.
const DRAWS: usize = 1_999;
/// Smallest p-value that the redraws allow, both tails counted.
const SMALLEST: f64 = 2.0 * (1.0 / (DRAWS + 1) as f64);
/// Rows up to which outcomes are redrawn: beyond, sums are as good as normal.
const REDRAWN: usize = 10_000;
/// Random stream of these draws.
const STREAM: u64 = 9 << 40;

/// Two-sided p-value of `events` among rows that happen with probabilities `p` and whose outcomes have one correlation ρ
/// within clusters: twice the smaller tail of 1,999 redraws ([`ClusteredDraws`]), counting what was observed as one of them.
///
/// Beyond 10,000 rows the normal distribution with variance Σ v + ρ (Σ_c (Σ √v)² − Σ v), v = p (1 − p), and continuity
/// correction. `NaN` for no rows. With ρ = 0 it is [`two_sided`](super::poisson_binomial::two_sided) up to the error of the
/// draws. O(n · draws).
///
/// * `clusters`: of the same rows; `correlation`: see
///   [`outcome_correlation`](crate::num::outcome_correlation::outcome_correlation)
///
/// ```
/// use localcal_numerics::hypothesis::clustered_events::clustered_two_sided;
/// use localcal_numerics::num::cluster::RowClusters;
///
/// // ten rows that are one: all of them happen in half of the draws
/// let p = clustered_two_sided(&[0.5; 10], 10, RowClusters { of: &[0; 10], count: 1 }, 1.0, 1);
/// assert!(p > 0.9);
/// ```
pub fn clustered_two_sided(p: &[f64], events: usize, clusters: RowClusters, correlation: f64, seed: u64) -> f64 {
    if p.is_empty() {
        return f64::NAN;
    }
    let k = events as f64;
    let (low, high) = if p.len() > REDRAWN {
        let mean: f64 = p.iter().sum();
        let deviations = p.iter().map(|p| (p * (1.0 - p)).max(0.0).sqrt());
        let sd = correlated_variance(deviations, clusters, correlation).sqrt();
        if sd > 0.0 {
            let below = |x: f64| Normal::standard().cdf((x - mean) / sd);
            (below(k + 0.5), 1.0 - below(k - 0.5))
        } else {
            (f64::from(u8::from(k >= mean)), f64::from(u8::from(k <= mean)))
        }
    } else {
        let thresholds: Vec<i32> = p.iter().map(|&p| bernoulli_threshold(p)).collect();
        let draws = ClusteredDraws::new(correlation, p, clusters.of, clusters.count);
        let mut target = vec![0u8; p.len()];
        let (mut fewer, mut more) = (1.0, 1.0);
        for draw in 0..DRAWS {
            draws.fill(&mut Lanes::seeded(seed, STREAM + draw as u64), &thresholds, &mut target);
            let drawn = target.iter().map(|&t| usize::from(t)).sum::<usize>();
            fewer += f64::from(u8::from(drawn <= events));
            more += f64::from(u8::from(drawn >= events));
        }
        (fewer / (DRAWS + 1) as f64, more / (DRAWS + 1) as f64)
    };
    (2.0 * low.min(high)).min(1.0)
}

/// Whether a p-value of [`clustered_two_sided`] is the smallest that its redraws allow: no redraw is as extreme, and p is a bound.
pub fn is_smallest(p: f64) -> bool {
    p == SMALLEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::poisson_binomial::two_sided;

    #[test]
    fn without_correlation_it_is_the_poisson_binomial() {
        let p: Vec<f64> = (0..200).map(|i| 0.05 + 0.004 * f64::from(i)).collect();
        let of: Vec<u32> = (0..200).map(|i| i / 5).collect();
        let clusters = RowClusters { of: &of, count: 40 };
        for events in [70, 80, 90, 100] {
            let (drawn, exact) = (clustered_two_sided(&p, events, clusters, 0.0, 1), two_sided(&p, events));
            assert!((drawn - exact).abs() < 0.05, "{drawn} {exact}");
        }
        let many = vec![0.3; 12_000];
        let of: Vec<u32> = (0..12_000).collect();
        let clusters = RowClusters { of: &of, count: 12_000 };
        let (drawn, exact) = (clustered_two_sided(&many, 3_500, clusters, 0.4, 1), two_sided(&many, 3_500));
        assert!((drawn - exact).abs() < 1e-3, "{drawn} {exact}");
    }

    #[test]
    fn dependent_rows_tell_less() {
        let of: Vec<u32> = (0..400).map(|i| i / 8).collect();
        let clusters = RowClusters { of: &of, count: 50 };
        let (free, tied) = (
            clustered_two_sided(&[0.2; 400], 100, clusters, 0.0, 1),
            clustered_two_sided(&[0.2; 400], 100, clusters, 0.4, 1),
        );
        assert!(free < 0.03 && tied > 0.1, "{free} {tied}");
        assert!(!is_smallest(free) && is_smallest(clustered_two_sided(&[0.2; 400], 390, clusters, 0.1, 1)));
    }
}
