//! Estimates of several studies or sites, pooled: each differs from the mean of all by its own error and by what sites differ.
//!
//! yᵢ ~ N(μ, vᵢ + τ²), vᵢ known. Source: Viechtbauer (2005) on REML, Knapp and Hartung (2003) and Röver, Knapp and Friede (2015) on the interval of μ,
//! Viechtbauer (2007) on that of τ², Higgins and Thompson (2002) on I², Iyer, Wang and Mathew (2004) on the generalized pivot behind
//! prediction, Nagashima, Noma and Furukawa (2019) on its coverage.

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

use crate::num::special::normal_tail;

/// Estimates of k sites, pooled.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomEffects {
    /// k
    pub sites: usize,
    /// μ = Σ wᵢ yᵢ / Σ wᵢ with wᵢ = 1 / (vᵢ + τ²)
    pub mean: f64,
    /// of the mean, (max(1, Σ wᵢ (yᵢ − μ)² / (k − 1)) / Σ wᵢ)^½: Knapp and Hartung's, but never smaller than without their factor, as
    /// it would be where sites agree by chance (Röver, Knapp and Friede)
    pub standard_error: f64,
    /// 95 % interval of the mean, of Student's distribution with k − 1 degrees of freedom
    pub interval: [f64; 2],
    /// 95 % interval of what a new site's own mean is, from the confidence distribution of τ²; contains that of the mean. None of two
    /// sites
    pub prediction: Option<[f64; 2]>,
    /// τ², the variance between sites (REML)
    pub tau2: f64,
    /// its 95 % interval, from the distribution of Q(τ²); both ends 0 where sites differ less than their errors let expect
    pub tau2_interval: [f64; 2],
    /// I², the share of the variance of yᵢ that is between sites, for a site of typical vᵢ
    pub i2: f64,
    /// Cochran's Q = Σ (yᵢ − ȳ)² / vᵢ, against the mean ȳ with τ² = 0
    pub q: f64,
    /// probability of a Q at least as large where sites do not differ: χ² with k − 1 degrees of freedom
    pub p: f64,
    /// wᵢ / Σ w of every site
    pub weights: Vec<f64>,
}

/// Random-effects pooling of estimates `y` with variances `v`: τ² by restricted maximum likelihood,
/// ℓ(τ²) = −½ Σ ln(vᵢ + τ²) − ½ ln Σ wᵢ − ½ Σ wᵢ (yᵢ − μ)². None for fewer than two sites, or where an estimate or a variance is
/// not finite or a variance is not above zero.
///
/// The likelihood can have several maxima: the largest over a grid of τ² is the one that is refined.
///
/// # Cost
/// O(k), some thousand times.
///
/// ```
/// // equal variances: τ² is what the variance of the estimates exceeds them by, and the interval is that of a t-test
/// let found = localcal_numerics::hypothesis::random_effects::random_effects(&[1.0, 2.0, 6.0], &[1.0; 3]).unwrap();
/// assert!((found.mean - 3.0).abs() < 1e-12 && (found.tau2 - 6.0).abs() < 1e-9);
/// assert!((found.standard_error - (7.0_f64 / 3.0).sqrt()).abs() < 1e-9);
/// ```
pub fn random_effects(y: &[f64], v: &[f64]) -> Option<RandomEffects> {
    let sites = Sites::usable(y, v)?;
    let freedom = sites.freedom();
    let pooled = sites.pooled();
    let Pooled { tau2, mean, standard_error, total } = pooled;
    let half = student_975(freedom)? * standard_error;
    let interval = [mean - half, mean + half];
    let fixed = sites.at(0.0);
    let chi = ChiSquared::new(freedom).ok()?;
    let typical = freedom * fixed.total / (fixed.total * fixed.total - fixed.squares);
    let prediction = (y.len() > 2).then(|| sites.prediction(&chi));
    Some(RandomEffects {
        sites: y.len(),
        mean,
        standard_error,
        interval,
        prediction: prediction.map(|[low, high]| [low.min(interval[0]), high.max(interval[1])]),
        tau2,
        tau2_interval: [sites.with_q(chi.inverse_cdf(0.975)), sites.with_q(chi.inverse_cdf(0.025))],
        i2: tau2 / (tau2 + typical),
        q: fixed.q,
        p: chi.sf(fixed.q),
        weights: v.iter().map(|v| 1.0 / (v + tau2) / total).collect(),
    })
}

