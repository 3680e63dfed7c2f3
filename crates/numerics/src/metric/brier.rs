//! The Brier score: mean squared error of probabilities, and its exact split over bins.

use ndarray::ArrayView2;

use super::binning::Binning;
use super::entry::{Discloses, Interval, Metric, Range, Replicates, ValueOf, Weights};
use super::labels::check_labels;
use super::reason::Reason;
use super::rows::Pair;
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight, weighted_mean};

/// (1/n) Σ (s − t)², in [0, 1]: binary for (p, y), top-label for (confidence, correct).
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
///
/// # Source
/// Brier (1950).
///
/// ```
/// use localcal_numerics::metric::brier::brier_pair;
///
/// // (0.5² + 0.25²) / 2
/// assert_eq!(brier_pair(&[0.5, 0.75], &[0, 1])?, 0.15625);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn brier_pair(s: &[f64], t: &[u8]) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let sum: f64 = s.iter().zip(t).map(|(s, &t)| (s - f64::from(t)).powi(2)).sum();
    Ok(sum / s.len() as f64)
}

/// Σ w (s − t)² / Σ w. Errors: `empty`, `length_mismatch`. One pass.
pub fn weighted_brier_pair(s: &[f64], t: &[u8], w: RowWeights) -> Result<f64> {
    check_weighted(s.len(), t.len(), w)?;
    let rows = s.iter().zip(t).enumerate();
    let sum: f64 = rows.map(|(i, (s, &t))| weight(w, i) * (s - f64::from(t)).powi(2)).sum();
    Ok(sum / total_weight(w, s.len()))
}

/// (1/n) Σᵢ Σₖ (Pᵢₖ − 1[yᵢ = k])², in [0, 2]; for two classes twice the binary score.
///
/// * `p`: probabilities, n × m; `y`: classes 0..m, n
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// O(nm).
///
/// # Source
/// Brier (1950).
///
/// ```
/// use localcal_numerics::metric::brier::brier_sum;
/// use ndarray::array;
///
/// // 0.5² + 0.25² + 0.25²
/// assert_eq!(brier_sum(array![[0.5, 0.25, 0.25]].view(), &[0])?, 0.375);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn brier_sum(p: ArrayView2<f64>, y: &[u32]) -> Result<f64> {
    weighted_brier_sum(p, y, None)
}

/// [`brier_sum`] of rows with weights. Errors as there.
pub fn weighted_brier_sum(p: ArrayView2<f64>, y: &[u32], w: RowWeights) -> Result<f64> {
    check_labels(p.dim(), y)?;
    check_weighted(y.len(), y.len(), w)?;
    let mut sum = 0.0;
    for (i, (row, &label)) in p.rows().into_iter().zip(y).enumerate() {
        let residuals = row.iter().enumerate().map(|(k, p)| p - if k == label as usize { 1.0 } else { 0.0 });
        sum += weight(w, i) * residuals.map(|r| r * r).sum::<f64>();
    }
    Ok(sum / total_weight(w, y.len()))
}

/// [`brier_sum`] divided by the number of classes. Errors as there.
pub fn brier_mean(p: ArrayView2<f64>, y: &[u32]) -> Result<f64> {
    Ok(brier_sum(p, y)? / p.ncols() as f64)
}

/// Terms of the Brier score over bins: score = reliability − resolution + uncertainty + variance − covariance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrierDecomposition {
    /// Σ (n_b/n) gap_b²
    pub reliability: f64,
    /// Σ (n_b/n) (mean target of the bin − overall mean)²
    pub resolution: f64,
    /// t̄(1 − t̄)
    pub uncertainty: f64,
    /// (1/n) Σ_b Σ_i (sᵢ − mean score of the bin)²
    pub within_bin_variance: f64,
    /// (2/n) Σ_b Σ_i (tᵢ − mean target)(sᵢ − mean score)
    pub within_bin_covariance: f64,
}

impl BrierDecomposition {
    /// The sum of the terms, the Brier score.
    pub fn score(&self) -> f64 {
        self.reliability - self.resolution + self.uncertainty + self.within_bin_variance - self.within_bin_covariance
    }
}

