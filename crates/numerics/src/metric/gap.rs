//! The gap of some rows: mean score minus the observed share of events, with its interval and the test that it inverts.

use crate::local::at_least;
use crate::num::cluster::{RowClusters, cluster_variance};
use crate::num::proportion::{binomial_two_sided, exact_interval};
use crate::num::special::{NORMAL_975, normal_tail, normal_two_sided};
use crate::num::weight::{RowWeights, Sampling, weight};

/// Rows of the rarer outcome, observed and expected, from which on the mean error and the number of events are taken as
/// normal.
pub const NORMAL_FROM: f64 = 20.0;

/// Means over some rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gap {
    /// rows; with sampling weights their effective number (Σ w)² / Σ w²
    pub n: f64,
    /// Σ t; with sampling weights the share of events in the effective number of rows
    pub events: f64,
    /// mean of s
    pub score: f64,
    /// mean of t
    pub observed: f64,
    /// variance of s − t around its mean
    variance: f64,
    /// mean of s(1 − s), the variance that the scores themselves promise
    pub promised: f64,
    /// variance of the mean of s − t where rows belong together; 0 where they are independent
    clustered: f64,
}

impl Gap {
    /// Of pairs (s, t). O(n).
    pub fn of(pairs: impl Iterator<Item = (f64, u8)>) -> Self {
        Self::sums(pairs.map(|(s, t)| (s, t, 1.0)), Sampling::default())
    }

    /// Of rows that were counted elsewhere: (s, t) and how many rows they are. O(n).
    pub fn of_counts(counts: impl Iterator<Item = (f64, u8, f64)>) -> Self {
        Self::sums(counts, Sampling { clusters: None, counted: true })
    }

    /// Of pairs that belong together. O(n).
    pub fn of_clusters(pairs: impl Iterator<Item = (f64, u8)> + Clone, clusters: Option<RowClusters>) -> Self {
        Self::of_weighted(pairs.map(|(s, t)| (s, t, 1.0)), Sampling::of(clusters))
    }

    /// Of rows with their weights, as they were sampled. O(n).
    pub fn of_rows(s: &[f64], t: &[u8], w: RowWeights, sampling: Sampling) -> Self {
        let rows = s.iter().zip(t).enumerate();
        Self::of_weighted(rows.map(|(i, (&s, &t))| (s, t, weight(w, i))), sampling)
    }

    fn of_weighted(rows: impl Iterator<Item = (f64, u8, f64)> + Clone, sampling: Sampling) -> Self {
        let alone = Self::sums(rows.clone(), sampling);
        let Some(RowClusters { of, count }) = sampling.clusters else { return alone };
        let total: f64 = rows.clone().map(|(.., w)| w).sum();
        let off = rows.map(|(s, t, w)| w * (s - f64::from(t) - alone.gap()));
        // With one cluster nothing is known of its spread.
        Self { clustered: cluster_variance(off, of, count) / (total * total), ..alone }
    }

    /// Of rows as if they were independent: a weight w counts as w in a mean, and in its variance as [`Sampling::variance`].
    fn sums(rows: impl Iterator<Item = (f64, u8, f64)>, sampling: Sampling) -> Self {
        let (mut total, mut score, mut events) = (0.0, 0.0, 0.0);
        let (mut spread, mut off, mut squares, mut promised) = (0.0, 0.0, 0.0, 0.0);
        for (s, t, w) in rows {
            let (t, v) = (f64::from(t), sampling.variance(w));
            total += w;
            score += w * s;
            events += w * t;
            spread += v;
            off += v * (s - t);
            squares += v * (s - t) * (s - t);
            promised += v * s * (1.0 - s);
        }
        let mean = (score - events) / total;
        // 1 unless rows have weights, and where there is none
        let effective = if spread > 0.0 { total / spread } else { 1.0 };
        Self {
            n: effective * total,
            events: effective * events,
            score: score / total,
            observed: events / total,
            variance: (squares / spread - mean * (2.0 * off / spread - mean)).max(0.0),
            promised: promised / spread,
            clustered: 0.0,
        }
    }

    /// mean s − mean t; positive: scores are too high. `NaN` for no rows.
    pub fn gap(&self) -> f64 {
        self.score - self.observed
    }

    /// The same rows, whose clusters are known to give their mean a standard error of `error` at least: the few clusters of
    /// some rows tell less of their spread than those of all rows.
    pub fn with_cluster_error(self, error: f64) -> Self {
        Self { clustered: self.clustered.max(error * error), ..self }
    }

    /// The 95 % interval: that of Clopper and Pearson where one outcome is rare; else m ± 1.96 √(v/n), v as in
    /// [`at_least`], cut to what any share of events leaves possible, s̄ − 1 to s̄. The scores are taken as given: the mean
    /// error is that of these rows.
    /// Of 4,000 files of 500 rows it holds the mean error of 96.3% where 6 events are expected and three times as many
    /// true, and of 96.8% where 12 are expected and a third of them true; the normal interval alone of 93.5% and 99.7%.
    ///
    /// With sampling weights n is the effective number of rows, as in Korn and Graubard (1998), and need not be whole.
    /// Of rows in clusters v/n is at least the cluster-robust variance, and where one outcome is rare, the interval holds
    /// both: that of Clopper and Pearson is the least that few events leave open, however their clusters lie.
    pub fn interval(&self) -> [f64; 2] {
        self.within(NORMAL_975)
    }