/// Whether a site is one of those that the others are drawn from: two-sided p of its estimate under the prediction of the
/// others, (yᵢ − μ₋ᵢ) / (vᵢ + τ²₋ᵢ + SE²₋ᵢ)^½ against Student's distribution with k − 3 degrees of freedom. NaN everywhere for
/// fewer than four sites.
///
/// Not adjusted for the number of sites. Source: Viechtbauer and Cheung (2010), deleted residuals.
///
/// # Cost
/// That of k poolings.
pub fn outlying(y: &[f64], v: &[f64]) -> Vec<f64> {
    let of = |i: usize| -> Option<f64> {
        let without =
            |x: &[f64]| -> Vec<f64> { x.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, x)| *x).collect() };
        let (y_others, v_others) = (without(y), without(v));
        let others = Sites::usable(&y_others, &v_others).filter(|_| y.len() > 3)?.pooled();
        let error = v.get(i)? + others.tau2 + others.standard_error.powi(2);
        let student = StudentsT::new(0.0, 1.0, (y.len() - 3) as f64).ok()?;
        Some(2.0 * student.cdf(-((y.get(i)? - others.mean) / error.sqrt()).abs()))
    };
    (0..y.len()).map(|i| of(i).unwrap_or(f64::NAN)).collect()
}

/// The 97.5 % quantile of Student's distribution.
fn student_975(freedom: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975))
}

#[derive(Clone, Copy)]
struct Sites<'a> {
    y: &'a [f64],
    v: &'a [f64],
}

/// The mean at the τ² of the largest likelihood.
struct Pooled {
    tau2: f64,
    mean: f64,
    /// of the mean, as in [`RandomEffects::standard_error`]
    standard_error: f64,
    /// Σ w
    total: f64,
}

/// What follows from one τ².
struct At {
    /// Σ w
    total: f64,
    /// Σ w²
    squares: f64,
    /// μ
    mean: f64,
    /// Σ w (y − μ)²
    q: f64,
    /// Σ w² (y − μ)²
    slope: f64,
    /// Σ ln(v + τ²)
    logs: f64,
}

impl At {
    fn likelihood(&self) -> f64 {
        -0.5 * (self.logs + self.total.ln() + self.q)
    }

    /// Of the likelihood, by τ².
    fn derivative(&self) -> f64 {
        0.5 * (self.slope - self.total + self.squares / self.total)
    }
}

/// Places of the grid of τ².
const GRID: usize = 80;
/// Intervals of the confidence distribution of τ².
const CELLS: usize = 300;
/// τ² beyond any estimate of it, as a multiple: with three sites one in some ten thousand is larger.
const BEYOND: f64 = 1e4;
/// Halvings of an interval of τ²: nothing is left that 64 bits tell.
const HALVINGS: usize = 120;

impl<'a> Sites<'a> {
    /// None for fewer than two sites, or where a number is not finite or a variance not above zero.
    fn usable(y: &'a [f64], v: &'a [f64]) -> Option<Self> {
        let usable = y.len() >= 2
            && v.len() == y.len()
            && y.iter().chain(v).all(|x| x.is_finite())
            && v.iter().all(|v| *v > 0.0);
        usable.then_some(Self { y, v })
    }

    /// k − 1.
    fn freedom(self) -> f64 {
        self.y.len() as f64 - 1.0
    }

    fn pooled(self) -> Pooled {
        let tau2 = self.reml();
        let At { total, mean, q, .. } = self.at(tau2);
        Pooled { tau2, mean, standard_error: ((q / self.freedom()).max(1.0) / total).sqrt(), total }
    }

    fn pairs(self) -> impl Iterator<Item = (f64, f64)> {
        self.y.iter().copied().zip(self.v.iter().copied())
    }

    fn at(self, tau2: f64) -> At {
        let (mut total, mut squares, mut sum, mut logs) = (0.0, 0.0, 0.0, 0.0);
        for (y, v) in self.pairs() {
            let w = 1.0 / (v + tau2);
            total += w;
            squares += w * w;
            sum += w * y;
            logs += (v + tau2).ln();
        }
        let mean = sum / total;
        let (mut q, mut slope) = (0.0, 0.0);
        for (y, v) in self.pairs() {
            let w = 1.0 / (v + tau2);
            let squared = (y - mean) * (y - mean);
            q += w * squared;
            slope += w * w * squared;
        }
        At { total, squares, mean, q, slope, logs }
    }

