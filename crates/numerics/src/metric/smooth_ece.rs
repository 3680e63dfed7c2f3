//! Smooth calibration error: a binless ECE whose bandwidth is chosen by the data.

use super::entry::{Cost, Discloses, Interval, Metric, Replicates, Reweighted, ValueOf, Weights};
use super::rows::Pair;
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::reflected_kernel::{ReflectedKernel, Spread};
use crate::num::weight::{RowWeights, check_weighted};

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
    let (errors, ones) = (residuals(s, t), vec![1.0; s.len()]);
    let kernel = ReflectedKernel::new(s);
    Ok(at_width(&kernel, &Spread::new(errors), &Spread::new(ones), sigma))
}

/// smECE at the width where it equals the width, to 2⁻¹⁰ by bisection.
///
/// Source: Błasiok and Nakkiran (2024), definition 3 and algorithm 1. Errors: `empty`, `length_mismatch`.
///
/// # Cost
/// One pass over the rows, or three over few; 1,000,000 rows in well under a second.
pub fn smooth_ece(s: &[f64], t: &[u8]) -> Result<SmoothEce> {
    weighted_smooth_ece(s, t, None)
}

/// [`smooth_ece`] of rows with weights: K_σ(t, sᵢ) becomes wᵢ K_σ(t, sᵢ). Errors as there.
pub fn weighted_smooth_ece(s: &[f64], t: &[u8], w: RowWeights) -> Result<SmoothEce> {
    check_weighted(s.len(), t.len(), w)?;
    let residuals = residuals(s, t);
    let (errors, masses) = match w {
        Some(w) => (residuals.iter().zip(w).map(|(r, w)| r * w).collect(), w.to_vec()),
        None => (residuals, vec![1.0; s.len()]),
    };
    let kernel = ReflectedKernel::new(s);
    Ok(smooth_ece_of(&kernel, &Spread::new(errors), &Spread::new(masses)))
}

/// [`weighted_smooth_ece`] of scores whose kernel is at hand, where they are weighed more than once.
///
/// * `errors`: wᵢ (sᵢ − tᵢ); `masses`: wᵢ
pub fn smooth_ece_of(kernel: &ReflectedKernel, errors: &Spread, masses: &Spread) -> SmoothEce {
    fixed_point(&|sigma| at_width(kernel, errors, masses, sigma))
}

/// The bandwidth that is its own error, by bisection.
pub(super) fn fixed_point(at: &dyn Fn(f64) -> f64) -> SmoothEce {
    const LEAST: f64 = 0.001;
    let widest = at(1.0);
    if 1.0 < widest {
        return SmoothEce { value: widest, bandwidth: 1.0 };
    }
    let (mut low, mut high, mut value) = (0.0, 1.0, widest);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        let error = if middle < LEAST { f64::INFINITY } else { at(middle) };
        if middle < error {
            low = middle;
        } else {
            (high, value) = (middle, error);
        }
    }
    SmoothEce { value, bandwidth: high }
}

pub(super) fn residuals(s: &[f64], t: &[u8]) -> Vec<f64> {
    s.iter().zip(t).map(|(s, &t)| s - f64::from(t)).collect()
}

fn at_width(kernel: &ReflectedKernel, errors: &Spread, masses: &Spread, sigma: f64) -> f64 {
    let points = points(sigma);
    kernel.absolute(errors, sigma, points) / kernel.total(masses, sigma, points)
}

/// Points on which the integrals are sums.
pub(super) fn points(sigma: f64) -> usize {
    (10.0 / sigma).round().max(200.0) as usize
}

