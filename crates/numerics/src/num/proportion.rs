//! Shares of events: their intervals.

/// Two-sided 97.5 % quantile of the standard normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Wilson score interval at 95 % of `events` out of `n` > 0 (Wilson, 1927): lower and upper end, in [0, 1]. O(1).
///
/// ```
/// use localcal_numerics::num::proportion::{Z_95, wilson_interval};
///
/// // none of 10: from 0 to z² / (10 + z²), 28 %
/// let (low, high) = wilson_interval(0.0, 10.0);
/// assert!(low == 0.0 && (high - Z_95 * Z_95 / (10.0 + Z_95 * Z_95)).abs() < 1e-12);
/// ```
pub fn wilson_interval(events: f64, n: f64) -> (f64, f64) {
    // weighted sums may round to a share just above 1
    let share = (events / n).clamp(0.0, 1.0);
    let z2 = Z_95 * Z_95;
    let centre = share + z2 / (2.0 * n);
    let half = Z_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((centre - half) / scale).clamp(0.0, share), ((centre + half) / scale).clamp(share, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_statsmodels() {
        // statsmodels.stats.proportion.proportion_confint(3, 4, method="wilson")
        let (low, high) = wilson_interval(3.0, 4.0);
        assert!((low - 0.300_641_842_582_401_84).abs() < 1e-12, "{low}");
        assert!((high - 0.954_412_739_190_299_5).abs() < 1e-12, "{high}");
        assert_eq!(wilson_interval(0.0, 10.0).0, 0.0);
        assert_eq!(wilson_interval(10.0, 10.0).1, 1.0);
    }
}
