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

/// A Poisson number of this mean; 0 for a mean that is not positive.
pub fn poisson(draws: &mut Draws, mean: f64) -> f64 {
    if mean.is_nan() || mean <= 0.0 {
        return 0.0;
    }
    if mean < SMALL {
        let (mut probability, mut k) = ((-mean).exp(), 0.0);
        let mut left = draws.uniform();
        while left >= probability && k < MOST_SMALL {
            left -= probability;
            k += 1.0;
            probability *= mean / k;
        }
        return k;
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let accepted = 0.9277 - 3.6224 / (b - 2.0);
    loop {
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
        if log <= k * mean.ln() - mean - ln_factorial(k) {
            return k;
        }
    }
}

/// The number of events among `n` rows, each with probability `p`.
///
/// * `n`: a whole number ≥ 0; `p`: cut to [0, 1]
pub fn binomial(draws: &mut Draws, n: f64, p: f64) -> f64 {
    let p = p.clamp(0.0, 1.0);
    if n.is_nan() || n <= 0.0 || p.is_nan() {
        return 0.0;
    }
    if p > 0.5 {
        return n - binomial(draws, n, 1.0 - p);
    }
    if n * p < SMALL {
        let odds = p / (1.0 - p);
        let (mut probability, mut k) = ((n * (-p).ln_1p()).exp(), 0.0);
        let mut left = draws.uniform();
        while left >= probability && k < n.min(MOST_SMALL) {
            left -= probability;
            probability *= odds * (n - k) / (k + 1.0);
            k += 1.0;
        }
        return k;
    }
    let spread = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let (center, accepted) = (n * p + 0.5, 0.92 - 4.2 / b);
    let odds = p / (1.0 - p);
    let alpha = (2.83 + 5.1 / b) * spread;
    let mode = ((n + 1.0) * p).floor();
    loop {
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
        let most = (mode + 0.5) * ((mode + 1.0) / (odds * (n - mode + 1.0))).ln()
            + (n + 1.0) * ((n - mode + 1.0) / (n - k + 1.0)).ln()
            + (k + 0.5) * (odds * (n - k + 1.0) / (k + 1.0)).ln()
            + tail(mode)
            + tail(n - mode)
            - tail(k)
            - tail(n - k);
        if log <= most {
            return k;
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
            let [m, v, third] = moments(|| poisson(&mut draws, mean));
            assert!((m - mean).abs() < 6.0 * (mean / 2e5).sqrt(), "{mean}: {m}");
            assert!((v / mean - 1.0).abs() < 6.0 * ((2.0 + 1.0 / mean) / 2e5).sqrt(), "{mean}: {v}");
            assert!((third / mean.powf(1.5) - mean.powf(-0.5)).abs() < 0.2, "{mean}: {third}");
        }
        assert_eq!(poisson(&mut draws, 0.0), 0.0);
        assert_eq!(poisson(&mut draws, f64::NAN), 0.0);
    }

    #[test]
    fn binomial_numbers_have_their_moments() {
        let mut draws = Draws::seeded(2, 0);
        for (n, p) in [(1.0, 0.3), (20.0, 0.5), (40.0, 0.9), (1000.0, 0.02), (5e3, 0.4), (1e9, 1e-9), (1e9, 0.7)] {
            let [m, v, _] = moments(|| binomial(&mut draws, n, p));
            let variance: f64 = n * p * (1.0 - p);
            assert!((m - n * p).abs() < 6.0 * (variance / 2e5).sqrt(), "{n} {p}: {m}");
            assert!((v / variance - 1.0).abs() < 6.0 * ((2.0 + 1.0 / variance) / 2e5).sqrt(), "{n} {p}: {v}");
        }
        for (n, p, k) in [(5.0, 0.0, 0.0), (5.0, 1.0, 5.0), (0.0, 0.5, 0.0), (5.0, f64::NAN, 0.0)] {
            assert_eq!(binomial(&mut draws, n, p), k);
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
