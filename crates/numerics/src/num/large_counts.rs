//! Random numbers of rows: Poisson and binomial numbers of any size, in constant time, and hypergeometric ones.
//!
//! A bootstrap of counts draws for each count what a bootstrap of its rows would: the sum of n Poisson(1) numbers is
//! Poisson(n). Outcomes redrawn from one score s are Binomial(n, s).
//!
//! Source: Hörmann (1993), The transformed rejection method for generating Poisson random variables (PTRS), and The
//! generation of binomial random variates (BTRS).

use super::rng::Draws;

/// Means below are drawn by adding up probabilities.
const SMALL: f64 = 10.0;

/// Poisson numbers of one mean: what depends on the mean alone is computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Poisson {
    mean: f64,
    by: PoissonBy,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum PoissonBy {
    /// the mean is not positive
    Zero,
    /// adding up probabilities, from that of 0
    Sums { zero: f64 },
    /// the constants of PTRS, and the logarithm of the mean
    Rejection { a: f64, b: f64, inverse_alpha: f64, accepted: f64, log_mean: f64 },
}

impl Poisson {
    /// Numbers of this mean; 0 for a mean that is not positive.
    pub fn of(mean: f64) -> Self {
        let by = if mean.is_nan() || mean <= 0.0 {
            PoissonBy::Zero
        } else if mean < SMALL {
            PoissonBy::Sums { zero: (-mean).exp() }
        } else {
            let b = 0.931 + 2.53 * mean.sqrt();
            PoissonBy::Rejection {
                a: -0.059 + 0.02483 * b,
                b,
                inverse_alpha: 1.1239 + 1.1328 / (b - 3.4),
                accepted: 0.9277 - 3.6224 / (b - 2.0),
                log_mean: mean.ln(),
            }
        };
        Self { mean, by }
    }

    /// One number.
    pub fn draw(&self, draws: &mut Draws) -> f64 {
        let mean = self.mean;
        match self.by {
            PoissonBy::Zero => 0.0,
            PoissonBy::Sums { zero } => {
                let (mut probability, mut k) = (zero, 0.0);
                let mut left = draws.uniform();
                while left >= probability && k < MOST_SMALL {
                    left -= probability;
                    k += 1.0;
                    probability *= mean / k;
                }
                k
            }
            PoissonBy::Rejection { a, b, inverse_alpha, accepted, log_mean } => loop {
                let (u, v) = (draws.uniform() - 0.5, draws.uniform());
                let near = 0.5 - u.abs();
                let k = ((2.0 * a / near + b) * u + mean + 0.43).floor();
                if near >= 0.07 && v <= accepted {
                    return k;
                }
                if k < 0.0 || (near < 0.013 && v > near) {
                    continue;
                }
                let log = (v * inverse_alpha / (a / (near * near) + b)).ln();
                if log <= k * log_mean - mean - ln_factorial(k) {
                    return k;
                }
            },
        }
    }
}

/// Numbers of events among `n` rows, each with probability `p`: what depends on both alone is computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binomial {
    n: f64,
    /// of the rarer of event and no event
    odds: f64,
    /// whether the event is the more frequent
    mirrored: bool,
    by: BinomialBy,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum BinomialBy {
    /// no row, or no number
    Zero,
    /// adding up probabilities, from that of 0
    Sums { zero: f64 },
    /// the constants of BTRS, the mode with its terms of the logarithm
    Rejection { a: f64, b: f64, center: f64, accepted: f64, alpha: f64, mode: f64, at_mode: f64, tails: [f64; 2] },
}

impl Binomial {
    /// * `n`: a whole number ≥ 0; `p`: cut to [0, 1]
    pub fn of(n: f64, p: f64) -> Self {
        let p = p.clamp(0.0, 1.0);
        if n.is_nan() || n <= 0.0 || p.is_nan() {
            return Self { n: 0.0, odds: 0.0, mirrored: false, by: BinomialBy::Zero };
        }
        let mirrored = p > 0.5;
        let p = if mirrored { 1.0 - p } else { p };
        let odds = p / (1.0 - p);
        if n * p < SMALL {
            let zero = (n * (-p).ln_1p()).exp();
            return Self { n, odds, mirrored, by: BinomialBy::Sums { zero } };
        }
        let spread = (n * p * (1.0 - p)).sqrt();
        let b = 1.15 + 2.53 * spread;
        let mode = ((n + 1.0) * p).floor();
        let by = BinomialBy::Rejection {
            a: -0.0873 + 0.0248 * b + 0.01 * p,
            b,
            center: n * p + 0.5,
            accepted: 0.92 - 4.2 / b,
            alpha: (2.83 + 5.1 / b) * spread,
            mode,
            at_mode: (mode + 0.5) * ((mode + 1.0) / (odds * (n - mode + 1.0))).ln(),
            tails: [tail(mode), tail(n - mode)],
        };
        Self { n, odds, mirrored, by }
    }

