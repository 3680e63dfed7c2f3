//! Rows that are dependent within clusters: their correlation, and variances that allow for it.

use std::borrow::Cow;

use crate::num::rng::{Lanes, bernoulli_threshold};

/// Which cluster each of some rows belongs to; `None` stands for independent rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowClusters<'a> {
    /// cluster of each row, below `count`
    pub of: &'a [u32],
    /// number of clusters, each of which has rows
    pub count: usize,
}

/// Σ eᵢ² of independent rows, their cluster-robust variance ([`cluster_variance`]) where they belong together: the variance
/// of a sum of influence values. O(n + count).
pub fn influence_variance(influence: impl IntoIterator<Item = f64>, clusters: Option<RowClusters>) -> f64 {
    match clusters {
        None => influence.into_iter().map(|e| e * e).sum(),
        Some(RowClusters { of, count }) => cluster_variance(influence, of, count),
    }
}

/// Poisson(1) counts, the same for all rows of a cluster: a bootstrap of clusters. One draw a cluster in the order of their
/// numbers. O(n + count).
///
/// * `of`: cluster of each row; `counts`: length n
pub fn fill_clustered_poisson(lanes: &mut Lanes, of: &[u32], count: usize, counts: &mut [u8]) {
    let mut drawn = vec![0u8; count];
    lanes.fill_poisson(&mut drawn);
    for (to, &c) in counts.iter_mut().zip(of) {
        *to = drawn.get(c as usize).copied().unwrap_or(0);
    }
}

/// One exchangeable correlation of outcomes within clusters, in [0, 1]:
/// ρ̂ = (Σ_c (Σ_{i∈c} rᵢ)² − Σ rᵢ²) / (Σ_c (Σ_{i∈c} √vᵢ)² − Σ vᵢ), not below 0 and not above 1.
///
/// It is the moment estimator of E rᵢrⱼ = ρ √(vᵢvⱼ) over all pairs of rows of one cluster (Liang and Zeger, 1986, with
/// pairs pooled over clusters).
///
/// * `residual`: r = t − p, length n; `variance`: v = p(1 − p) of each row, length n
/// * `of`: cluster of each row, below `count`, length n; rows beyond the shortest slice, and rows of a cluster that is
///   not below `count`, take no part
///
/// 0 where no cluster has two rows with a variance above 0. O(n + count).
///
/// ```
/// use localcal_numerics::num::cluster::within_cluster_correlation;
///
/// // both rows of each pair miss by the same: Σ_c (Σ r)² − Σ r² = 4 · ½ · ½ · 1, as is the largest it can be
/// let rho = within_cluster_correlation(&[0.5, 0.5, -0.5, -0.5], &[0.25; 4], &[0, 0, 1, 1], 2);
/// assert!((rho - 1.0).abs() < 1e-12);
/// ```
pub fn within_cluster_correlation(residual: &[f64], variance: &[f64], of: &[u32], count: usize) -> f64 {
    let mut sums = vec![(0.0, 0.0); count];
    let (mut own, mut most) = (0.0, 0.0);
    for ((&r, &v), &c) in residual.iter().zip(variance).zip(of) {
        let Some((residuals, deviations)) = sums.get_mut(c as usize) else { continue };
        *residuals += r;
        *deviations += v.max(0.0).sqrt();
        own += r * r;
        most += v.max(0.0);
    }
    let (pairs, largest) = sums.iter().fold((-own, -most), |(pairs, largest), (r, v)| (pairs + r * r, largest + v * v));
    // Without pairs the denominator is 0 up to rounding.
    if largest <= 1e-9 * most.max(f64::MIN_POSITIVE) {
        return 0.0;
    }
    (pairs / largest).clamp(0.0, 1.0)
}

/// The cluster-robust variance of a sum of influence values: G/(G − 1) Σ_c (Σ_{i∈c} eᵢ)², where G is the number of
/// clusters (Liang and Zeger, 1986; the small-sample factor is that of statsmodels for d = 1 parameter up to
/// (n − 1)/(n − d)).
///
/// * `influence`: eᵢ with Σ e ≈ 0, so that the estimate is off by Σ e; length n
/// * `of`: cluster of each row, below `count`; every one of the `count` clusters has rows
///
/// `INFINITY` with fewer than two clusters. O(n + count).
///
/// ```
/// use localcal_numerics::num::cluster::cluster_variance;
///
/// // two clusters whose sums are 3 and −3: 2 · (9 + 9)
/// assert_eq!(cluster_variance([1.0, 2.0, -3.0], &[0, 0, 1], 2), 36.0);
/// ```
pub fn cluster_variance(influence: impl IntoIterator<Item = f64>, of: &[u32], count: usize) -> f64 {
    if count < 2 {
        return f64::INFINITY;
    }
    let sums = cluster_sums(influence, of, count);
    small_sample_factor(count) * sums.iter().map(|sum| sum * sum).sum::<f64>()
}

