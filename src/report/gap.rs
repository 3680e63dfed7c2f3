//! The gap of some rows: mean score minus the observed share of events, with its interval.

use crate::local::{NORMAL_975, at_least};
use crate::num::cluster::{RowClusters, cluster_variance};
use crate::words::number::{bare_points, percentage_points, points};

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

    /// The 95 % interval m ± 1.96 √(v/n), v as in [`at_least`], cut to [−1, 1].
    pub fn interval(&self) -> [f64; 2] {
        self.within(NORMAL_975)
    }

    /// m ± `z` √(v/n).
    pub fn within(&self, z: f64) -> [f64; 2] {
        let se = (at_least(self.variance, self.promised, self.n) / self.n).max(self.clustered).sqrt();
        [-z, z].map(|z| (self.gap() + z * se).clamp(-1.0, 1.0))
    }
}

/// "+12.0 pp (+3.1 to +20.9)".
pub fn gap_words(gap: f64, [low, high]: [f64; 2]) -> String {
    format!("{} ({} to {})", points(gap), bare_points(low), bare_points(high))
}

/// "overestimated by 12.0 percentage points".
pub fn direction(gap: f64) -> String {
    let side = if gap >= 0.0 { "overestimated" } else { "underestimated" };
    format!("{side} by {}", percentage_points(gap))
}
