//! Smooth calibration error: a binless ECE whose bandwidth is chosen by the data, and its curve.

use super::pair::check_lengths;
use super::weight::{RowWeights, check_weighted, weight};
use crate::error::Result;
use crate::num::reflected_kernel::reflected_sums;

/// Smooth ECE with the bandwidth it was found at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothEce {
    /// smECE at σ*, in [0, 1]
    pub value: f64,
    /// σ*, the fixed point smECE_σ ≈ σ
    pub bandwidth: f64,
}

/// smECE_σ = ∫|Σ K_σ(t, sᵢ)(sᵢ − tᵢ)| dt / ∫Σ K_σ(t, sᵢ) dt at a given width, K the reflected Gaussian.
///
/// On max(200, 10/σ) evenly spaced points. Errors: `empty`, `length_mismatch`.
pub fn smooth_ece_at(s: &[f64], t: &[u8], sigma: f64) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    Ok(at_width(s, &residuals(s, t), sigma))
}

/// smECE at the width where it equals the width, to 2⁻¹⁰ by bisection.
///
/// Source: Błasiok and Nakkiran (2024), definition 3 and algorithm 1. Errors: `empty`, `length_mismatch`.
///
/// # Cost
/// Eleven kernel sums; 1,000,000 rows in well under a second.
pub fn smooth_ece(s: &[f64], t: &[u8]) -> Result<SmoothEce> {
    check_lengths(s.len(), t.len())?;
    let residuals = residuals(s, t);
    Ok(fixed_point(&|sigma| at_width(s, &residuals, sigma)))
}

/// [`smooth_ece`] of rows with weights: K_σ(t, sᵢ) becomes wᵢ K_σ(t, sᵢ). Errors as there; twice its cost.
pub fn weighted_smooth_ece(s: &[f64], t: &[u8], w: RowWeights) -> Result<SmoothEce> {
    let Some(w) = w else { return smooth_ece(s, t) };
    check_weighted(s.len(), t.len(), Some(w))?;
    let residuals: Vec<f64> = residuals(s, t).iter().zip(w).map(|(r, w)| r * w).collect();
    Ok(fixed_point(&|sigma| {
        let sums = |v: &[f64]| reflected_sums(s, v, sigma, grid(sigma));
        let (errors, masses) = (sums(&residuals), sums(w));
        let both = errors.iter().zip(&masses).map(|(r, m)| (r.0, m.0));
        ratio(&both.collect::<Vec<_>>())
    }))
}

/// [`smooth_ece`] where a score of exactly 0 or 1 is not reflected into a second one, as the authors' code has it.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn smooth_ece_ends_once(s: &[f64], t: &[u8]) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let at_end = |s: f64| s == 0.0 || s == 1.0;
    let rows = residuals(s, t);
    let ends = s.iter().zip(&rows).filter(|row| at_end(*row.0));
    let (places, of_ends): (Vec<f64>, Vec<f64>) = ends.unzip();
    let at = |sigma: f64| {
        let points = grid(sigma);
        let mut sums = reflected_sums(s, &rows, sigma, points);
        if !places.is_empty() {
            let twice = reflected_sums(&places, &of_ends, sigma, points);
            for (all, twice) in sums.iter_mut().zip(&twice) {
                all.0 -= 0.5 * twice.0;
                all.1 -= 0.5 * twice.1;
            }
        }
        ratio(&sums)
    };
    Ok(fixed_point(&at).value)
}

/// The bandwidth that is its own error, by bisection.
fn fixed_point(at: &dyn Fn(f64) -> f64) -> SmoothEce {
    const LEAST: f64 = 0.001;
    let widest = at(1.0);
    if 1.0 < widest {
        return SmoothEce {
            value: widest,
            bandwidth: 1.0,
        };
    }
    let (mut low, mut high, mut value) = (0.0, 1.0, widest);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        let error = if middle < LEAST {
            f64::INFINITY
        } else {
            at(middle)
        };
        if middle < error {
            low = middle;
        } else {
            (high, value) = (middle, error);
        }
    }
    SmoothEce {
        value,
        bandwidth: high,
    }
}

fn residuals(s: &[f64], t: &[u8]) -> Vec<f64> {
    s.iter().zip(t).map(|(s, &t)| s - f64::from(t)).collect()
}

fn at_width(s: &[f64], residuals: &[f64], sigma: f64) -> f64 {
    ratio(&reflected_sums(s, residuals, sigma, grid(sigma)))
}

fn grid(sigma: f64) -> usize {
    (10.0 / sigma).round().max(200.0) as usize
}

