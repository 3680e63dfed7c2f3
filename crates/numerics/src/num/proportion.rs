//! Shares of events: their intervals.

use statrs::function::beta::checked_beta_reg;

use super::special::{NORMAL_975, normal_two_sided};

/// Rows of the rarer outcome from which on resampled rows say something of a difference of two methods or of a net benefit:
/// with fewer, the resamples share the luck of a handful of rows. One event where 3.5 are expected makes isotonic regression
/// "better" for sure.
pub const LEAST_OF_OUTCOME: usize = 10;

/// Whether some rows, of which so many have the outcome, have fewer than [`LEAST_OF_OUTCOME`] of one kind.
pub fn too_few_to_resample((rows, observed): (usize, usize)) -> bool {
    observed.min(rows.saturating_sub(observed)) < LEAST_OF_OUTCOME
}

/// Wilson score interval at 95 % of `events` out of `n` > 0 (Wilson, 1927): lower and upper end, in [0, 1]. O(1).
///
/// ```
/// use localcal_numerics::num::proportion::wilson_interval;
/// use localcal_numerics::num::special::NORMAL_975;
///
/// // none of 10: from 0 to z² / (10 + z²), 28 %
/// let (low, high) = wilson_interval(0.0, 10.0);
/// let z2 = NORMAL_975 * NORMAL_975;
/// assert!(low == 0.0 && (high - z2 / (10.0 + z2)).abs() < 1e-12);
/// ```
pub fn wilson_interval(events: f64, n: f64) -> (f64, f64) {
    wilson_at(events / n, n, NORMAL_975)
}

/// The same of a share, between the quantiles ± `z` of the normal distribution.
fn wilson_at(share: f64, n: f64, z: f64) -> (f64, f64) {
    // weighted sums may round to a share just above 1
    let share = share.clamp(0.0, 1.0);
    let z2 = z * z;
    let center = share + z2 / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((center - half) / scale).clamp(0.0, share), ((center + half) / scale).clamp(share, 1.0))
}

/// The difference of two independent shares, `[share, n]` each: the first minus the second, with its 95 % interval (Newcombe,
/// 1998, method 10: from the Wilson intervals of both) and the p-value at whose level this interval ends at 0. Numbers of rows
/// need not be whole. 60 evaluations.
///
/// ```
/// use localcal_numerics::num::proportion::difference_of_shares;
///
/// // Newcombe (1998), table II: 56/70 − 48/80
/// let ([low, high], p) = difference_of_shares([56.0 / 70.0, 70.0], [48.0 / 80.0, 80.0]);
/// assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5 && p < 0.05);
/// ```
pub fn difference_of_shares(a: [f64; 2], b: [f64; 2]) -> ([f64; 2], f64) {
    let at = |z: f64| {
        let ((low_a, high_a), (low_b, high_b)) = (wilson_at(a[0], a[1], z), wilson_at(b[0], b[1], z));
        let difference = a[0] - b[0];
        [difference - (a[0] - low_a).hypot(high_b - b[0]), difference + (high_a - a[0]).hypot(b[0] - low_b)]
    };
    let holds_0 = |z: f64| matches!(at(z), [low, high] if low <= 0.0 && high >= 0.0);
    // of equal shares the interval holds 0 at every level
    let (mut below, mut above) = (0.0, 40.0);
    for _ in 0..60 {
        let z = 0.5 * (below + above);
        if holds_0(z) { above = z } else { below = z }
    }
    (at(NORMAL_975), normal_two_sided(above))
}

/// Clopper–Pearson interval at 95 % of `events` out of `n`: the shares at which so few, and so many, events have a probability of
/// 2.5 %. It covers in at least 95 % of samples. Some sixty values of the incomplete beta function an end.
///
/// ```
/// use localcal_numerics::num::proportion::clopper_pearson;
///
/// // none of 10: up to 1 − 0.025^(1/10)
/// let (low, high) = clopper_pearson(0, 10);
/// assert!(low == 0.0 && (high - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-12);
/// ```
pub fn clopper_pearson(events: usize, n: usize) -> (f64, f64) {
    exact_interval(events as f64, n as f64, 0.025)
}

