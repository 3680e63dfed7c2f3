//! How far the local error of one place can be trusted: its standard error, place by place.

use super::sample::{LocalQueries, LocalSample, within_bins};
use crate::kernel::{Kernel, Part};
use crate::{Error, Result};

/// Standard error of the signed local error m(x) at every query.
///
/// se(x)² = v(x) / n_eff(x) with n_eff = (Σ k)² / Σ k² and v the variance of the residuals r = s − t around the place,
/// v̂(x) = Σ k² (r − m)² / Σ k², so that v̂ / n_eff is the sampling variance Σ k² (r − m)² / (Σ k)². Few rows with
/// the same outcome would seem to be certain; v is therefore [`at_least`] what the scores themselves promise,
/// Σ k² s(1 − s) / Σ k², and what Jeffreys' rule leaves open. Where the error is small enough to be in doubt the two
/// variances agree; where it is large the interval is a little wider than it must be.
///
/// The 95 % interval is m ± 1.96 se (normal), for one place chosen before looking; see [`super::Places`] for places
/// that were looked for. It covers the kernel-weighted mean of the true gaps, not the gap of a single row.
///
/// * `slce`, `n_eff`: the answers of [`super::signed_local_error`] for the same queries and kernel
/// * returns: one number per query, `NaN` where there is no answer
///
/// # Errors
/// `length_mismatch` unless there is one `slce` and one `n_eff` per query; those of [`within_bins`].
///
/// # Cost
/// One pass of the sum engine with three right-hand sides: k² is again a kernel, see [`Kernel::squared`].
pub fn standard_error(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    slce: &[f64],
    n_eff: &[f64],
) -> Result<Vec<f64>> {
    standard_error_of(sample, queries, kernel, slce, n_eff, Part::WHOLE)
}

/// As [`standard_error`], of the queries that belong to a part; the others are `NaN`.
///
/// # Errors
/// As [`standard_error`].
pub fn standard_error_of(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    slce: &[f64],
    n_eff: &[f64],
    part: Part,
) -> Result<Vec<f64>> {
    let query_bin = match queries {
        LocalQueries::Sample { .. } => sample.bin,
        LocalQueries::At { bin, .. } | LocalQueries::Applied { bin, .. } => bin,
    };
    if slce.len() != query_bin.len() || n_eff.len() != query_bin.len() {
        return Err(Error::new(
            "length_mismatch",
            format!(
                "{} local errors and {} numbers of neighbours for {} queries",
                slce.len(),
                n_eff.len(),
                query_bin.len()
            ),
            "give one of each per query",
        ));
    }
    let mut weights = Vec::with_capacity(3 * sample.n());
    for row in 0..sample.n() {
        let (residual, score) = (sample.residual(row), sample.score[row]);
        weights.extend([residual, residual * residual, score * (1.0 - score)]);
    }
    let squared = kernel.squared();
    let sums = within_bins(sample, queries, &weights, 3, squared, false, part)?;
    let moments = sums.mean.chunks_exact(3);
    Ok(moments
        .zip(slce.iter().zip(n_eff))
        .map(|(moments, (&m, &n))| {
            let around = (moments[1] - 2.0 * m * moments[0] + m * m).max(0.0);
            (at_least(around, moments[2], n) / n).sqrt()
        })
        .collect())
}

