//! Quantiles of sorted numbers.

/// Quantile of ascending `sorted` at `q` in [0, 1] by linear interpolation; `None` for no numbers.
///
/// Position q(n − 1) between neighbors, as numpy's default (type 7 of Hyndman and Fan, 1996).
///
/// ```
/// use localcal_numerics::num::quantile::quantile_sorted;
///
/// // at place 0.25 · 4 = 1, and half way between the first two
/// assert_eq!(quantile_sorted(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), Some(2.0));
/// assert_eq!(quantile_sorted(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.125), Some(1.5));
/// ```
pub fn quantile_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let low = (position.floor() as usize).min(last);
    let (a, b) = (sorted[low], sorted[(low + 1).min(last)]);
    let share = position - low as f64;
    // From the nearer end, so that share 0 and 1 give the values themselves.
    Some(if share < 0.5 { a + (b - a) * share } else { b - (b - a) * (1.0 - share) })
}

/// Median; sorts `values`. `None` for no numbers.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    quantile_sorted(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_numpy() {
        // numpy.percentile([.1, .4, .7, 2.], [0, 10, 50, 97.5, 100])
        let s = [0.1, 0.4, 0.7, 2.0];
        for (q, expected) in [(0.0, 0.1), (0.1, 0.19), (0.5, 0.55), (0.975, 1.9025), (1.0, 2.0)] {
            assert!((quantile_sorted(&s, q).unwrap_or(f64::NAN) - expected).abs() < 1e-15);
        }
        assert_eq!(quantile_sorted(&[], 0.5), None);
        assert_eq!(quantile_sorted(&[3.0], 0.2), Some(3.0));
    }
}