/// Variance of a sum of correlated terms with one exchangeable correlation within clusters:
/// Σ Eᵢ² + ρ (Σ_c (Σ_{i∈c} Eᵢ)² − Σ Eᵢ²), Eᵢ the standard deviations of the terms, with signs. O(n + count).
///
/// ```
/// use localcal_numerics::num::cluster::{RowClusters, correlated_variance};
///
/// // 1 + 1 + 1 + ρ ((1 + 1)² + 1 − 3)
/// let variance = correlated_variance([1.0, 1.0, 1.0].into_iter(), RowClusters { of: &[0, 0, 1], count: 2 }, 0.5);
/// assert_eq!(variance, 4.0);
/// ```
pub fn correlated_variance(terms: impl Iterator<Item = f64> + Clone, clusters: RowClusters, correlation: f64) -> f64 {
    let own: f64 = terms.clone().map(|e| e * e).sum();
    let between: f64 = cluster_sums(terms, clusters.of, clusters.count).iter().map(|sum| sum * sum).sum();
    (own + correlation * (between - own)).max(0.0)
}

/// G/(G − 1).
pub fn small_sample_factor(count: usize) -> f64 {
    count as f64 / (count as f64 - 1.0)
}

/// Sums of values over the rows of each cluster. O(n + count).
pub fn cluster_sums(values: impl IntoIterator<Item = f64>, of: &[u32], count: usize) -> Vec<f64> {
    let mut sums = vec![0.0; count];
    for (value, &c) in values.into_iter().zip(of) {
        if let Some(sum) = sums.get_mut(c as usize) {
            *sum += value;
        }
    }
    sums
}

/// m̃ = Σ m² / Σ m, the size of the cluster of a row drawn at random; 1 without rows. O(n + count).
pub fn cluster_size(of: &[u32], count: usize) -> f64 {
    let sizes = cluster_sums(of.iter().map(|_| 1.0), of, count);
    let (rows, squares) = sizes.iter().fold((0.0, 0.0), |(rows, squares), m| (rows + m, squares + m * m));
    if rows > 0.0 { squares / rows } else { 1.0 }
}

/// Kish's design effect of a mean, 1 + (m̃ − 1) ρ, with m̃ the [`cluster_size`]: n rows tell a mean as exactly as n divided by
/// it independent ones. Source: Kish (1965), section 5.4, with unequal sizes after Kerry and Bland (2001). 1 without rows.
/// O(n + count).
pub fn design_effect(correlation: f64, of: &[u32], count: usize) -> f64 {
    1.0 + (cluster_size(of, count) - 1.0) * correlation
}

/// Outcomes redrawn from probabilities, dependent within clusters: every row keeps its probability exactly, and the rows of
/// one cluster have together the covariance that the correlation ρ implies.
///
/// One uniform number per cluster and one per row; a row takes its cluster's with probability √ρ′; t = 1 where the number is
/// below p. Two rows then have the covariance ρ′(min(pᵢ, pⱼ) − pᵢ pⱼ), which is below ρ′ times that of their standard deviations
/// where their probabilities differ. With ρ = 0 rows are independent.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusteredDraws<'a> {
    of: Cow<'a, [u32]>,
    count: usize,
    /// of taking the number of the cluster
    shares: i32,
}

impl<'a> ClusteredDraws<'a> {
    /// * `p`: probability of each row; `of`: its cluster, below `count`; both of length n
    ///
    /// # Cost
    /// O(n log m), m rows of the largest cluster.
    pub fn new(correlation: f64, p: &[f64], of: impl Into<Cow<'a, [u32]>>, count: usize) -> Self {
        let of = of.into();
        let shared = shared_correlation(correlation.clamp(0.0, 1.0), p, &of, count);
        Self { of, count, shares: bernoulli_threshold(shared.sqrt()) }
    }

