//! How many neighbors rows have: what data can show of the terms of the uniform convergence theorem.

use super::sample::LocalSample;
use crate::words::text::thousands;

/// Kernel mass per place as a share of the sample, and effective neighbors.
///
/// The theorem bounds the error by n = Õ(d / (α⁴ ε²)). Its constants and logarithms are not known, so that no number of rows
/// follows from it, and none is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Guidance {
    /// α̂ = min_x Σ_{i in b(x)} k(x, x_i) / n.
    pub alpha: f64,
    /// Σ k / n at the quantiles 0, .05, .25, .5, .75, .95, 1 over the rows (nearest rank).
    pub quantiles: [f64; 7],
    /// Effective neighbors (Σ k)² / Σ k² at the same quantiles.
    pub n_eff: [f64; 7],
}

impl Guidance {
    /// What the numbers mean, in plain words.
    pub fn sentence(&self) -> String {
        let rows = |count: f64| {
            if count < 9.95 { format!("{count:.1}") } else { thousands(count.round() as u64) }
        };
        format!(
            "Half of the rows have fewer than {} effective neighbors, one in twenty fewer than {}.",
            rows(self.n_eff[3]),
            rows(self.n_eff[1])
        )
    }
}

/// Nearest-rank quantiles of ascending values.
fn quantiles(sorted: &[f64]) -> [f64; 7] {
    [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(|quantile: f64| {
        let rank = (quantile * sorted.len() as f64).ceil().max(1.0) as usize;
        sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
    })
}

/// α̂ and quantiles, from kernel mass and effective neighbors of every row of the sample (self included).
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, theorem 1.
///
/// # Cost
/// Two sorts of n numbers.
///
/// ```
/// use localcal_numerics::kernel::Points;
/// use localcal_numerics::local::{LocalSample, guidance};
/// use ndarray::array;
///
/// // two rows that see each other wholly: α̂ = 2/2
/// let x = array![[0.0], [0.0]];
/// let sample = LocalSample::new(&[0.5, 0.5], &[1, 0], &[0, 0], Points::new(x.view())?)?;
/// let found = guidance(&sample, &[2.0, 2.0], &[2.0, 2.0]).unwrap();
/// assert!(found.alpha == 1.0 && found.n_eff[3] == 2.0);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn guidance(sample: &LocalSample, mass: &[f64], n_eff: &[f64]) -> Option<Guidance> {
    let n = sample.n() as f64;
    let ascending = |values: &[f64], scale: f64| {
        let known = values.iter().filter(|v| !v.is_nan());
        let mut sorted: Vec<f64> = known.map(|v| v / scale).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (share, n_eff) = (ascending(mass, n), ascending(n_eff, 1.0));
    let alpha = *share.first()?;
    Some(Guidance { alpha, quantiles: quantiles(&share), n_eff: quantiles(&n_eff) })
}