    /// The same at the level of m ± `z` √(v/n), P(|Z| ≤ `z`) of a standard normal Z. With the z of a simultaneous band,
    /// that is the interval of one of several mean errors that are read together.
    pub fn within(&self, z: f64) -> [f64; 2] {
        // not `clamp`, which takes no NaN: no rows have no mean
        let possible = |m: f64| m.max(self.score - 1.0).min(self.score);
        let normal = [-z, z].map(|z| possible(self.gap() + z * self.standard_error()));
        if !self.is_rare() {
            return normal;
        }
        let (low, high) = exact_interval(self.events, self.n, normal_tail(z));
        let exact = [self.score - high, self.score - low];
        if self.is_clustered() { [exact[0].min(normal[0]), exact[1].max(normal[1])] } else { exact }
    }

    /// Two-sided p-value of no error on average: below 0.05 exactly where [`Self::interval`] excludes 0. Unlike the
    /// test of the number of events under the scores ([`two_sided`](crate::hypothesis::poisson_binomial::two_sided)) it
    /// does not take scores that are too extreme at their word.
    pub fn p(&self) -> f64 {
        let normal = normal_two_sided(self.gap() / self.standard_error()).min(1.0);
        if !self.is_rare() {
            return normal;
        }
        let exact = binomial_two_sided(self.events, self.n, self.score);
        if self.is_clustered() { exact.max(normal) } else { exact }
    }

    /// The p-value `tested` of the same error by another test, and no smaller than [`Self::p`]: an error that is
    /// significant by it has an interval that excludes 0.
    pub fn p_at_least(&self, tested: f64) -> f64 {
        if tested.is_nan() { tested } else { tested.max(self.p()) }
    }

    /// √(v/n), v as in [`at_least`], or that of clusters where it is larger.
    pub fn standard_error(&self) -> f64 {
        (at_least(self.variance, self.promised, self.n) / self.n).max(self.clustered).sqrt()
    }

    /// Whether one outcome is too rare for a normal distribution.
    pub fn is_rare(&self) -> bool {
        let rarer = |share: f64| self.n * share.min(1.0 - share);
        rarer(self.score).min(rarer(self.observed)) < NORMAL_FROM
    }