/// The exact split of [`brier_pair`] over the bins of the same rows.
///
/// Source: Murphy (1973), with the within-bin terms of Stephenson, Coelho and Jolliffe (2008).
/// Errors: `empty`, `length_mismatch`. Two passes.
pub fn brier_decomposition(s: &[f64], t: &[u8], binning: &Binning) -> Result<BrierDecomposition> {
    check_lengths(s.len(), t.len())?;
    check_lengths(s.len(), binning.assignment.len())?;
    let mut means = vec![(0.0_f64, 0.0_f64, 0.0_f64); binning.count()];
    for ((&s, &t), &b) in s.iter().zip(t).zip(&binning.assignment) {
        let bin = &mut means[b as usize];
        *bin = (bin.0 + 1.0, bin.1 + s, bin.2 + f64::from(t));
    }
    let n = s.len() as f64;
    let base = means.iter().map(|b| b.2).sum::<f64>() / n;
    let (mut reliability, mut resolution) = (0.0, 0.0);
    for (count, score, target) in means.iter_mut().filter(|b| b.0 > 0.0) {
        *score /= *count;
        *target /= *count;
        reliability += *count / n * (*score - *target).powi(2);
        resolution += *count / n * (*target - base).powi(2);
    }
    let (mut variance, mut covariance) = (0.0, 0.0);
    for ((&s, &t), &b) in s.iter().zip(t).zip(&binning.assignment) {
        let (_, score, target) = means[b as usize];
        variance += (s - score).powi(2);
        covariance += 2.0 * (f64::from(t) - target) * (s - score);
    }
    Ok(BrierDecomposition {
        reliability,
        resolution,
        uncertainty: base * (1.0 - base),
        within_bin_variance: variance / n,
        within_bin_covariance: covariance / n,
    })
}

/// Brier: squared error.
pub static BRIER: Metric = Metric {
    id: "brier",
    name: "Brier",
    plain: "mean squared error",
    definition: "Positive view: mean (p − y)², from 0 to 1. Top-label view: squared error summed over classes, from 0 to 2.",
    formula: "positive view (1/n) Σ (p − y)²; top label (1/n) Σ_i Σ_k (P_ik − 1[y_i = k])²",
    source: "Brier 1950",
    range: Range::UpToTwo,
    unit: "squared probability",
    value: ValueOf::Rows(|rows| Ok(Ok(weighted_mean(rows.brier, rows.pair.weights)))),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Sums(|sums| Some(sums.brier / sums.n)),
    interval: Interval::Percentile,
    scorecard: true,
    bar: false,
    validates: Some(4),
    decides: Some(4),
    chooses: Some(1),
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

/// Brier (predicted class): squared error of the confidence.
pub static BRIER_TOP: Metric = Metric {
    id: "brier_top",
    name: "Brier (predicted class)",
    plain: "mean squared error of the confidence",
    definition: "Mean (c − a)²: confidence of the predicted class and correctness.",
    formula: "(1/n) Σ (c − a)²",
    source: "Brier 1950",
    unit: "squared probability",
    value: ValueOf::Rows(|rows| {
        // (c − a)² = (p − y)² row by row, so the pair of either view serves
        let Pair { score, target, weights, .. } = &rows.pair;
        Ok(Ok(weighted_brier_pair(score, target, *weights)?))
    }),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Sums(|sums| Some(sums.squared / sums.n)),
    interval: Interval::Percentile,
    scorecard: true,
    bar: false,
    chooses: Some(2),
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

/// Brier (mean over classes): squared error, averaged over classes.
pub static BRIER_MEAN: Metric = Metric {
    id: "brier_mean",
    name: "Brier (mean over classes)",
    plain: "mean squared error, averaged over classes",
    definition: "The Brier score summed over classes, divided by the number of classes.",
    formula: "(1/nm) Σ_i Σ_k (P_ik − 1[y_i = k])²",
    source: "Brier 1950",
    unit: "squared probability",
    value: ValueOf::Vectors(|rows| {
        let sum = weighted_brier_sum(rows.p, rows.y, rows.weights);
        Ok(sum.map(|sum| sum / rows.p.ncols() as f64).map_err(|error| Reason::undefined(error.to_string())))
    }),
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Never,
    interval: Interval::None,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8, f8_top};
    use crate::metric::binning::BinOptions;

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let p = p.to_array();
        close(brier_sum(p.view(), &y).ok(), 0.4762);
        close(brier_mean(p.view(), &y).ok(), 0.158_733_333_333_333_33);
        let (s, t) = f8_top();
        close(brier_pair(&s, &t).ok(), 0.25);
        let (s, t) = b12();
        close(brier_pair(&s, &t).ok(), 0.208_333_333_333_333_33);
    }

    #[test]
    fn worked_decomposition() {
        let (s, t) = f8_top();
        let bins = BinOptions::equal_width(5).binning(&s).expect("valid");
        let d = brier_decomposition(&s, &t, &bins).expect("valid");
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 5e-9, "{got} {expected}");
        near(d.reliability, 0.159_479_17);
        near(d.resolution, 0.093_75);
        near(d.uncertainty, 0.1875);
        near(d.within_bin_variance, 0.003_020_83);
        near(d.within_bin_covariance, 0.006_25);
        close(Some(d.score()), 0.25);
    }
}
