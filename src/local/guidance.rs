//! How many rows local calibration needs: the terms of the uniform convergence theorem that data can show.

use super::sample::LocalSample;
use crate::words::text::thousands;

/// Kernel mass per place as a share of the sample, and the order of n that an accuracy asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Guidance {
    /// α̂ = min_x Σ_{i in b(x)} k(x, x_i) / n.
    pub alpha: f64,
    /// Σ k / n at the quantiles 0, .05, .25, .5, .75, .95, 1 over the rows (nearest rank).
    pub quantiles: [f64; 7],
    /// Effective neighbours (Σ k)² / Σ k² at the same quantiles.
    pub n_eff: [f64; 7],
    /// n* = d / (α̂⁴ ε²), up to constants and logarithms.
    pub n_star: f64,
    /// The accuracy ε asked for.
    pub epsilon: f64,
    /// Features d.
    pub d: usize,
}

impl Guidance {
    /// What the numbers mean, in plain words.
    pub fn sentence(&self, n: usize) -> String {
        let rows = |count: f64| {
            if count < 9.95 { format!("{count:.1}") } else { thousands(count.round() as usize) }
        };
        format!(
            "Half of the rows have fewer than {} effective neighbours, one in twenty fewer than {}. To know the local \
             error everywhere to ±{} points would take {} (up to constants); there are {}.",
            rows(self.n_eff[3]),
            rows(self.n_eff[1]),
            self.epsilon * 100.0,
            order_of(self.n_star),
            thousands(n)
        )
    }
}

/// More rows than anybody counts.
const COUNTLESS: f64 = 1e9;

/// One significant digit: "800,000 rows", "900 rows".
fn order_of(n: f64) -> String {
    if n >= COUNTLESS {
        return "more than a billion rows".to_owned();
    }
    let order = 10f64.powf(n.max(1.0).log10().floor());
    format!("on the order of {} rows", thousands(((n / order).round() * order) as usize))
}

/// Nearest-rank quantiles of ascending values.
fn quantiles(sorted: &[f64]) -> [f64; 7] {
    [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0].map(|quantile: f64| {
        let rank = (quantile * sorted.len() as f64).ceil().max(1.0) as usize;
        sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
    })
}

/// α̂, its quantiles and n*, from kernel mass and effective neighbours of every row of the sample (self included).
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, theorem 1.
///
/// # Cost
/// Two sorts of n numbers.
///
/// ```
/// use localcal::kernel::Points;
/// use localcal::local::{LocalSample, guidance};
/// use ndarray::array;
///
/// // two rows that see each other wholly: α̂ = 2/2, so n* = 1 / 0.1² for one feature
/// let x = array![[0.0], [0.0]];
/// let sample = LocalSample::new(&[0.5, 0.5], &[1, 0], &[0, 0], Points::new(x.view())?)?;
/// let found = guidance(&sample, &[2.0, 2.0], &[2.0, 2.0], 0.1).unwrap();
/// assert!(found.alpha == 1.0 && (found.n_star - 100.0).abs() < 1e-9);
/// # Ok::<(), localcal::Error>(())
/// ```
pub fn guidance(sample: &LocalSample, mass: &[f64], n_eff: &[f64], epsilon: f64) -> Option<Guidance> {
    let n = sample.n() as f64;
    let ascending = |values: &[f64], scale: f64| {
        let known = values.iter().filter(|v| !v.is_nan());
        let mut sorted: Vec<f64> = known.map(|v| v / scale).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (share, n_eff) = (ascending(mass, n), ascending(n_eff, 1.0));
    let alpha = *share.first()?;
    let d = sample.features.d();
    Some(Guidance {
        alpha,
        quantiles: quantiles(&share),
        n_eff: quantiles(&n_eff),
        n_star: d as f64 / (alpha.powi(4) * epsilon * epsilon),
        epsilon,
        d,
    })
}
