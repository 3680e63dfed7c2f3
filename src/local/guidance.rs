//! How many rows local calibration needs: the terms of the uniform convergence theorem that data can show.

use super::sample::LocalSample;

/// Kernel mass per place as a share of the sample, and the order of n that an accuracy asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Guidance {
    /// α̂ = min_x Σ_{i in b(x)} k(x, x_i) / n.
    pub alpha: f64,
    /// Σ k / n at the quantiles 0, .05, .25, .5, .75, .95, 1 over the rows (nearest rank).
    pub quantiles: [f64; 7],
    /// n* = d / (α̂⁴ ε²), up to constants and logarithms.
    pub n_star: f64,
    /// The accuracy ε asked for.
    pub epsilon: f64,
    /// Features d.
    pub d: usize,
}

impl Guidance {
    /// What the numbers mean, in one sentence.
    pub fn sentence(&self, n: usize) -> String {
        format!(
            "at the loneliest place {:.2} rows in effect stand behind the local error; for an error below {} \
             everywhere the theory asks for rows of the order of {:.1e} (up to constants), you have {n}",
            self.alpha * n as f64,
            self.epsilon,
            self.n_star
        )
    }
}

/// α̂, its quantiles and n*, from the kernel mass of every row of the sample (self included).
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, theorem 1.
pub fn guidance(sample: &LocalSample, mass: &[f64], epsilon: f64) -> Option<Guidance> {
    let n = sample.n() as f64;
    let mut share: Vec<f64> = mass.iter().filter(|m| !m.is_nan()).map(|m| m / n).collect();
    share.sort_unstable_by(f64::total_cmp);
    let alpha = *share.first()?;
    let d = sample.features.d();
    let at = |quantile: f64| {
        let rank = (quantile * share.len() as f64).ceil().max(1.0) as usize;
        share.get(rank - 1).copied().unwrap_or(f64::NAN)
    };
    Some(Guidance {
        alpha,
        quantiles: [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(at),
        n_star: d as f64 / (alpha.powi(4) * epsilon * epsilon),
        epsilon,
        d,
    })
}