/// smECE: how far off, smoothed instead of binned.
pub static SMECE: Metric = Metric {
    id: "smece",
    name: "smECE",
    plain: "calibration error, smoothed instead of binned",
    definition: "Kernel-smoothed calibration error at the bandwidth that equals it.",
    formula: "smECE_σ at the σ with smECE_σ = σ; smECE_σ = ∫|Σ K_σ(x, s)(s − t)| dx / ∫Σ K_σ(x, s) dx",
    source: "Błasiok and Nakkiran 2024",
    value: ValueOf::Pair(|pair| Ok(Some(weighted_smooth_ece(pair.score, pair.target, pair.weights)?.value))),
    weights: Weights::Form("every row counts w"),
    // Few rows cost less than the bisection on the grid.
    replicates: Replicates::Reweighted(reweighted_smooth_ece, Cost { per_row: 1e-4, fixed: 0.03 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// The error of rows that are repeated, or whose targets are drawn anew: the kernel of their scores is made once.
fn reweighted_smooth_ece<'a>(pair: &'a Pair<'a>) -> Reweighted<'a> {
    let kernel = ReflectedKernel::new(pair.score);
    let once = Spread::new(pair.weights.map_or_else(|| vec![1.0; pair.score.len()], <[f64]>::to_vec));
    Box::new(move |target, counts| {
        let drawn = counts.map(|counts| {
            let weights = once.values().iter().zip(counts);
            Spread::new(weights.map(|(w, c)| w * f64::from(*c)).collect())
        });
        let masses = drawn.as_ref().unwrap_or(&once);
        let rows = pair.score.iter().zip(target).zip(masses.values());
        let errors = rows.map(|((s, t), w)| w * (s - f64::from(*t))).collect();
        smooth_ece_of(&kernel, &Spread::new(errors), masses).value
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{f8_top, near};
    use crate::num::rng::Lanes;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let found = smooth_ece(&s, &t).expect("valid");
        assert_eq!(found.bandwidth, 0.171_875);
        near(Some(found.value), 0.171_736_76, 5e-9);
        for (sigma, expected) in [(0.05, 0.261_434_17), (0.1, 0.214_530_54), (0.2, 0.156_254_13)] {
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
        near(Some(found.value), 0.171_736_76, 5e-9);
        let many = smooth_ece(&s.repeat(1_000), &t.repeat(1_000)).expect("valid");
        near(Some(many.value), found.value, 1e-12);
    }

    /// The formula as it stands, row by row and point by point, at every width that the bisection asks for.
    #[test]
    fn small_files_are_the_formula() {
        for (seed, n, spread) in [(1, 20, 1.0), (2, 500, 1.0), (3, 500, 0.02), (4, 300, 8.0)] {
            let mut lanes = Lanes::seeded(seed, 0);
            let mut uniform = || lanes.uniform()[0];
            let s: Vec<f64> = (0..n).map(|_| uniform().powf(spread)).collect();
            let t: Vec<u8> = s.iter().map(|s| u8::from(uniform() < *s)).collect();
            let direct = |sigma: f64| {
                let points = (10.0 / sigma).round().max(200.0) as usize;
                let images = (4.5 * sigma).ceil() as i64 + 1;
                let (mut error, mut mass) = (0.0, 0.0);
                for k in 0..points {
                    let at = k as f64 / (points - 1) as f64;
                    let mut sum = 0.0;
                    for (s, t) in s.iter().zip(&t) {
                        for j in -images..=images {
                            for d in [at - s - 2.0 * j as f64, at + s - 2.0 * j as f64] {
                                let k = (-0.5 * (d / sigma) * (d / sigma)).exp();
                                sum += k * (s - f64::from(*t));
                                mass += k;
                            }
                        }
                    }
                    error += sum.abs();
                }
                error / mass
            };
            let expected = fixed_point(&direct);
            let found = smooth_ece(&s, &t).expect("valid");
            assert_eq!(found.bandwidth, expected.bandwidth, "{seed}");
            near(Some(found.value), expected.value, 1e-12);
        }
    }

    /// Rows repeated, weighed, or left out with a weight of 0: one number, whichever way.
    #[test]
    fn a_kernel_at_hand_gives_what_rows_do() {
        let mut lanes = Lanes::seeded(8, 0);
        let mut uniform = || lanes.uniform()[0];
        let s: Vec<f64> = (0..200).map(|_| uniform()).collect();
        let t: Vec<u8> = s.iter().map(|s| u8::from(uniform() < s * s)).collect();
        let counts: Vec<f64> = (0..200).map(|_| (4.0 * uniform().powi(2)).floor()).collect();
        let rows = |i: usize| std::iter::repeat_n(i, counts[i] as usize);
        let repeated: Vec<usize> = (0..200).flat_map(rows).collect();
        let at = |i: &usize| (s[*i], t[*i]);
        let (s2, t2): (Vec<f64>, Vec<u8>) = repeated.iter().map(at).unzip();
        let expected = smooth_ece(&s2, &t2).expect("valid").value;
        let weighted = weighted_smooth_ece(&s, &t, Some(&counts)).expect("valid").value;
        near(Some(weighted), expected, 1e-12);
        let kernel = ReflectedKernel::new(&s);
        let errors = residuals(&s, &t);
        let errors: Vec<f64> = errors.iter().zip(&counts).map(|(e, c)| e * c).collect();
        let of = smooth_ece_of(&kernel, &Spread::new(errors), &Spread::new(counts));
        near(Some(of.value), expected, 1e-12);
    }

    #[test]
    fn calibrated_rows_have_little_error() {
        let mut lanes = Lanes::seeded(4, 0);
        let s: Vec<f64> = (0..20_000).flat_map(|_| lanes.uniform()).collect();
        let t: Vec<u8> = s
            .chunks(4)
            .flat_map(|p| {
                let u = lanes.uniform();
                p.iter().zip(u).map(|(p, u)| u8::from(u < *p)).collect::<Vec<_>>()
            })
            .collect();
        assert!(smooth_ece(&s, &t).expect("valid").value < 0.02);
    }
}