    /// Larger than any τ² of a maximum, (k / (k − 1)) Σ (y − ȳ)² + max v, and a lower end of what differs from 0 in the likelihood.
    fn ends(self) -> (f64, f64) {
        let k = self.y.len() as f64;
        let mean = self.y.iter().sum::<f64>() / k;
        let spread: f64 = self.y.iter().map(|y| (y - mean).powi(2)).sum();
        let (least, most) = self.v.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
        (1e-6 * least, 2.0 * spread + most)
    }

    /// τ² with the largest likelihood.
    fn reml(self) -> f64 {
        let (least, most) = self.ends();
        let step = (most / least).ln() / (GRID - 1) as f64;
        let place = |i: usize| if i == 0 { 0.0 } else { least * (step * (i - 1) as f64).exp() };
        let likelihood = |i: usize| self.at(place(i)).likelihood();
        let best = (1..=GRID).fold((0, likelihood(0)), |best, i| {
            let found = likelihood(i);
            if found > best.1 { (i, found) } else { best }
        });
        // the derivative falls through zero between the neighbors of the best place
        let (mut low, mut high) = (place(best.0.saturating_sub(1)), place(best.0 + 1));
        if best.0 == 0 && self.at(0.0).derivative() <= 0.0 {
            return 0.0;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.at(middle).derivative() > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// 2.5 % and 97.5 % quantiles of a new site's own mean. Q(τ²) = Σ w (y − μ)² has the distribution `chi` at the true τ², so that
    /// P(τ² ≤ x) = P(χ² ≥ Q(x)), with an atom at 0; given τ², the new mean is N(μ, 1 / Σ w + τ²).
    ///
    /// With the estimate alone in place of its distribution, few sites hold a new one too rarely: the estimate is often too small,
    /// and 0 most often.
    fn prediction(self, chi: &ChiSquared) -> [f64; 2] {
        let (least, most) = self.ends();
        let step = (BEYOND * most / least).ln() / CELLS as f64;
        let place = |i: usize| least * (step * i as f64).exp();
        let share = |tau2: f64| chi.sf(self.at(tau2).q);
        let (mut below, mut parts) = (0.0, Vec::with_capacity(CELLS + 2));
        for i in 0..=CELLS {
            let up_to = if i == CELLS { 1.0 } else { share(place(i)) };
            let tau2 = if i == 0 { 0.0 } else { (place(i - 1) * place(i)).sqrt() };
            let at = self.at(tau2);
            parts.push((up_to - below, at.mean, (1.0 / at.total + tau2).sqrt()));
            below = up_to;
        }
        let above = |x: f64| parts.iter().map(|(share, mean, sd)| share * normal_tail((x - mean) / sd)).sum::<f64>();
        let widest = 10.0 * (BEYOND * most).sqrt();
        let middle = self.at(0.0).mean;
        [0.975, 0.025].map(|wanted| {
            let (mut low, mut high) = (middle - widest, middle + widest);
            while high - low > 1e-12 * widest {
                let x = 0.5 * (low + high);
                if above(x) > wanted { low = x } else { high = x }
            }
            0.5 * (low + high)
        })
    }

    /// τ² at which Σ w (y − μ)² is `wanted`, which falls with τ²; 0 where it is less from the start.
    fn with_q(self, wanted: f64) -> f64 {
        if self.at(0.0).q <= wanted {
            return 0.0;
        }
        let mut high = self.ends().1;
        while self.at(high).q > wanted && high.is_finite() {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.at(middle).q > wanted { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::rng::Draws;

    fn numbers(value: &serde_json::Value) -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
    }

    /// Data sets of metafor's, pooled by it.
    #[test]
    fn pools_as_metafor() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/golden/random_effects.json")).expect("JSON");
        let sets = golden.as_object().expect("data sets");
        assert!(sets.len() >= 8, "{}", sets.len());
        for (name, set) in sets {
            let (y, v) = (numbers(&set["y"]), numbers(&set["v"]));
            let found = random_effects(&y, &v).expect("pooled");
            let known = |of: &str| set[of].as_f64().expect("a number");
            // metafor's iterations end at a step of 1e-12 of τ²; I² and intervals follow from it
            let near = |of: &str, value: f64, known: f64| {
                let off = (value - known).abs() / known.abs().max(0.01);
                assert!(off < 1e-6, "{name} {of}: {value} instead of {known}");
            };
            near("mean", found.mean, known("mean"));
            near("standard error", found.standard_error, known("se"));
            near("tau2", found.tau2, known("tau2"));
            near("I2", found.i2, known("i2") / 100.0);
            near("Q", found.q, known("q"));
            near("p", found.p, known("p"));
            for (of, ends) in [("interval", found.interval), ("tau2_interval", found.tau2_interval)] {
                for (end, known) in ends.iter().zip(numbers(&set[of])) {
                    near(of, *end, known);
                }
            }
            for (weight, known) in found.weights.iter().zip(numbers(&set["weights"])) {
                near("weights", *weight, known / 100.0);
            }
            for (p, known) in outlying(&y, &v).iter().zip(numbers(&set["outlying"])) {
                near("outlying", *p, known);
            }
        }
    }

    /// The same data sets, by another way through the distribution of τ²: its quantiles.
    #[test]
    fn predicts_as_the_quantiles_of_the_pivot() {
        let golden = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        let sets = golden(include_str!("../../../../tests/golden/random_effects.json"));
        let known = golden(include_str!("../../../../tests/golden/prediction_intervals.json"));
        for (name, set) in sets.as_object().expect("data sets") {
            let found = random_effects(&numbers(&set["y"]), &numbers(&set["v"])).and_then(|found| found.prediction);
            let (found, known) = (found.expect("three sites"), numbers(&known[name]));
            let width = known[1] - known[0];
            for (end, known) in found.iter().zip(known) {
                assert!((end - known).abs() < 5e-4 * width, "{name}: {end} instead of {known}");
            }
        }
    }

    /// Sites without errors of their own are a sample: the interval is that of Student for its next value.
    #[test]
    fn prediction_from_exact_sites_is_students() {
        for y in [vec![1.0, 2.0, 6.0], vec![0.3, -1.0, 0.4, 2.2, 0.9, 0.1]] {
            let found = random_effects(&y, &vec![1e-9; y.len()]).and_then(|found| found.prediction);
            let k = y.len() as f64;
            let mean = y.iter().sum::<f64>() / k;
            let sd = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (k - 1.0)).sqrt();
            let half = student_975(k - 1.0).expect("a quantile") * sd * (1.0 + 1.0 / k).sqrt();
            for (end, known) in found.expect("three sites").iter().zip([mean - half, mean + half]) {
                assert!((end - known).abs() < 1e-3 * half, "{end} instead of {known}");
            }
        }
    }

    /// The worked example of metafor's documentation, by its printed digits.
    #[test]
    fn bcg_vaccine_as_published() {
        let counts: [[f64; 4]; 13] = [
            [4.0, 119.0, 11.0, 128.0],
            [6.0, 300.0, 29.0, 274.0],
            [3.0, 228.0, 11.0, 209.0],
            [62.0, 13536.0, 248.0, 12619.0],
            [33.0, 5036.0, 47.0, 5761.0],
            [180.0, 1361.0, 372.0, 1079.0],
            [8.0, 2537.0, 10.0, 619.0],
            [505.0, 87886.0, 499.0, 87892.0],
            [29.0, 7470.0, 45.0, 7232.0],
            [17.0, 1699.0, 65.0, 1600.0],
            [186.0, 50448.0, 141.0, 27197.0],
            [5.0, 2493.0, 3.0, 2338.0],
            [27.0, 16886.0, 29.0, 17825.0],
        ];
        let (y, v): (Vec<f64>, Vec<f64>) = counts
            .iter()
            .map(|[a, b, c, d]| ((a / (a + b) / (c / (c + d))).ln(), 1.0 / a - 1.0 / (a + b) + 1.0 / c - 1.0 / (c + d)))
            .unzip();
        let found = random_effects(&y, &v).expect("pooled");
        let near = |value: f64, known: f64, half: f64| assert!((value - known).abs() <= half, "{value} {known}");
        near(found.mean, -0.7145, 5e-5);
        near(found.tau2, 0.3132, 5e-5);
        near(100.0 * found.i2, 92.22, 5e-3);
        near(found.q, 152.2330, 5e-5);
        // without Knapp and Hartung's factor
        let plain = v.iter().map(|v| 1.0 / (v + found.tau2)).sum::<f64>().sqrt().recip();
        near(plain, 0.1798, 5e-5);
        near(found.standard_error, 0.1808, 5e-5);
    }

    #[test]
    fn what_cannot_be_pooled() {
        assert_eq!(random_effects(&[1.0], &[1.0]), None);
        assert_eq!(random_effects(&[1.0, 2.0], &[1.0, 0.0]), None);
        assert_eq!(random_effects(&[1.0, f64::NAN], &[1.0, 1.0]), None);
        let same = random_effects(&[0.5; 4], &[0.1, 0.2, 0.3, 0.4]).expect("pooled");
        assert_eq!((same.mean, same.tau2, same.q, same.i2), (0.5, 0.0, 0.0, 0.0));
        assert_eq!(random_effects(&[1.0, 2.0], &[1.0, 1.0]).expect("two").prediction, None);
        assert!(outlying(&[1.0, 2.0, 3.0], &[1.0; 3]).iter().all(|p| p.is_nan()));
        // variances that differ by ten orders of magnitude
        let wide = random_effects(&[0.0, 1.0, 5.0, 2.0], &[1e-8, 1e-4, 1.0, 100.0]).expect("pooled");
        assert!(wide.tau2 > 0.0 && wide.mean.is_finite() && wide.tau2_interval[1] >= wide.tau2);
    }

    /// Sites that agree by chance do not make the mean surer than their errors allow.
    #[test]
    fn agreement_by_chance_does_not_narrow_the_interval() {
        let found = random_effects(&[1.0, 1.002], &[0.01, 0.01]).expect("pooled");
        assert_eq!((found.tau2, found.tau2_interval), (0.0, [0.0, 0.0]));
        assert!((found.standard_error - 0.005_f64.sqrt()).abs() < 1e-12, "{}", found.standard_error);
        let three = random_effects(&[1.0, 1.002, 1.001], &[0.01; 3]).expect("pooled");
        let (mean, new) = (three.interval, three.prediction.expect("three sites"));
        assert!(new[0] <= mean[0] && new[1] >= mean[1], "{new:?} {mean:?}");
    }

    /// 2,000 draws of 10 sites of unequal size: intervals hold what they should, and Q keeps its level.
    #[test]
    fn intervals_and_the_test_keep_their_level() {
        let v: Vec<f64> = (0..10).map(|i| 0.01 * (1.0 + i as f64)).collect();
        let draws = 2_000;
        for tau2 in [0.0, 0.05] {
            let mut rng = Draws::seeded(7, (tau2 > 0.0) as u64);
            let (mut mean, mut between, mut new, mut rejected, mut out) = (0, 0, 0, 0, 0);
            for _ in 0..draws {
                let truth = |rng: &mut Draws| 0.3 + f64::sqrt(tau2) * rng.normal();
                let y: Vec<f64> = v.iter().map(|v| truth(&mut rng) + v.sqrt() * rng.normal()).collect();
                let found = random_effects(&y, &v).expect("pooled");
                let holds = |[low, high]: [f64; 2], x: f64| usize::from(low <= x && x <= high);
                mean += holds(found.interval, 0.3);
                between += holds(found.tau2_interval, tau2);
                new += holds(found.prediction.expect("ten sites"), truth(&mut rng));
                rejected += usize::from(found.p <= 0.05);
                let least = outlying(&y, &v).into_iter().fold(1.0, f64::min);
                out += usize::from(10.0 * least <= 0.05);
            }
            let share = |n: usize| n as f64 / draws as f64;
            // three standard errors of a share of 2,000 draws are 1.5 percentage points; of sites that do not differ the interval of
            // the mean and that of a new site are conservative; of sites that differ and are of unequal size that of the mean is known
            // to hold it less often
            let (of_mean, of_new) = if tau2 == 0.0 { (0.935, 0.935) } else { (0.91, 0.935) };
            assert!(share(mean) > of_mean && share(mean) < 0.985, "{tau2}: mean {}", share(mean));
            // half of the error of τ² = 0 is on the side where there is no end
            let wanted = if tau2 == 0.0 { 0.975 } else { 0.95 };
            assert!((share(between) - wanted).abs() < 0.015, "{tau2}: τ² {}", share(between));
            assert!(share(new) > of_new, "{tau2}: prediction {}", share(new));
            assert!(share(out) < 0.065, "{tau2}: outlying {}", share(out));
            match tau2 {
                0.0 => assert!((share(rejected) - 0.05).abs() < 0.015, "Q {}", share(rejected)),
                _ => assert!(share(rejected) > 0.5, "Q {}", share(rejected)),
            }
        }
    }
}
