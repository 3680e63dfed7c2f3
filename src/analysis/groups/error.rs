//! The mean error of the rows of a group, with its test.

use crate::data::{ClusterIds, PresentClusters};
use crate::hypothesis::clustered_events::clustered_two_sided;
use crate::hypothesis::poisson_binomial::{two_sided, two_sided_of_counts};
use crate::metric::gap::Gap;
use crate::num::cluster::design_effect;
use crate::num::outcome_correlation::outcome_correlation;
use crate::report::MethodRows;

/// Clusters of dependent rows, and the correlation of their outcomes given the scores.
pub(in crate::analysis) struct Dependent {
    clusters: ClusterIds,
    correlation: f64,
}

/// The clusters of a group, and the correlation of all.
pub(in crate::analysis) struct Within {
    clusters: PresentClusters,
    correlation: f64,
}

impl Dependent {
    /// Of a method's rows; `None` where rows are independent.
    pub fn of(rows: &MethodRows) -> Option<Self> {
        Self::of_pairs(&rows.score, &rows.target, &rows.clusters)
    }

    /// The same of scores and outcomes.
    pub fn of_pairs(score: &[f64], target: &[u8], clusters: &ClusterIds) -> Option<Self> {
        let PresentClusters { of, count } = clusters.present()?;
        let correlation = outcome_correlation(score, target, &of, count);
        Some(Self { clusters: ClusterIds { of: of.into(), count }, correlation })
    }

    /// Clusters of the rows at some positions, numbered anew.
    pub fn at(&self, positions: &[u32]) -> Within {
        let none = PresentClusters { of: Vec::new(), count: 0 };
        let clusters = self.clusters.at(positions).present().unwrap_or(none);
        Within { clusters, correlation: self.correlation }
    }
}

impl Within {
    /// Factor by which dependence increases the variance of a mean.
    pub fn design_effect(&self) -> f64 {
        design_effect(self.correlation, &self.clusters.of, self.clusters.count)
    }
}

/// The mean error of the rows at some positions, and its p-value if it is `tested`, else NaN; see [`GroupRows`].
pub(in crate::analysis) fn error_at(
    (score, target): (&[f64], &[u8]),
    positions: &[u32],
    dependent: Option<&Dependent>,
    tested: bool,
) -> (Gap, f64) {
    let places = || positions.iter().map(|&i| i as usize);
    let s: Vec<f64> = places().filter_map(|i| score.get(i).copied()).collect();
    let t: Vec<u8> = places().filter_map(|i| target.get(i).copied()).collect();
    let within = dependent.map(|dependent| dependent.at(positions));
    let rows = GroupRows { s: &s, t: &t, counts: None, within: within.as_ref() };
    let gap = rows.gap();
    let p = if tested { rows.p(&gap) } else { f64::NAN };
    (gap, p)
}

/// p-value of the number of events of a group, whose rows are `rows`, under their scores (see [`GroupRows::p`]); with sampling
/// weights, of no error on average. `positions`: of the group among the rows that `dependent` is of.
pub(in crate::analysis) fn events_p(rows: &MethodRows, positions: &[u32], dependent: Option<&Dependent>) -> f64 {
    let (gap, weights) = (rows.gap(), rows.weights());
    if weights.is_some() && !rows.counted {
        return gap.p();
    }
    let within = dependent.map(|dependent| dependent.at(positions));
    let (s, t) = (&rows.score[..], &rows.target[..]);
    GroupRows { s, t, counts: weights, within: within.as_ref() }.p(&gap)
}

/// The rows of a group.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct GroupRows<'a> {
    /// s
    pub s: &'a [f64],
    /// t
    pub t: &'a [u8],
    /// how many rows each represents, if rows were counted beforehand
    pub counts: Option<&'a [f64]>,
    /// their clusters, if rows are dependent
    pub within: Option<&'a Within>,
}

impl GroupRows<'_> {
    /// Their mean error.
    pub fn gap(&self) -> Gap {
        let pairs = self.s.iter().zip(self.t);
        match self.counts {
            Some(counts) => Gap::of_counts(pairs.zip(counts).map(|((&s, &t), &n)| (s, t, n))),
            None => {
                let clusters = self.within.map(|within| within.clusters.rows());
                Gap::of_clusters(pairs.map(|(&s, &t)| (s, t)), clusters)
            }
        }
    }

    /// p-value of the number of their events under the scores themselves (Poisson-binomial; see [`two_sided`]), and at least
    /// that of no error on average, so that the interval of a significant error excludes 0 (see [`Gap::p_at_least`]).
    ///
    /// Where rows are dependent, it is simulated, with the same draws for the same rows wherever they are shown. O(n²) up to
    /// 1,000 rows.
    pub fn p(&self, gap: &Gap) -> f64 {
        let events = gap.events as usize;
        gap.p_at_least(match (self.counts, self.within) {
            (Some(counts), _) => two_sided_of_counts(self.s, counts, events),
            (None, Some(within)) => clustered_two_sided(self.s, events, within.clusters.rows(), within.correlation, 0),
            (None, None) => two_sided(self.s, events),
        })
    }
}
