//! Dependence of rows within clusters, and its effect on variances.

use crate::num::cluster::{ClusteredDraws, within_cluster_correlation};

/// Correlation of outcomes within clusters.
pub struct Dependence<'a> {
    /// cluster of each row
    pub of: &'a [u32],
    /// number of clusters
    pub count: usize,
    /// ρ̂, correlation of the residuals, 0 to 1
    pub correlation: f64,
    /// probability of each row
    p: &'a [f64],
}

impl<'a> Dependence<'a> {
    /// Estimates it from outcomes `t` with probabilities `p`; `None` without clusters. O(n).
    ///
    /// * `clusters`: of each row, and their number
    pub fn new(clusters: Option<(&'a [u32], usize)>, t: &[u8], p: &'a [f64]) -> Option<Self> {
        let (of, count) = clusters?;
        let residual: Vec<f64> = t.iter().zip(p).map(|(t, p)| f64::from(*t) - p).collect();
        let variance: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
        Some(Self { of, count, correlation: within_cluster_correlation(&residual, &variance, of, count), p })
    }

    /// Outcomes with this dependence.
    pub fn draws(&self) -> ClusteredDraws<'a> {
        ClusteredDraws::new(self.correlation, self.p, self.of, self.count)
    }
}