    /// One number.
    pub fn draw(&self, draws: &mut Draws) -> f64 {
        let rarer = self.rarer(draws);
        if self.mirrored { self.n - rarer } else { rarer }
    }

    fn rarer(&self, draws: &mut Draws) -> f64 {
        let Self { n, odds, .. } = *self;
        match self.by {
            BinomialBy::Zero => 0.0,
            BinomialBy::Sums { zero } => {
                let (mut probability, mut k) = (zero, 0.0);
                let mut left = draws.uniform();
                while left >= probability && k < n.min(MOST_SMALL) {
                    left -= probability;
                    probability *= odds * (n - k) / (k + 1.0);
                    k += 1.0;
                }
                k
            }
            BinomialBy::Rejection { a, b, center, accepted, alpha, mode, at_mode, tails } => loop {
                let (u, v) = (draws.uniform() - 0.5, draws.uniform());
                let near = 0.5 - u.abs();
                let k = ((2.0 * a / near + b) * u + center).floor();
                if k < 0.0 || k > n {
                    continue;
                }
                if near >= 0.07 && v <= accepted {
                    return k;
                }
                let log = (v * alpha / (a / (near * near) + b)).ln();
                let most = at_mode
                    + (n + 1.0) * ((n - mode + 1.0) / (n - k + 1.0)).ln()
                    + (k + 0.5) * (odds * (n - k + 1.0) / (k + 1.0)).ln()
                    + tails[0]
                    + tails[1]
                    - tail(k)
                    - tail(n - k);
                if log <= most {
                    return k;
                }
            },
        }
    }
}

/// How many of `drawn` rows, drawn without replacement from `all`, are among `marked` of them.
///
/// * whole numbers, `drawn` and `marked` ≤ `all`
///
/// By inversion, outward from the mode. O(√drawn) at most.
pub fn hypergeometric(draws: &mut Draws, drawn: f64, marked: f64, all: f64) -> f64 {
    let (least, most) = ((drawn + marked - all).max(0.0), drawn.min(marked));
    if least.is_nan() || most.is_nan() || least >= most {
        return most.max(0.0);
    }
    let rest = all - marked - drawn;
    let mode = ((drawn + 1.0) * (marked + 1.0) / (all + 2.0)).floor().clamp(least, most);
    let ways = |n: f64, k: f64| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let at_mode = (ways(marked, mode) + ways(all - marked, drawn - mode) - ways(all, drawn)).exp();
    let mut left = draws.uniform() - at_mode;
    let (mut up, mut down) = ((mode, at_mode), (mode, at_mode));
    while left >= 0.0 && up.1.max(down.1) > f64::EPSILON {
        let (k, p) = up;
        up = (k + 1.0, p * (marked - k) * (drawn - k) / ((k + 1.0) * (rest + k + 1.0)));
        left -= up.1;
        if left < 0.0 {
            return up.0;
        }
        let (k, p) = down;
        down = (k - 1.0, p * k * (rest + k) / ((marked - k + 1.0) * (drawn - k + 1.0)));
        left -= down.1;
        if left < 0.0 {
            return down.0;
        }
    }
    mode
}

/// Beyond every number that a mean below [`SMALL`] gives.
const MOST_SMALL: f64 = 200.0;

/// ln k!, to twelve digits.
fn ln_factorial(k: f64) -> f64 {
    (k + 0.5) * (k + 1.0).ln() - (k + 1.0) + 0.5 * std::f64::consts::TAU.ln() + tail(k)
}

