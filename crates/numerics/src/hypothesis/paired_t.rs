//! Whether differences have a mean of zero.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::{gamma_lr, ln_gamma};

use crate::num::special::normal_tail;

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

/// How many standard errors a true difference has to measure for a two-sided t-test at level `alpha` to find it with
/// probability `power`: the noncentrality δ with P(T > t₁₋α/₂) = power, T noncentral t with `freedom` degrees of freedom. The
/// chance that the test claims the opposite is left out.
///
/// Times the standard error of a test it is the difference that the test could detect, the error taken for the true one. None
/// where α or the power is not in (0, 1). O(1).
///
/// # Source
/// Johnson, Kotz and Balakrishnan (1995), Continuous univariate distributions 2, chapter 31.
///
/// ```
/// // with very many degrees of freedom z.975 + z.8
/// let found = localcal_numerics::hypothesis::paired_t::detectable(1e6, 0.05, 0.8).unwrap();
/// assert!((found - (1.959_964 + 0.841_621)).abs() < 1e-4);
/// ```
pub fn detectable(freedom: f64, alpha: f64, power: f64) -> Option<f64> {
    let critical = quantile(freedom, alpha).filter(|_| power > 0.0 && power < 1.0)?;
    // T > c where Z + δ > c s, with s² = χ²/ν: the mean of P(s < (Z + δ)/c) over Z where s spreads, else of P(Z > c s − δ) over
    // s. Either is smooth and vanishes at both ends, where the trapezium rule gains digits with every point.
    let spreads = freedom < FEW;
    let half = if spreads { 9.0 } else { 9.0 / (2.0 * freedom).sqrt() };
    let scale = std::f64::consts::LN_2 + 0.5 * freedom * (0.5 * freedom).ln() - ln_gamma(0.5 * freedom);
    let density = |x: f64| match spreads {
        true => (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt(),
        false => (scale + (freedom - 1.0) * x.ln() - 0.5 * freedom * x * x).exp(),
    };
    let step = 2.0 * half / STEPS as f64;
    let middle = if spreads { 0.0 } else { 1.0 };
    let nodes: Vec<(f64, f64)> = (0..=STEPS)
        .map(|k| {
            let x = middle - half + step * k as f64;
            (x, step * density(x))
        })
        .collect();
    let found = |delta: f64| -> f64 {
        let beyond = |x: f64| match spreads {
            true if x + delta <= 0.0 => 0.0,
            true => gamma_lr(0.5 * freedom, 0.5 * freedom * ((x + delta) / critical).powi(2)),
            false => normal_tail(critical * x - delta),
        };
        nodes.iter().map(|(x, weight)| weight * beyond(*x)).sum()
    };
    let mut high = 1.0;
    while found(high) < power {
        high *= 2.0;
        if high >= 1e12 {
            return None;
        }
    }
    let mut low = 0.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if found(middle) < power { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Steps of the sum in [`detectable`].
const STEPS: usize = 400;
/// Degrees of freedom below which s spreads more than Z does on its scale.
const FEW: f64 = 50.0;

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
/// let found = localcal_numerics::hypothesis::paired_t::paired_t(&[1.0, 2.0, 3.0]).unwrap();
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
/// let found = localcal_numerics::hypothesis::paired_t::resampled_t(&[1.0, 2.0, 3.0], 1.0).unwrap();
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
    use super::{detectable, paired_t, resampled_t};
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

    /// `tests/golden/make_detectable.py`
    #[test]
    fn detectable_differences_are_those_of_the_noncentral_t() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/golden/detectable.json")).expect("it is JSON");
        for case in golden.as_array().expect("cases") {
            let of = |name: &str| case[name].as_f64().expect(name);
            let found = detectable(of("freedom"), of("alpha"), of("power")).expect("a difference");
            assert!((found - of("delta")).abs() < 1e-6 * of("delta"), "{case}: {found}");
        }
        assert!(detectable(4.0, 0.0, 0.8).is_none() && detectable(4.0, 0.05, 1.0).is_none());
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

    /// The correlation that the correction takes for granted is that of halves of the same rows.
    #[test]
    fn halves_of_rows_without_a_difference_are_told_apart_in_five_of_a_hundred() {
        let mut lanes = Lanes::seeded(12, 0);
        const TRIES: usize = 1_000;
        const ROWS: usize = 60;
        let mut fired = 0;
        for _ in 0..TRIES {
            let mut rows: Vec<f64> = std::iter::from_fn(|| Some(lanes.normal())).flatten().take(ROWS).collect();
            let mut half = || {
                for i in (1..ROWS).rev() {
                    let [draw, ..] = lanes.next();
                    rows.swap(i, draw as usize % (i + 1));
                }
                rows.iter().take(ROWS / 2).sum::<f64>() / (ROWS / 2) as f64
            };
            let each: Vec<f64> = (0..10).map(|_| half()).collect();
            fired += usize::from(resampled_t(&each, 1.0).expect("they vary").p < 0.05);
        }
        // 99.9 % of 1,000 draws of 5 %
        assert!((28..=73).contains(&fired), "{fired}");
    }
}