/// The same with the probability `tail` on either side: the shares that [`binomial_two_sided`] does not reject at level
/// 2 `tail`. Numbers need not be whole: `n` may be an effective number of rows (Korn and Graubard, 1998).
pub fn exact_interval(events: f64, n: f64, tail: f64) -> (f64, f64) {
    let k = events.min(n);
    // I_x(a, b) rises with x
    let at = |level: f64, a: f64, b: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if checked_beta_reg(a, b, middle).unwrap_or(1.0) < level { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let low = if k == 0.0 { 0.0 } else { at(tail, k, n - k + 1.0) };
    // 1 − tail would round a small tail away
    let high = if k == n { 1.0 } else { 1.0 - at(tail, n - k, k + 1.0) };
    (low, high)
}

/// Two-sided p-value of `events` out of `n` with probability `share` each: twice the smaller tail, at most 1. With the
/// same mean, unequal probabilities make numbers far from it less likely (Hoeffding, 1956), so that it holds for any
/// probabilities with the mean `share`. O(1).
///
/// ```
/// use localcal_numerics::num::proportion::binomial_two_sided;
///
/// // P(X ≤ 0) = 0.8²
/// assert!((binomial_two_sided(2.0, 2.0, 0.2) - 2.0 * 0.04).abs() < 1e-12);
/// ```
pub fn binomial_two_sided(events: f64, n: f64, share: f64) -> f64 {
    let (k, share) = (events.min(n), share.clamp(0.0, 1.0));
    let below = |a: f64, b: f64, x: f64| checked_beta_reg(a, b, x).unwrap_or(1.0);
    let at_least = if k == 0.0 { 1.0 } else { below(k, n - k + 1.0, share) };
    let at_most = if k == n { 1.0 } else { below(n - k, k + 1.0, 1.0 - share) };
    (2.0 * at_least.min(at_most)).min(1.0)
}

/// The largest share below `share`, and the smallest above it, at which [`binomial_two_sided`] of `n` rows and `share` is at most
/// `level` with probability `power`; `None` where no number of events is significant on that side. Logarithmically many values of
/// the incomplete beta function.
///
/// ```
/// use localcal_numerics::num::proportion::detectable_shares;
///
/// // 0 of 20 are no sign of an error: 0.95²⁰ = 0.36. Four are, 2 P(X ≥ 4) = 0.032.
/// let [below, above] = detectable_shares(20.0, 0.05, 0.05, 0.8);
/// assert!(below.is_none());
/// // P(X ≥ 4) = 0.8
/// assert!((above.unwrap() - 0.258_635_205).abs() < 1e-8);
/// ```
pub fn detectable_shares(n: f64, share: f64, level: f64, power: f64) -> [Option<f64>; 2] {
    let significant = |k: f64| binomial_two_sided(k, n, share) <= level;
    // the number of events nearest the expected one that is significant; the one at the `end` is
    let nearest = |end: f64| {
        let (mut far, mut near) = (end, (n * share).round());
        while (far - near).abs() > 1.0 {
            let middle = (0.5 * (far + near)).floor();
            if significant(middle) { far = middle } else { near = middle }
        }
        far
    };
    let (none, all) = (0.0, n.floor());
    [
        significant(none).then(|| exact_interval(nearest(none), n, power).1),
        significant(all).then(|| exact_interval(nearest(all), n, power).0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events, rows, their probability, p.
    const BINOMIAL: [(f64, f64, f64, f64); 4] = [
        (5.0, 1000.0, 0.001, 0.007_273_756_059_043_584),
        (0.0, 40.0, 0.1, 0.029_561_765_882_869_17),
        (17.0, 20.0, 0.5, 0.002_576_828_002_929_687_5),
        (3.0, 1500.0, 0.0055, 0.070_810_036_496_263_72),
    ];

    /// Events and rows of both, the ends.
    const NEWCOMBE: [(f64, f64, f64, f64, f64, f64); 5] = [
        (56.0, 70.0, 48.0, 80.0, 0.052_431_472_402_364_98, 0.333_872_654_036_906_14),
        (0.0, 300.0, 118.0, 20_000.0, -0.007_060_404_194_893_776, 0.006_780_175_553_418_447),
        (9.0, 10.0, 3.0, 10.0, 0.170_522_723_934_502_9, 0.809_017_973_535_488),
        (5.0, 5.0, 0.0, 20.0, 0.536_603_486_459_372_7, 1.0),
        (3.0, 400.0, 9.0, 2_000.0, -0.003_380_364_323_411_554, 0.017_473_417_870_444_725),
    ];

    #[test]
    fn clopper_pearson_agrees_with_scipy() {
        // scipy.stats.binomtest(k, n).proportion_ci(method="exact")
        for (k, n, low, high) in [
            (8, 23, 0.163_763_598_374_636_4, 0.572_656_036_963_505_6),
            (1, 8, 0.003_159_723_531_252_275, 0.526_509_670_875_163_8),
            (5, 5, 0.478_176_249_895_018_56, 1.0),
        ] {
            let found = clopper_pearson(k, n);
            assert!((found.0 - low).abs() < 1e-11 && (found.1 - high).abs() < 1e-11, "{k} of {n}: {found:?}");
        }
        assert_eq!(clopper_pearson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn differences_of_shares_agree_with_newcombe_and_statsmodels() {
        // statsmodels.stats.proportion.confint_proportions_2indep(k1, n1, k2, n2, method="newcomb")
        for (k1, n1, k2, n2, low, high) in NEWCOMBE {
            let ([a, b], p) = difference_of_shares([k1 / n1, n1], [k2 / n2, n2]);
            assert!((a - low).abs() < 1e-12 && (b - high).abs() < 1e-12, "{k1} of {n1}, {k2} of {n2}: {a}, {b}");
            assert_eq!(p < 0.05, a > 0.0 || b < 0.0, "{k1} of {n1}, {k2} of {n2}: {p}");
        }
        // no event in few rows says little, and equal shares nothing
        assert!(difference_of_shares([0.0, 2.0], [0.364, 3000.0]).1 > 0.2);
        assert!(difference_of_shares([0.2, 100.0], [0.2, 50.0]).1 > 0.999);
    }

    #[test]
    fn the_exact_interval_holds_what_its_test_does_not_reject() {
        // SciPy: 2 min(binom.cdf(k, n, p), binom.sf(k − 1, n, p))
        for (k, n, share, p) in BINOMIAL {
            assert!((binomial_two_sided(k, n, share) / p - 1.0).abs() < 1e-9, "{k} of {n}");
            for tail in [0.025, 0.004] {
                let (low, high) = exact_interval(k, n, tail);
                let inside = (low..=high).contains(&share);
                assert_eq!(inside, binomial_two_sided(k, n, share) >= 2.0 * tail, "{k} of {n} at {tail}");
            }
        }
        assert_eq!((binomial_two_sided(0.0, 5.0, 0.0), binomial_two_sided(5.0, 5.0, 1.0)), (1.0, 1.0));
        assert_eq!(binomial_two_sided(1.0, 5.0, 0.0), 0.0);
    }

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