/// What Stirling's formula leaves of ln k!.
fn tail(k: f64) -> f64 {
    const FIRST: [f64; 10] = [
        0.081_061_466_795_327_8,
        0.041_340_695_955_409_5,
        0.027_677_925_684_998_3,
        0.020_790_672_103_765_1,
        0.016_644_691_189_821_2,
        0.013_876_128_823_070_7,
        0.011_896_709_945_891_8,
        0.010_411_265_261_972_1,
        0.009_255_462_182_712_73,
        0.008_330_563_433_362_87,
    ];
    if let Some(first) = FIRST.get(k as usize) {
        return *first;
    }
    let square = (k + 1.0) * (k + 1.0);
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean, variance and third central moment of draws.
    fn moments(mut draw: impl FnMut() -> f64) -> [f64; 3] {
        const N: usize = 200_000;
        let all: Vec<f64> = (0..N).map(|_| draw()).collect();
        let mean = all.iter().sum::<f64>() / N as f64;
        let power = |k: i32| all.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / N as f64;
        [mean, power(2), power(3)]
    }

    #[test]
    fn poisson_numbers_have_their_moments() {
        let mut draws = Draws::seeded(1, 0);
        for mean in [0.3, 1.0, 9.9, 10.0, 37.5, 1e4, 1e9] {
            let [m, v, third] = moments(|| Poisson::of(mean).draw(&mut draws));
            assert!((m - mean).abs() < 6.0 * (mean / 2e5).sqrt(), "{mean}: {m}");
            assert!((v / mean - 1.0).abs() < 6.0 * ((2.0 + 1.0 / mean) / 2e5).sqrt(), "{mean}: {v}");
            assert!((third / mean.powf(1.5) - mean.powf(-0.5)).abs() < 0.2, "{mean}: {third}");
        }
        assert_eq!(Poisson::of(0.0).draw(&mut draws), 0.0);
        assert_eq!(Poisson::of(f64::NAN).draw(&mut draws), 0.0);
    }

    #[test]
    fn binomial_numbers_have_their_moments() {
        let mut draws = Draws::seeded(2, 0);
        for (n, p) in [(1.0, 0.3), (20.0, 0.5), (40.0, 0.9), (1000.0, 0.02), (5e3, 0.4), (1e9, 1e-9), (1e9, 0.7)] {
            let [m, v, _] = moments(|| Binomial::of(n, p).draw(&mut draws));
            let variance: f64 = n * p * (1.0 - p);
            assert!((m - n * p).abs() < 6.0 * (variance / 2e5).sqrt(), "{n} {p}: {m}");
            assert!((v / variance - 1.0).abs() < 6.0 * ((2.0 + 1.0 / variance) / 2e5).sqrt(), "{n} {p}: {v}");
        }
        for (n, p, k) in [(5.0, 0.0, 0.0), (5.0, 1.0, 5.0), (0.0, 0.5, 0.0), (5.0, f64::NAN, 0.0)] {
            assert_eq!(Binomial::of(n, p).draw(&mut draws), k);
        }
    }

    #[test]
    fn hypergeometric_numbers_have_their_moments() {
        let mut draws = Draws::seeded(3, 0);
        for (n, marked, all) in
            [(1.0, 1.0, 5.0), (7.0, 4.0, 20.0), (19.0, 4.0, 20.0), (500.0, 2e5, 1e6), (2e5, 2e8, 1e9)]
        {
            let [m, v, _] = moments(|| hypergeometric(&mut draws, n, marked, all));
            let share: f64 = marked / all;
            let variance = n * share * (1.0 - share) * (all - n) / (all - 1.0);
            assert!((m - n * share).abs() < 6.0 * (variance / 2e5).sqrt(), "{n} {marked} {all}: {m}");
            assert!(
                (v / variance - 1.0).abs() < 6.0 * ((2.0 + 1.0 / variance) / 2e5).sqrt(),
                "{n} {marked} {all}: {v}"
            );
        }
        for (n, marked, all, k) in
            [(0.0, 3.0, 9.0, 0.0), (9.0, 3.0, 9.0, 3.0), (4.0, 0.0, 9.0, 0.0), (4.0, 9.0, 9.0, 4.0)]
        {
            assert_eq!(hypergeometric(&mut draws, n, marked, all), k);
        }
        // beyond 2⁵³ factorials are not exact any more; what is drawn is still possible
        let k = hypergeometric(&mut draws, 1e15, 2e14, 1.1e15);
        assert!((1e14..=2e14).contains(&k), "{k}");
    }

    #[test]
    fn factorials() {
        assert!(ln_factorial(0.0).abs() < 1e-12);
        assert!((ln_factorial(5.0) - 120_f64.ln()).abs() < 1e-12);
        assert!((ln_factorial(20.0) - 2_432_902_008_176_640_000_f64.ln()).abs() < 1e-10);
    }
}