    fn is_clustered(&self) -> bool {
        self.clustered > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: [f64; 2] = [0.00162541951737330, 0.01162947055981221];

    const WEIGHTED: [f64; 2] = [0.00101080340327, 0.02977697741187];

    fn of(rows: usize, events: usize, score: f64) -> Gap {
        Gap::of((0..rows).map(|row| (score, u8::from(row < events))))
    }

    /// Five events where one is expected: m ± 1.96 √(v/n) would include 0 beside p = 0.007.
    #[test]
    fn rare_events_have_an_exact_interval() {
        let gap = of(1_000, 5, 0.001);
        // SciPy: binomtest(5, 1000).proportion_ci(method="exact")
        let [low, high] = gap.interval();
        assert!((low - (0.001 - EXACT[1])).abs() < 1e-10 && (high - (0.001 - EXACT[0])).abs() < 1e-10, "{low} {high}");
        assert!(high < 0.0 && (gap.p() - 0.007_273_756).abs() < 1e-8, "{}", gap.p());
        // a single row says little, and nothing beyond what is possible
        let [low, high] = of(1, 1, 0.3).interval();
        assert!((low + 0.7).abs() < 1e-12 && (high - 0.275).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn p_is_small_exactly_where_the_interval_excludes_zero() {
        for rows in [30_usize, 90, 400, 2_000] {
            for (events, score) in (0..=rows).step_by(7).flat_map(|k| [0.02, 0.3, 0.5, 0.9].map(|s| (k, s))) {
                let gap = of(rows, events, score);
                let [low, high] = gap.interval();
                assert_eq!(gap.p() < 0.05, low > 0.0 || high < 0.0, "{events} of {rows} at {score}: {}", gap.p());
            }
        }
    }

    /// Half of the rows at 2% and 98%, all events as likely as not: 10 fewer than expected are no sign of an error on
    /// average.
    #[test]
    fn scores_that_are_too_extreme_do_not_make_the_mean_certain() {
        let rows = 200;
        let scores: Vec<f64> = (0..rows).map(|row| if row % 2 == 0 { 0.02 } else { 0.98 }).collect();
        let gap = Gap::of(scores.iter().enumerate().map(|(row, &s)| (s, u8::from(row % 20 < 9))));
        assert!(crate::hypothesis::poisson_binomial::two_sided(&scores, 90) < 1e-4);
        let [low, high] = gap.interval();
        assert!(gap.p() > 0.1 && low < 0.0 && high > 0.0, "{} {low} {high}", gap.p());
        assert_eq!((gap.p_at_least(1e-6), gap.p_at_least(1.0)), (gap.p(), 1.0));
        assert!(gap.p_at_least(f64::NAN).is_nan());
    }

    #[test]
    fn clustered_rows_keep_their_own_variance() {
        let pairs = (0..100).map(|row| (0.05, u8::from(row < 10)));
        let of: Vec<u32> = (0..100).map(|row| row / 10).collect();
        let gap = Gap::of_clusters(pairs, Some(RowClusters { of: &of, count: 10 }));
        let [low, high] = gap.interval();
        // sums of the clusters about the mean: −9, and 1 nine times; 10/9 · 90 / 100² = 0.1². No share is below 0.
        assert!((low - (-0.05 - NORMAL_975 * 0.1)).abs() < 1e-12 && high == gap.score, "{low} {high}");
    }

    /// Two events, each in a cluster of its own: the cluster-robust variance sees next to nothing of what is open.
    #[test]
    fn few_events_in_clusters_leave_at_least_as_much_open_as_independent_ones() {
        let pairs = (0..400).map(|row| (0.02, u8::from(row % 200 == 0)));
        let of: Vec<u32> = (0..400).map(|row| row / 4).collect();
        let clustered = Gap::of_clusters(pairs.clone(), Some(RowClusters { of: &of, count: 100 }));
        let ([low, high], [least, most]) = (clustered.interval(), Gap::of(pairs).interval());
        assert!(low <= least && high >= most, "{low} {high}, {least} {most}");
        assert_eq!(clustered.p() < 0.05, low > 0.0 || high < 0.0);
        assert_eq!((Gap::of([].into_iter()).n, Gap::of([].into_iter()).events), (0.0, 0.0));
        // nothing is known of a single cluster, but that a share lies between 0 and 1
        let one = Gap::of_clusters([(0.1, 0), (0.1, 1)].into_iter(), Some(RowClusters { of: &[0, 0], count: 1 }));
        assert_eq!((one.interval(), one.p()), ([-0.9, 0.1], 1.0));
        assert!(Gap::of([].into_iter()).interval().iter().all(|end| end.is_nan()));
    }

    /// At z = 3 a probability of 0.00135 is left out on either side: none of 100 events, up to 1 − 0.00135^(1/100).
    #[test]
    fn a_simultaneous_interval_of_few_events_is_exact_at_its_level() {
        let none = of(100, 0, 0.01);
        let tail = normal_tail(3.0);
        let [low, high] = none.within(3.0);
        assert!((low - (0.01 - (1.0 - tail.powf(0.01)))).abs() < 1e-11 && (high - 0.01).abs() < 1e-12, "{low} {high}");
        assert_eq!(none.within(NORMAL_975), none.interval());
        // 5 where 1 is expected: 4 standard errors of the scores, but P(X ≥ 5) = 0.0034
        let five = of(100, 5, 0.01);
        assert!(five.gap() + 3.0 * (0.01_f64 * 0.99 / 100.0).sqrt() < 0.0 && five.within(3.0)[1] > 0.0);
    }

    /// Two clusters that happen to agree, of a file whose clusters do not.
    #[test]
    fn few_clusters_have_the_spread_of_all() {
        let pairs = (0..100).map(|row| (0.5, u8::from(row % 2 == 0)));
        let of: Vec<u32> = (0..100).map(|row| row / 50).collect();
        let own = Gap::of_clusters(pairs, Some(RowClusters { of: &of, count: 2 }));
        assert!(own.standard_error() < 0.051);
        let known = own.with_cluster_error(0.2);
        assert_eq!((known.gap(), known.standard_error()), (own.gap(), 0.2));
        assert_eq!(known.with_cluster_error(0.1), known);
    }

    /// Equal weights change nothing; of 300 rows with weights 1 and 3, 240 count: (Σ w)² / Σ w² = 600² / 1500.
    #[test]
    fn weights_count_by_the_effective_number_of_rows() {
        let (s, t) = (vec![0.02; 300], (0..300).map(|row| u8::from(row % 100 == 0)).collect::<Vec<_>>());
        let of = |w: Option<&[f64]>| Gap::of_rows(&s, &t, w, Sampling::default());
        let (plain, equal) = (of(None).interval(), of(Some(&[2.5; 300])).interval());
        assert!(plain.iter().zip(equal).all(|(a, b)| (a - b).abs() < 1e-12), "{plain:?} {equal:?}");
        let unequal: Vec<f64> = (0..300).map(|row| if row < 150 { 1.0 } else { 3.0 }).collect();
        let unequal = of(Some(&unequal));
        assert!((unequal.n - 240.0).abs() < 1e-9 && (unequal.events - 240.0 * 5.0 / 600.0).abs() < 1e-9);
        // the binomial distribution: P(X ≥ 2) and P(X ≤ 2) of 240 rows are 0.025
        let [low, high] = unequal.interval();
        assert!(
            (low - (0.02 - WEIGHTED[1])).abs() < 1e-9 && (high - (0.02 - WEIGHTED[0])).abs() < 1e-9,
            "{low} {high}"
        );
    }
}
