//! Whether differences have a mean of zero.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A t-test of paired differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// d̄
    pub mean: f64,
    /// its standard error
    pub error: f64,
    /// d̄ / its standard error
    pub t: f64,
    /// R − 1
    pub freedom: f64,
    /// two-sided
    pub p: f64,
}

impl PairedT {
    /// Ends of the interval of confidence 1 − `alpha`: it leaves out zero exactly where p < `alpha`.
    ///
    /// d̄ ± t₁₋α/₂ · (its standard error). None where α is not in (0, 1). O(1).
    pub fn interval(&self, alpha: f64) -> Option<(f64, f64)> {
        let half = quantile(self.freedom, alpha)? * self.error;
        half.is_finite().then_some((self.mean - half, self.mean + half))
    }
}

/// The t that Student's distribution exceeds to both sides together with probability `alpha`, by bisection of the very p
/// that the test computes.
fn quantile(freedom: f64, alpha: f64) -> Option<f64> {
    let student = StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| alpha > 0.0 && alpha < 1.0)?;
    let beyond = |t: f64| 2.0 * student.cdf(-t) > alpha;
    let mut high = 1.0;
    while beyond(high) {
        high *= 2.0;
        if !high.is_finite() {
            return None;
        }
    }
    let mut low = 0.0;
    // sixty halvings of an interval that is no longer than its upper end leave nothing that 64 bits tell
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if beyond(middle) { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Student's t-test of the mean of R differences against zero, t = d̄ / (sd / √R) with R − 1 degrees of freedom.
///
/// None for fewer than two differences, or where they do not vary or are not finite. It takes differences for independent: those of repeats
/// that share rows are not, and p is then smaller than it should be ([`resampled_t`]). O(R).
///
/// # Source
/// Student (1908); Nadeau and Bengio (2003) on repeats that share rows.
///
/// ```
/// // mean 2, sd 1: t = 2 √3 with 2 degrees of freedom, p = 1 − t / √(t² + 2)
/// let found = localcal::hypothesis::paired_t::paired_t(&[1.0, 2.0, 3.0]).unwrap();
/// assert!((found.t - 12.0_f64.sqrt()).abs() < 1e-12 && found.freedom == 2.0);
/// assert!((found.p - (1.0 - (12.0_f64 / 14.0).sqrt())).abs() < 1e-9);
/// ```
pub fn paired_t(differences: &[f64]) -> Option<PairedT> {
    resampled_t(differences, 0.0)
}

/// The corrected resampled t-test of the mean of R differences, each of one division of the same rows:
/// t = d̄ / √((1/R + `shared`) · s²) with R − 1 degrees of freedom.
///
/// * `shared`: rows scored / rows fitted; 0 for differences that are independent
///
/// Two divisions of n rows share rows, so that their differences are correlated; with correlation
/// ρ = scored / (scored + fitted) the variance of d̄ is (1/R + ρ/(1 − ρ)) E s², and ρ/(1 − ρ) = scored/fitted. Where that is the
/// correlation, the level is exact for normal differences. None as in [`paired_t`]. O(R).
///
/// # Source
/// Nadeau and Bengio (2003), "Inference for the generalization error", section 3.
///
/// ```
/// // mean 2, s² = 1, halves: t = 2 / √(1/3 + 1)
/// let found = localcal::hypothesis::paired_t::resampled_t(&[1.0, 2.0, 3.0], 1.0).unwrap();
/// assert!((found.t - 2.0 / (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
/// ```
pub fn resampled_t(differences: &[f64], shared: f64) -> Option<PairedT> {
    let n = differences.len() as f64;
    if differences.iter().all(|d| Some(d) == differences.first()) {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n + shared * squares / (n - 1.0)).sqrt();
    let t = mean / error;
    if !t.is_finite() {
        return None;
    }
    let freedom = n - 1.0;
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let p = 2.0 * student.cdf(-t.abs());
    p.is_finite().then_some(PairedT { mean, error, t, freedom, p })
}

#[cfg(test)]
mod tests {
    use super::{paired_t, resampled_t};
    use crate::num::rng::Lanes;

    #[test]
    fn worked_values() {
        // scipy.stats.ttest_1samp([.1, .2, .3, .4, .5], 0)
        let found = paired_t(&[0.1, 0.2, 0.3, 0.4, 0.5]).expect("they vary");
        assert!((found.t - 4.242_640_687_119_285).abs() < 1e-12);
        assert!((found.p - 0.013_235_599_563_682_708).abs() < 1e-9, "{}", found.p);
        assert_eq!(found.freedom, 4.0);
        let turned = paired_t(&[-0.1, -0.2, -0.3, -0.4, -0.5]).expect("they vary");
        assert_eq!((turned.t, turned.p), (-found.t, found.p));
    }

    #[test]
    fn nothing_to_test() {
        assert_eq!(paired_t(&[]), None);
        assert_eq!(paired_t(&[0.3]), None);
        assert_eq!(paired_t(&[0.1, 0.1, 0.1]), None);
        assert_eq!(paired_t(&[f64::NAN, 1.0]), None);
        assert_eq!(resampled_t(&[0.1, 0.2], f64::INFINITY).map(|test| test.t), Some(0.0));
    }

    #[test]
    fn an_interval_ends_at_zero_where_p_is_its_level() {
        for differences in [vec![0.1, 0.4, 0.2], vec![1.0, -2.0, 3.0, 8.0, 4.0], vec![2.0, 3.0]] {
            for shared in [0.0, 0.25, 1.0] {
                let test = resampled_t(&differences, shared).expect("they vary");
                let (low, high) = test.interval(test.p).expect("an interval");
                assert!(low.abs().min(high.abs()) < 1e-7 * test.mean.abs(), "{low} {high}");
            }
        }
    }

    /// Values of divisions of the same rows, all correlated by ρ = scored / (scored + fitted).
    #[test]
    fn equal_methods_are_told_apart_in_five_of_a_hundred() {
        let mut lanes = Lanes::seeded(11, 0);
        let mut normals = std::iter::from_fn(move || Some(lanes.normal())).flatten();
        const TRIES: usize = 4_000;
        for (divisions, shared) in [(2, 1.0), (5, 1.0), (10, 1.0), (10, 0.25), (30, 1.0)] {
            let rho: f64 = shared / (1.0 + shared);
            let mut fired = [0, 0];
            for _ in 0..TRIES {
                let mut draw = || normals.next().expect("as many as are asked for");
                let all = rho.sqrt() * draw();
                let each: Vec<f64> = (0..divisions).map(|_| all + (1.0 - rho).sqrt() * draw()).collect();
                fired[0] += usize::from(resampled_t(&each, shared).expect("they vary").p < 0.05);
                fired[1] += usize::from(paired_t(&each).expect("they vary").p < 0.05);
            }
            // 99.9 % of 4,000 draws of 5 %
            assert!((155..=246).contains(&fired[0]), "{divisions} divisions, {shared}: {fired:?}");
            // what the correction is for
            assert!(fired[1] > fired[0], "{divisions} divisions, {shared}: {fired:?}");
        }
    }
}