/// max{ v̂ n / (n − 1), mean s(1 − s), ½(n + ½) / (n + 1)² }: the variance of `n` residuals around their own mean.
///
/// The last is the binomial variance of n equal outcomes with half a success and half a failure added (Jeffreys).
///
/// ```
/// use localcal_numerics::local::at_least;
///
/// // 10 residuals: their variance, with n − 1 for n
/// assert!((at_least(0.09, 0.05, 10.0) - 0.1).abs() < 1e-12);
/// // the same outcome in all: what the scores promise counts
/// assert_eq!(at_least(0.0, 0.16, 10.0), 0.16);
/// ```
pub fn at_least(variance: f64, binomial: f64, n: f64) -> f64 {
    let own = variance * n / (n - 1.0).max(1.0);
    own.max(binomial).max(0.5 * (n + 0.5) / ((n + 1.0) * (n + 1.0)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kernel::Points;
    use crate::local::signed_local_error;
    use crate::num::rng::Lanes;
    use crate::num::special::NORMAL_975;
    use crate::sample::synthetic::synthetic;

    const OWN: LocalQueries = LocalQueries::Sample { leave_one_out: false };

    #[test]
    fn squared_kernels_are_squares() {
        let (a, b) = ([0.3, -1.0, 2.0], [0.1, 0.5, 1.7]);
        let value = |kernel: Kernel| (-kernel.fall(3, 0.0, kernel.distance(&a, &b))).exp();
        for kernel in [
            Kernel::Laplacian { gamma: 0.7 },
            Kernel::Gaussian { gamma: 0.7 },
            Kernel::Rbf { gamma: 0.7 },
            Kernel::Constant,
        ] {
            assert!((value(kernel.squared()) - value(kernel).powi(2)).abs() < 1e-15);
        }
    }

    /// Four rows by hand: constant kernel, r = −0.1, −0.2, 0.85, 0.05, m = 0.15.
    #[test]
    fn four_rows_by_hand() {
        let (score, target) = ([0.9, 0.8, 0.85, 0.05], [1, 1, 0, 0]);
        let places = [0.0, 1.0, 2.0, 3.0];
        let sample = LocalSample::new(&score, &target, &[0; 4], Points::row_major(1, &places).unwrap()).unwrap();
        let found = signed_local_error(&sample, &OWN, Kernel::Constant, Part::WHOLE).unwrap();
        let se = standard_error(&sample, &OWN, Kernel::Constant, &found.slce, &found.n_eff).unwrap();
        // v̂ = (0.0625 + 0.1225 + 0.49 + 0.01) / 4 = 0.17125; v̂ · 4/3 is more than mean s(1 − s) = 0.10625 and than
        // 9/100; se² = v / 4.
        for se in se {
            assert!((se * se - 0.17125 / 3.0).abs() < 1e-12, "{se}");
        }
    }

    /// The one pass with k² agrees with the sum written out, and errors of shape are told.
    #[test]
    fn sums_agree_with_pairs() {
        let data = synthetic(200, 3);
        let places: Vec<f64> = data.x1.iter().zip(&data.x2).flat_map(|(a, b)| [*a, *b]).collect();
        let bin: Vec<u32> = data.p.iter().map(|p| (p * 3.0) as u32).collect();
        let sample = LocalSample::new(&data.p, &data.y, &bin, Points::row_major(2, &places).unwrap()).unwrap();
        for kernel in [Kernel::Laplacian { gamma: 0.4 }, Kernel::Gaussian { gamma: 0.8 }] {
            let found = signed_local_error(&sample, &OWN, kernel, Part::WHOLE).unwrap();
            let se = standard_error(&sample, &OWN, kernel, &found.slce, &found.n_eff).unwrap();
            for x in (0..200).step_by(17) {
                let inside: Vec<usize> = (0..200).filter(|&i| bin[i] == bin[x]).collect();
                let k = |i: usize| {
                    let fall = kernel.distance(&places[2 * x..2 * x + 2], &places[2 * i..2 * i + 2]);
                    (-kernel.fall(2, 0.0, fall)).exp()
                };
                let mass: f64 = inside.iter().map(|&i| k(i)).sum();
                let spread: f64 = inside.iter().map(|&i| (k(i) * (sample.residual(i) - found.slce[x])).powi(2)).sum();
                let square: f64 = inside.iter().map(|&i| k(i).powi(2)).sum();
                let promised: f64 = inside.iter().map(|&i| k(i).powi(2) * data.p[i] * (1.0 - data.p[i])).sum();
                let n = mass * mass / square;
                let expected = (at_least(spread / square, promised / square, n) / n).sqrt();
                assert!((se[x] - expected).abs() < 1e-5, "{} {expected}", se[x]);
            }
        }
        let error = standard_error(&sample, &OWN, Kernel::Constant, &[0.0], &[1.0]).unwrap_err();
        assert_eq!(error.code(), "length_mismatch");
    }

    /// Share of places with 20 effective neighbors whose interval holds the kernel mean of the true gaps, over
    /// redrawn outcomes; also where outcomes are nearly sure, where a plain normal interval breaks down.
    #[test]
    fn intervals_cover_the_true_local_gap() {
        let data = synthetic(1_500, 5);
        let places: Vec<f64> = data.x1.iter().zip(&data.x2).flat_map(|(a, b)| [*a, *b]).collect();
        let sure: Vec<f64> = data.p.iter().map(|p| 0.94 + 0.06 * p).collect();
        for (name, score, truth) in [("synthetic", &data.p, &data.truth), ("nearly sure", &sure, &sure)] {
            let gap: Vec<f64> = score.iter().zip(truth).map(|(s, q)| s - q).collect();
            for gamma in [0.1, 0.2, 0.5] {
                let kernel = Kernel::Laplacian { gamma };
                let (mut asked, mut covered, mut draws) = (0.0, 0.0, Lanes::seeded(1, 0));
                for _ in 0..20 {
                    let mut uniform = std::iter::repeat_with(|| draws.uniform()).flatten();
                    let target: Vec<u8> = truth.iter().zip(&mut uniform).map(|(q, u)| u8::from(u < *q)).collect();
                    let bin = vec![0; score.len()];
                    let sample =
                        LocalSample::new(score, &target, &bin, Points::row_major(2, &places).unwrap()).unwrap();
                    let true_gap = within_bins(&sample, &OWN, &gap, 1, kernel, false, Part::WHOLE).unwrap();
                    let found = signed_local_error(&sample, &OWN, kernel, Part::WHOLE).unwrap();
                    let se = standard_error(&sample, &OWN, kernel, &found.slce, &found.n_eff).unwrap();
                    for x in (0..score.len()).filter(|&x| found.n_eff[x] >= 20.0) {
                        asked += 1.0;
                        let off = (found.slce[x] - true_gap.mean[x]).abs();
                        covered += f64::from(u8::from(off <= NORMAL_975 * se[x]));
                    }
                }
                println!("{name}, γ = {gamma}: {:.4} of {asked}", covered / asked);
                assert!(asked > 1_000.0 && covered / asked >= 0.9, "{name} {gamma}");
                assert!(name != "synthetic" || covered / asked <= 0.995, "{name} {gamma}: too wide");
            }
        }
    }
}
