//! The gap of some rows: mean score minus the observed share of events, with its interval and the test that it inverts.

use crate::data::View;
use crate::local::at_least;
use crate::num::cluster::{RowClusters, cluster_variance};
use crate::num::proportion::{binomial_two_sided, exact_interval};
use crate::num::special::{NORMAL_975, normal_tail, normal_two_sided};
use crate::words::number::{bare_points, percentage_points, points};

/// Rows of the rarer outcome, observed and expected, from which on the mean error is taken as normal.
const NORMAL_FROM: f64 = 20.0;

/// Means over some rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gap {
    /// rows
    pub n: f64,
    /// Σ t
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
        Self::of_counts(pairs.map(|(s, t)| (s, t, 1.0)))
    }

    /// Of rows that were counted elsewhere: (s, t) and how many rows they are. O(n).
    pub fn of_counts(counts: impl Iterator<Item = (f64, u8, f64)>) -> Self {
        let (mut n, mut score, mut events, mut squares, mut promised) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (s, t, rows) in counts {
            let t = f64::from(t);
            n += rows;
            score += rows * s;
            events += rows * t;
            squares += rows * (s - t) * (s - t);
            promised += rows * s * (1.0 - s);
        }
        let mean = (score - events) / n;
        Self {
            n,
            events,
            score: score / n,
            observed: events / n,
            variance: (squares / n - mean * mean).max(0.0),
            promised: promised / n,
            clustered: 0.0,
        }
    }

    /// Of pairs that belong together: the interval is at least as wide as the cluster-robust variance of the mean of s − t
    /// makes it. O(n).
    pub fn of_clusters(pairs: impl Iterator<Item = (f64, u8)> + Clone, clusters: Option<RowClusters>) -> Self {
        let alone = Self::of(pairs.clone());
        let Some(RowClusters { of, count }) = clusters else { return alone };
        let off = pairs.map(|(s, t)| s - f64::from(t) - alone.gap());
        // With one cluster nothing is known of its spread.
        let clustered = cluster_variance(off, of, count) / (alone.n * alone.n);
        Self { clustered, ..alone }
    }

    /// mean s − mean t; positive: scores are too high. `NaN` for no rows.
    pub fn gap(&self) -> f64 {
        self.score - self.observed
    }

    /// The 95 % interval: that of Clopper and Pearson where one outcome is rare; else m ± 1.96 √(v/n), v as in
    /// [`at_least`], cut to [−1, 1]. The scores are taken as given: the mean error is that of these rows.
    /// Of 4,000 files of 500 rows it holds the mean error of 96.3% where 6 events are expected and three times as many
    /// true, and of 96.8% where 12 are expected and a third of them true; the normal interval alone of 93.5% and 99.7%.
    pub fn interval(&self) -> [f64; 2] {
        self.within(NORMAL_975)
    }

    /// The same at the level of m ± `z` √(v/n).
    pub fn within(&self, z: f64) -> [f64; 2] {
        if self.is_exact() {
            let (low, high) = exact_interval(self.whole_events(), self.rows(), normal_tail(z));
            return [self.score - high, self.score - low];
        }
        [-z, z].map(|z| (self.gap() + z * self.standard_error()).clamp(-1.0, 1.0))
    }

    /// Two-sided p-value of no error on average: below 0.05 exactly where [`Self::interval`] excludes 0. Unlike the
    /// test of the number of events under the scores ([`two_sided`](crate::hypothesis::poisson_binomial::two_sided)) it
    /// does not take scores that are too extreme at their word.
    pub fn p(&self) -> f64 {
        match self.is_exact() {
            true => binomial_two_sided(self.whole_events(), self.rows(), self.score),
            false => normal_two_sided(self.gap() / self.standard_error()).min(1.0),
        }
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

    /// Whether one outcome of independent rows is too rare for a normal distribution.
    fn is_exact(&self) -> bool {
        let rarer = |share: f64| self.n * share.min(1.0 - share);
        self.clustered == 0.0 && rarer(self.score).min(rarer(self.observed)) < NORMAL_FROM
    }

    fn whole_events(&self) -> usize {
        self.events.round() as usize
    }

    fn rows(&self) -> usize {
        self.n.round() as usize
    }
}

/// "+12.0 pp (+3.1 to +20.9)".
pub fn gap_words(gap: f64, [low, high]: [f64; 2]) -> String {
    format!("{} ({} to {})", points(gap), bare_points(low), bare_points(high))
}

/// "overestimated by 12.0 percentage points".
pub fn direction(gap: f64) -> String {
    format!("{} by {}", side(gap), percentage_points(gap))
}

/// "are underestimated", "is overestimated": what is said of [`View::subject`].
///
/// * `how`: an adverb with the space behind it, or nothing
pub fn predicate(view: View, how: &str, gap: f64) -> String {
    let verb = match view {
        View::Positive => "are",
        View::TopLabel => "is",
    };
    format!("{verb} {how}{}", side(gap))
}

/// "overestimated"
pub fn side(gap: f64) -> &'static str {
    if gap >= 0.0 { "overestimated" } else { "underestimated" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: [f64; 2] = [0.00162541951737330, 0.01162947055981221];

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
        assert!((low + high - 2.0 * gap.gap()).abs() < 1e-12 && low < -0.15, "{low} {high}");
    }

    #[test]
    fn the_direction_of_a_gap_is_the_predicate_of_its_view() {
        assert_eq!(predicate(View::TopLabel, "slightly ", -0.005), "is slightly underestimated");
        assert_eq!(predicate(View::Positive, "", 0.2), "are overestimated");
    }
}
