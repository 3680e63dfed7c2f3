//! How many events scores that are right would bring where rows are dependent within clusters.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::num::cluster::{ClusteredDraws, RowClusters, correlated_variance};
use crate::num::rng::{Lanes, bernoulli_threshold};

/// Redraws of the outcomes at first.
const DRAWS: usize = 1_999;
/// If fewer of them are as extreme as what was observed, more follow: p-values are then adjusted for the number of groups.
const FEW: f64 = 10.0;
/// Rows that are redrawn in all, unless that allows fewer redraws than the least.
const MOST_WORK: usize = 20_000_000;
const LEAST_DRAWS: usize = 5_999;
const MOST_DRAWS: usize = 199_999;
/// Rows up to which outcomes are redrawn: beyond, sums are as good as normal.
const REDRAWN: usize = 10_000;
/// Random stream of these draws.
const STREAM: u64 = 9 << 40;

/// Two-sided p-value of `events` among rows that happen with probabilities `p` and whose outcomes have one correlation ρ
/// within clusters: twice the smaller tail of 1,999 redraws ([`ClusteredDraws`]), counting what was observed as one of them; of
/// 6,000 to 200,000 where fewer than 10 are as extreme.
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
        let (mut fewer, mut more) = (1.0_f64, 1.0_f64);
        let mut count = 0;
        while count < DRAWS || fewer.min(more) < FEW && count < most_draws(p.len()) {
            draws.fill(&mut Lanes::seeded(seed, STREAM + count as u64), &thresholds, &mut target);
            let drawn = target.iter().map(|&t| usize::from(t)).sum::<usize>();
            fewer += f64::from(u8::from(drawn <= events));
            more += f64::from(u8::from(drawn >= events));
            count += 1;
        }
        (fewer / (count + 1) as f64, more / (count + 1) as f64)
    };
    (2.0 * low.min(high)).min(1.0)
}

/// Redraws of `n` rows at most.
fn most_draws(n: usize) -> usize {
    (MOST_WORK / n.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS)
}

/// Whether a p-value of [`clustered_two_sided`] of `n` rows is the smallest that its redraws allow: no redraw is as extreme, and
/// p is a bound.
pub fn is_smallest(p: f64, n: usize) -> bool {
    n <= REDRAWN && p == 2.0 * (1.0 / (most_draws(n) + 1) as f64)
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
        assert!(!is_smallest(free, 400) && is_smallest(clustered_two_sided(&[0.2; 400], 390, clusters, 0.1, 1), 400));
    }

    /// Sixty groups are adjusted for sixty tests: what no calibrated score brings about must remain significant.
    #[test]
    fn what_is_impossible_by_chance_remains_significant_among_many_groups() {
        for n in [30, 400, 10_000] {
            let of: Vec<u32> = (0..n as u32).map(|i| i / 2).collect();
            let clusters = RowClusters { of: &of, count: n / 2 };
            let p = clustered_two_sided(&vec![0.1; n], n, clusters, 0.1, 1);
            assert!(60.0 * p < 0.05 && is_smallest(p, n), "{n}: {p}");
        }
    }
}
