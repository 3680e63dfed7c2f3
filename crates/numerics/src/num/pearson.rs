//! How far two quantities rise together.

/// Pearson's correlation r = Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²), in [−1, 1].
///
/// None where either does not vary, for fewer than two pairs, different lengths, or values that are not finite. O(n).
///
/// # Source
/// Pearson (1895).
///
/// ```
/// // deviations (−1, 0, 1) and (−1, 1, 0): 1 / √(2 · 2)
/// let r = localcal_numerics::num::pearson::pearson(&[1.0, 2.0, 3.0], &[0.0, 2.0, 1.0]).unwrap();
/// assert!((r - 0.5).abs() < 1e-12);
/// ```
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let varies = |v: &[f64]| v.iter().any(|value| Some(value) != v.first());
    let finite = |v: &[f64]| v.iter().all(|value| value.is_finite());
    if x.len() != y.len() || !varies(x) || !varies(y) || !finite(x) || !finite(y) {
        return None;
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let mut sums = [0.0; 3];
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x - mx, y - my);
        sums[0] += x * y;
        sums[1] += x * x;
        sums[2] += y * y;
    }
    let r = sums[0] / (sums[1].sqrt() * sums[2].sqrt());
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::pearson;

    #[test]
    fn worked_value() {
        let r = pearson(&[0.1, 0.2, 0.3, 0.4], &[0.2, 0.1, 0.4, 0.5]).expect("both vary");
        assert!((r - 0.848_528_14).abs() < 5e-9, "{r}");
        let line = pearson(&[1.0, 2.0, 4.0], &[-2.0, -4.0, -8.0]).expect("both vary");
        assert!((line + 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_vary_goes_with_nothing() {
        // 0.1 three times has a mean that is not 0.1.
        assert_eq!(pearson(&[0.1; 3], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pearson(&[1.0, 2.0, 3.0], &[0.1; 3]), None);
        assert_eq!(pearson(&[], &[]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
        assert_eq!(pearson(&[1.0, 2.0], &[1.0, f64::NAN]), None);
        assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0, 3.0]), None);
    }
}
