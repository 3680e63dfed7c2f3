//! The kernel local calibration error, in both normalizations.

use super::PairSums;

/// Estimates of the squared kernel local calibration error; each is `None` where it is 0/0.
///
/// Source: Vashistha and Farahi (2025). Every number in their tables is in the normalized form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Klce {
    /// T / [((n − 1)/n) Σ_ij K_ij], the diagonal of K included: a mean over similar pairs
    pub normalized: Option<f64>,
    /// T / (n(n − 1)): unbiased, may be negative
    pub unbiased: Option<f64>,
    /// T / Σ_{i≠j} K_ij
    pub debiased_ratio: Option<f64>,
    /// eᵀKe / n², the diagonal included: never negative, biased upwards
    pub biased: f64,
}

impl Klce {
    /// From the sums over all pairs of `n` rows; `own` = Σ_i e_iᵀe_i.
    ///
    /// ```
    /// use localcal_numerics::hypothesis::{Klce, KlceKernel, KlceSample, pair_sums};
    /// use localcal_numerics::kernel::{Part, Points};
    /// use ndarray::array;
    ///
    /// // two rows at one place with one score: e = ½ and ½, K = 1, T = 2 · ¼
    /// let (p, y, x) = ([0.5, 0.5], [1, 1], array![[0.0], [0.0]]);
    /// let sample = KlceSample::pairs(&p, &y, Points::new(x.view())?, KlceKernel::usual(1))?;
    /// let sums = pair_sums(&sample, Part::WHOLE);
    /// let klce = Klce::new(2, &sums, 0.5);
    /// // ½ / (½ · (2 + 2)), ½ / (2 · 1), (½ + ½) / 2²
    /// assert_eq!((klce.normalized, klce.unbiased, klce.biased), (Some(0.25), Some(0.25), 0.25));
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn new(n: usize, sums: &PairSums, own: f64) -> Self {
        let n = n as f64;
        let over = |by: f64| (by > 0.0).then(|| sums.statistic / by);
        Self {
            normalized: over((n - 1.0) / n * (sums.mass + n)),
            unbiased: over(n * (n - 1.0)),
            debiased_ratio: over(sums.mass),
            biased: (sums.statistic + own) / (n * n),
        }
    }
}

/// Bound below which KLCE² (unbiased form) stays with probability 1 − α under local calibration, whatever the data:
/// √(2 ln(1/α)) / √n. Very loose.
///
/// Source: Vashistha and Farahi (2025), Corollary 3.7, with B = 1 for kernels of at most 1.
///
/// ```
/// // √(2 · 2) / √100
/// let bound = localcal_numerics::hypothesis::acceptance_bound(100, f64::exp(-2.0));
/// assert!((bound - 0.2).abs() < 1e-12);
/// ```
pub fn acceptance_bound(n: usize, alpha: f64) -> f64 {
    (2.0 * (1.0 / alpha).ln()).sqrt() / (n as f64).sqrt()
}
