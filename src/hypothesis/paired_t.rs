//! Whether differences have a mean of zero.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A t-test of paired differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// d̄ / (sd / √R)
    pub t: f64,
    /// R − 1
    pub freedom: f64,
    /// two-sided
    pub p: f64,
}

/// Student's t-test of the mean of R differences against zero, t = d̄ / (sd / √R) with R − 1 degrees of freedom.
///
/// None for fewer than two differences, or where they do not vary or are not finite. It takes differences for independent: those of repeats
/// that share rows are not, and p is then smaller than it should be. O(R).
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
    let n = differences.len() as f64;
    if differences.iter().all(|d| Some(d) == differences.first()) {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let t = mean / (squares / (n - 1.0) / n).sqrt();
    if !t.is_finite() {
        return None;
    }
    let freedom = n - 1.0;
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let p = 2.0 * student.cdf(-t.abs());
    p.is_finite().then_some(PairedT { t, freedom, p })
}

#[cfg(test)]
mod tests {
    use super::paired_t;

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
    }
}
