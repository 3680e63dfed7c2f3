//! Mean and standard deviation of a few numbers.

/// (mean, standard deviation with divisor n − 1); the mean of nothing and the deviation of one number are `NaN`.
///
/// ```
/// assert_eq!(localcal_numerics::num::moments::mean_and_sd(&[1.0, 2.0, 3.0]), (2.0, 1.0));
/// ```
pub fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}