    /// Fills `targets` from the probabilities behind `thresholds` ([`bernoulli_threshold`]); rows of unequal slices are
    /// filled as far as both reach. O(n + count).
    pub fn fill(&self, lanes: &mut Lanes, thresholds: &[i32], targets: &mut [u8]) {
        let mut numbers = Numbers::new(lanes);
        let clusters: Vec<i32> = (0..self.count).map(|_| numbers.next()).collect();
        for ((target, &threshold), &c) in targets.iter_mut().zip(thresholds).zip(self.of.iter()) {
            let (takes, own) = (numbers.next() < self.shares, numbers.next());
            let shared = clusters.get(c as usize).copied().filter(|_| takes);
            *target = u8::from(shared.unwrap_or(own) < threshold);
        }
    }
}

/// ρ′ with ρ Σ √(vᵢ vⱼ) = ρ′ Σ (min(pᵢ, pⱼ) − pᵢ pⱼ) over the pairs of rows of one cluster, v = p(1 − p), at most 1; ρ where
/// probabilities do not differ within clusters.
fn shared_correlation(correlation: f64, p: &[f64], of: &[u32], count: usize) -> f64 {
    if correlation == 0.0 {
        return 0.0;
    }
    let mut members: Vec<Vec<f64>> = vec![Vec::new(); count];
    for (&p, &c) in p.iter().zip(of) {
        if let Some(members) = members.get_mut(c as usize) {
            members.push(p);
        }
    }
    let (mut implied, mut drawn) = (0.0, 0.0);
    for mut p in members.into_iter().filter(|p| p.len() > 1) {
        p.sort_unstable_by(f64::total_cmp);
        let (mut deviations, mut variances, mut sum, mut squares, mut smaller) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (k, &p_k) in p.iter().enumerate() {
            let v = (p_k * (1.0 - p_k)).max(0.0);
            (deviations, variances) = (deviations + v.sqrt(), variances + v);
            (sum, squares) = (sum + p_k, squares + p_k * p_k);
            // it is the smaller one of every pair with a row after it
            smaller += p_k * (p.len() - 1 - k) as f64;
        }
        implied += 0.5 * (deviations * deviations - variances);
        drawn += smaller - 0.5 * (sum * sum - squares);
    }
    // rounding, where probabilities do not differ
    if drawn <= 0.0 || implied <= drawn * (1.0 + 1e-9) { correlation } else { (correlation * implied / drawn).min(1.0) }
}

/// Numbers of lanes one at a time, in the signed order of thresholds.
struct Numbers<'a> {
    lanes: &'a mut Lanes,
    drawn: [u32; crate::num::rng::LANES],
    used: usize,
}

impl<'a> Numbers<'a> {
    fn new(lanes: &'a mut Lanes) -> Self {
        Self { lanes, drawn: [0; crate::num::rng::LANES], used: crate::num::rng::LANES }
    }

