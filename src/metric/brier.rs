//! The Brier score: mean squared error of probabilities, and its exact split over bins.

use super::binning::Binning;
use super::pair::{check_classes, check_lengths};
use super::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::data::Matrix;
use crate::error::Result;

/// (1/n) Σ (s − t)², in [0, 1]: binary for (p, y), top-label for (confidence, correct).
///
/// Source: Brier (1950). Errors: `empty`, `length_mismatch`. One pass.
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
/// Source: Brier (1950). Errors: `empty`, `length_mismatch`, `label_out_of_range`. O(nm).
pub fn brier_sum(p: &Matrix, y: &[u32]) -> Result<f64> {
    weighted_brier_sum(p, y, None)
}

/// [`brier_sum`] of rows with weights. Errors as there.
pub fn weighted_brier_sum(p: &Matrix, y: &[u32], w: RowWeights) -> Result<f64> {
    check_classes(p, y)?;
    check_weighted(y.len(), y.len(), w)?;
    let mut row = vec![0.0; p.width];
    let mut sum = 0.0;
    for (i, &label) in y.iter().enumerate() {
        p.row_into(i, &mut row);
        row[label as usize] -= 1.0;
        sum += weight(w, i) * row.iter().map(|r| r * r).sum::<f64>();
    }
    Ok(sum / total_weight(w, y.len()))
}

/// [`brier_sum`] divided by the number of classes. Errors as there.
pub fn brier_mean(p: &Matrix, y: &[u32]) -> Result<f64> {
    Ok(brier_sum(p, y)? / p.width as f64)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::binning::BinOptions;
    use crate::metric::fixtures::{b12, close, f8, f8_top};

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        close(brier_sum(&p, &y).ok(), 0.4762);
        close(brier_mean(&p, &y).ok(), 0.158_733_333_333_333_33);
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
