//! Correlation of outcomes within clusters beyond what their scores explain.

use crate::num::cluster::{RowClusters, within_cluster_correlation};
use crate::num::logistic::logistic;
use crate::num::special::{PROB_CLIP, logit, sigmoid};

/// Clusters of dependent rows, and the correlation of their outcomes beyond the scores.
#[derive(Debug, Clone, Copy)]
pub struct Dependence<'a> {
    /// of all rows
    pub clusters: RowClusters<'a>,
    /// ρ > 0
    pub correlation: f64,
}

impl<'a> Dependence<'a> {
    /// `None` where outcomes are not correlated within clusters beyond their scores. That of [`outcome_correlation`].
    pub fn of(score: &[f64], target: &[u8], clusters: RowClusters<'a>) -> Option<Self> {
        let correlation = outcome_correlation(score, target, clusters.of, clusters.count);
        (correlation > 0.0).then_some(Self { clusters, correlation })
    }
}

/// [`within_cluster_correlation`] of outcomes beyond what their scores say: residuals are those of a logistic recalibration
/// σ(α + β logit s), so that scores that are equally wrong everywhere do not look like dependence; of the scores themselves
/// where it has no maximum. Two passes beyond six of the fit.
pub fn outcome_correlation(score: &[f64], target: &[u8], of: &[u32], count: usize) -> f64 {
    let z: Vec<f64> = score.iter().map(|&s| logit(s, PROB_CLIP)).collect();
    let fit = logistic(&[&z], None, target);
    let p: Vec<f64> = match fit.as_ref().map(|fit| fit.coefficients.as_slice()) {
        Some(&[intercept, slope]) => z.iter().map(|z| sigmoid(intercept + slope * z)).collect(),
        _ => score.to_vec(),
    };
    let residual: Vec<f64> = p.iter().zip(target).map(|(p, &t)| f64::from(t) - p).collect();
    let variance: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
    within_cluster_correlation(&residual, &variance, of, count)
}