    fn next(&mut self) -> i32 {
        if self.used == self.drawn.len() {
            self.drawn = self.lanes.next();
            self.used = 0;
        }
        let number = self.drawn.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        // The largest is moved down by one, so that probability 1 always happens.
        ((number ^ 0x8000_0000) as i32).min(i32::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // clusters {0.4, −0.2}, {0.1}, {−0.5, −0.5, 0.5}: Σ_c (Σ r)² = 0.04 + 0.01 + 0.25, Σ r² = 0.16 + 0.04 + 0.01 + 0.75
        // standard deviations {0.3, 0.4}, {0.5}, {0.5, 0.5, 0.5}: 0.49 + 0.25 + 2.25, Σ v = 0.09 + 0.16 + 0.25 + 0.75
        let residual = [0.4, -0.2, 0.1, -0.5, -0.5, 0.5];
        let variance = [0.09, 0.16, 0.25, 0.25, 0.25, 0.25];
        let of = [0, 0, 1, 2, 2, 2];
        assert_eq!(within_cluster_correlation(&residual, &variance, &of, 3), 0.0);
        let residual = [0.4, 0.2, 0.1, -0.5, -0.5, 0.5];
        // 0.36 + 0.01 + 0.25 − 0.96 < 0
        assert_eq!(within_cluster_correlation(&residual, &variance, &of, 3), 0.0);
        let residual = [0.4, 0.2, 0.1, -0.5, -0.5, -0.1];
        // (0.36 + 0.01 + 1.21 − 0.72) / (2.99 − 1.25)
        let rho = within_cluster_correlation(&residual, &variance, &of, 3);
        assert!((rho - 0.86 / 1.74).abs() < 1e-12, "{rho}");
        // every row for itself
        assert_eq!(within_cluster_correlation(&residual, &variance, &[0, 1, 2, 3, 4, 5], 6), 0.0);
        assert_eq!(within_cluster_correlation(&[], &[], &[], 0), 0.0);
    }

    #[test]
    fn draws_have_their_probabilities_and_the_correlation_that_is_asked_for() {
        let (clusters, size) = (4_000, 5);
        let of: Vec<u32> = (0..clusters * size).map(|i| (i / size) as u32).collect();
        let p: Vec<f64> = (0..clusters * size).map(|i| [0.05, 0.3, 0.5][(i / size) % 3]).collect();
        let thresholds: Vec<i32> = p.iter().map(|&p| bernoulli_threshold(p)).collect();
        for rho in [0.0, 0.2, 0.6, 1.0] {
            let draws = ClusteredDraws::new(rho, &p, &of, clusters);
            let (mut found, mut share) = (0.0, [0.0; 3]);
            for r in 0..10 {
                let mut target = vec![0; p.len()];
                draws.fill(&mut Lanes::seeded(7, r), &thresholds, &mut target);
                let residual: Vec<f64> = target.iter().zip(&p).map(|(&t, p)| f64::from(t) - p).collect();
                let variance: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
                found += within_cluster_correlation(&residual, &variance, &of, clusters) / 10.0;
                for (i, t) in target.iter().enumerate() {
                    share[(i / size) % 3] += f64::from(*t) / 66_665.0;
                }
            }
            assert!((found - rho).abs() < 0.02, "{found} for {rho}");
            for (share, p) in share.iter().zip([0.05, 0.3, 0.5]) {
                assert!((share - p).abs() < 0.02, "{share} for {p}");
            }
        }
    }

    #[test]
    fn draws_of_different_probabilities_have_together_the_covariance_of_the_correlation() {
        let (clusters, size) = (4_000, 5);
        let of: Vec<u32> = (0..clusters * size).map(|i| (i / size) as u32).collect();
        let p: Vec<f64> =
            (0..clusters * size).map(|i| [0.03, 0.2, 0.5, 0.7, 0.95][(i % size + i / size) % 5]).collect();
        let thresholds: Vec<i32> = p.iter().map(|&p| bernoulli_threshold(p)).collect();
        let draws = ClusteredDraws::new(0.3, &p, &of, clusters);
        let mut found = 0.0;
        for r in 0..10 {
            let mut target = vec![0; p.len()];
            draws.fill(&mut Lanes::seeded(3, r), &thresholds, &mut target);
            let residual: Vec<f64> = target.iter().zip(&p).map(|(&t, p)| f64::from(t) - p).collect();
            let variance: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
            found += within_cluster_correlation(&residual, &variance, &of, clusters) / 10.0;
        }
        assert!((found - 0.3).abs() < 0.02, "{found}");
    }

    #[test]
    fn sure_outcomes_stay_sure() {
        let draws = ClusteredDraws::new(0.5, &[], &[0, 0, 1, 1], 2);
        let thresholds = [0.0, 1.0, 0.0, 1.0].map(bernoulli_threshold);
        let mut target = [9; 4];
        draws.fill(&mut Lanes::seeded(1, 1), &thresholds, &mut target);
        assert_eq!(target, [0, 1, 0, 1]);
    }

    #[test]
    fn variances_and_design_effects() {
        assert_eq!(cluster_variance([1.0], &[0], 1), f64::INFINITY);
        // every row a cluster: n/(n − 1) Σ e²
        let alone = cluster_variance([1.0, -1.0, 2.0, -2.0], &[0, 1, 2, 3], 4);
        assert!((alone - 40.0 / 3.0).abs() < 1e-12, "{alone}");
        assert!((design_effect(0.3, &[0, 0, 0, 0, 1, 1, 1, 1], 2) - 1.9).abs() < 1e-12);
        assert_eq!(design_effect(0.3, &[0, 1, 2], 3), 1.0);
        assert_eq!(design_effect(0.3, &[], 0), 1.0);
    }
}
