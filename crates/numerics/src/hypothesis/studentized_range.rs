//! How far apart the largest and the smallest of k normal numbers lie, and how far mean ranks must be apart.

use statrs::distribution::{ContinuousCDF, Normal};

/// Half the range over which the density of the smallest is summed: beyond it lies less than 1e-17.
const REACH: f64 = 8.6;
/// Panels of Simpson's rule; the integrand is smooth on a scale of 0.2 even for hundreds of methods.
const PANELS: usize = 400;

/// P(range of k independent standard normal numbers ≤ q) = k ∫ φ(z) [Φ(z + q) − Φ(z)]ᵏ⁻¹ dz: the studentized range with
/// infinitely many degrees of freedom.
///
/// Simpson's rule, error below 1e-10. O(1).
pub fn range_cdf(q: f64, k: usize) -> f64 {
    let Ok(normal) = Normal::new(0.0, 1.0) else { return f64::NAN };
    if q <= 0.0 || k < 2 {
        return if k < 2 { 1.0 } else { 0.0 };
    }
    let step = 2.0 * REACH / PANELS as f64;
    let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let sum: f64 = (0..=PANELS)
        .map(|i| {
            let z = -REACH + step * i as f64;
            let weight = match i {
                0 | PANELS => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(z) * (normal.cdf(z + q) - normal.cdf(z)).max(0.0).powf((k - 1) as f64)
        })
        .sum();
    (k as f64 * sum * step / 3.0).clamp(0.0, 1.0)
}

/// The q that the range of k independent standard normal numbers exceeds with probability `alpha`, by bisection.
///
/// ```
/// // q of three groups and infinitely many degrees of freedom, as in every table
/// assert!((localcal_numerics::hypothesis::studentized_range::range_quantile(0.05, 3) - 3.3145).abs() < 5e-5);
/// ```
pub fn range_quantile(alpha: f64, k: usize) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if range_cdf(middle, k) < 1.0 - alpha { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Nemenyi's critical difference of mean ranks of k methods over N data sets: CD = q_α √(k (k + 1) / (6 N)), q_α the
/// quantile of the studentized range by √2. Two methods whose mean ranks are closer do not differ significantly at
/// level `alpha`, all pairs taken together.
///
/// # Source
/// Nemenyi (1963); Demšar (2006), section 3.2.2, whose example is:
///
/// ```
/// let found = localcal_numerics::hypothesis::studentized_range::critical_difference(0.05, 4, 14);
/// assert!((found - 1.25).abs() < 0.005);
/// ```
pub fn critical_difference(alpha: f64, methods: usize, data_sets: usize) -> f64 {
    let (k, n) = (methods as f64, data_sets as f64);
    range_quantile(alpha, methods) / std::f64::consts::SQRT_2 * (k * (k + 1.0) / (6.0 * n)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_5_of_demsar() {
        let at = |alpha: f64, k: usize| range_quantile(alpha, k) / std::f64::consts::SQRT_2;
        let five = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        let ten = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
        for (i, (five, ten)) in five.into_iter().zip(ten).enumerate() {
            assert!((at(0.05, i + 2) - five).abs() < 1.1e-3, "{} {five}", at(0.05, i + 2));
            assert!((at(0.10, i + 2) - ten).abs() < 1.1e-3, "{} {ten}", at(0.10, i + 2));
        }
    }

    #[test]
    fn ends() {
        assert_eq!(range_cdf(0.0, 5), 0.0);
        assert!((range_cdf(40.0, 50) - 1.0).abs() < 1e-10);
        assert!(critical_difference(0.05, 3, 0).is_infinite());
    }
}