fn ratio(sums: &[(f64, f64)]) -> f64 {
    let (error, mass) = sums
        .iter()
        .fold((0.0, 0.0), |(e, m), (r, k)| (e + r.abs(), m + k));
    error / mass
}

/// A point of a kernel-smoothed reliability curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// score
    pub score: f64,
    /// smoothed mean of the targets there; `None` where hardly any row is near
    pub target: Option<f64>,
    /// density of the scores there, mean 1
    pub density: f64,
}

/// Nadaraya–Watson estimate of E[t | s] at `points` scores from 0 to 1, with the reflected Gaussian of width `sigma`.
///
/// The target is `None` where the density is below 10⁻³ of its mean. Source: Nadaraya (1964); Watson (1964); at the
/// width of [`smooth_ece`], Błasiok and Nakkiran (2024), section 4. Errors: `empty`, `length_mismatch`.
pub fn smooth_reliability_curve(
    s: &[f64],
    t: &[u8],
    sigma: f64,
    points: usize,
) -> Result<Vec<CurvePoint>> {
    weighted_smooth_reliability_curve(s, t, None, sigma, points)
}

/// [`smooth_reliability_curve`] of rows with weights; also the density is of weight. Errors as there.
pub fn weighted_smooth_reliability_curve(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    sigma: f64,
    points: usize,
) -> Result<Vec<CurvePoint>> {
    check_weighted(s.len(), t.len(), w)?;
    let sigma = sigma.max(1e-4);
    let targets = t.iter().enumerate();
    let targets: Vec<f64> = targets.map(|(i, &t)| weight(w, i) * f64::from(t)).collect();
    let mut sums = reflected_sums(s, &targets, sigma, points.max(2));
    if let Some(w) = w {
        let masses = reflected_sums(s, w, sigma, points.max(2));
        for (sum, mass) in sums.iter_mut().zip(masses) {
            sum.1 = mass.0;
        }
    }
    let mean = sums.iter().map(|k| k.1).sum::<f64>() / sums.len() as f64;
    let last = (sums.len() - 1) as f64;
    Ok(sums
        .iter()
        .enumerate()
        .map(|(k, &(weighted, mass))| CurvePoint {
            score: k as f64 / last,
            target: (mass > 1e-3 * mean).then(|| (weighted / mass).clamp(0.0, 1.0)),
            density: mass / mean,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::fixtures::{f8_top, near};
    use crate::num::rng::Lanes;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let found = smooth_ece(&s, &t).expect("valid");
        assert_eq!(found.bandwidth, 0.171_875);
        near(Some(found.value), 0.171_736_76, 5e-9);
        for (sigma, expected) in [
            (0.05, 0.261_434_17),
            (0.1, 0.214_530_54),
            (0.2, 0.156_254_13),
        ] {
            near(smooth_ece_at(&s, &t, sigma).ok(), expected, 5e-9);
        }
        // far wider than the interval: the mean gap
        near(smooth_ece_at(&s, &t, 20.0).ok(), 0.0625, 1e-6);
    }

    #[test]
    fn many_rows_agree_with_their_copies() {
        let (s, t) = f8_top();
        let (many, targets) = (s.repeat(100), t.repeat(100));
        let found = smooth_ece(&many, &targets).expect("valid");
        near(Some(found.value), 0.171_736_76, 1e-4);
    }

    #[test]
    fn calibrated_rows_have_little_error_and_a_diagonal_curve() {
        let mut lanes = Lanes::seeded(4, 0);
        let s: Vec<f64> = (0..20_000).flat_map(|_| lanes.uniform()).collect();
        let t: Vec<u8> = s
            .chunks(4)
            .flat_map(|p| {
                let u = lanes.uniform();
                p.iter()
                    .zip(u)
                    .map(|(p, u)| u8::from(u < *p))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(smooth_ece(&s, &t).expect("valid").value < 0.02);
        for point in smooth_reliability_curve(&s, &t, 0.05, 200).expect("valid") {
            let target = point.target.expect("rows are everywhere");
            // the reflection flattens the ends by some 0.8 σ
            assert!((target - point.score).abs() < 0.055, "{point:?}");
            assert!((point.density - 1.0).abs() < 0.1);
        }
    }

    #[test]
    fn no_rows_near_no_curve() {
        let curve = smooth_reliability_curve(&[0.1, 0.12], &[0, 1], 0.01, 200).expect("valid");
        assert_eq!(curve[150].target, None);
        near(curve[22].target, 0.5, 0.1);
    }
}
