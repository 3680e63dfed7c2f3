//! Whether scores are off anywhere among some places: the largest error against outcomes drawn from the scores.
//!
//! Places are chosen by features and scores alone, and so is the yardstick of each: under scores that are right the
//! outcomes are one more draw like those that are made here, and the p-value is exact whatever the number of rows.

use super::resample::redrawn_residuals;
use super::sample::{LocalQueries, LocalSample, within_bins};
use super::worst::{MIN_NEIGHBORS, TOGETHER};
use crate::Result;
use crate::kernel::{Kernel, Part};

/// The largest error of some places, and how often draws show as much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anywhere {
    /// the z of the place with the largest |z|; positive: scores are too high there; `NaN` where no place has enough
    /// neighbors
    pub largest: f64,
    /// draws with a place that is as far off
    pub as_large: usize,
    /// draws in all
    pub draws: usize,
}

impl Anywhere {
    /// Of several ranges of draws of the same question: p = (1 + #{max* ≥ max}) / (draws + 1).
    ///
    /// ```
    /// use localcal_numerics::local::Anywhere;
    ///
    /// // two ranges of draws of the same question: 4 of 99 show as much
    /// let part = |as_large, draws| Anywhere { largest: 3.1, as_large, draws };
    /// assert_eq!(Anywhere::p(&[part(1, 40), part(3, 59)]), Some(0.05));
    /// ```
    pub fn p(parts: &[Self]) -> Option<f64> {
        let first = parts.first().filter(|one| !one.largest.is_nan())?;
        let (as_large, draws) = parts.iter().fold((0, 0), |(a, b), part| (a + part.as_large, b + part.draws));
        debug_assert!(parts.iter().all(|part| part.largest == first.largest));
        Some((1 + as_large) as f64 / (draws + 1) as f64)
    }
}

/// z(x) = Σ k (s − t) / √(Σ k² s(1 − s)) at every query with [`MIN_NEIGHBORS`] effective neighbors, and the same of
/// the draws `range` with t* ~ Bernoulli(s); draw r comes from the stream (seed, r) alone.
///
/// # Errors
/// As [`within_bins`].
///
/// # Cost
/// One pass of the sum engine per eight draws, and two.
///
/// # Source
/// Westfall and Young (1993), Resampling-based multiple testing: the maximum over all places pays for looking at them.
pub fn anywhere(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    seed: u64,
    range: std::ops::Range<usize>,
) -> Result<Anywhere> {
    let own: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let seen = within_bins(sample, queries, &own, 1, kernel, true, Part::WHOLE)?;
    let scale = scales(sample, queries, kernel, seen.n_eff.as_deref().unwrap_or_default())?;
    let mut found = Anywhere { largest: f64::NAN, as_large: 0, draws: 0 };
    for (mean, scale) in seen.mean.iter().zip(&scale).filter(|(_, s)| **s > 0.0) {
        let z = mean * scale;
        if found.largest.is_nan() || z.abs() > found.largest.abs() {
            found.largest = z;
        }
    }
    if found.largest.is_nan() {
        return Ok(found);
    }
    // What differs by rounding is as large.
    let bar = found.largest.abs() * (1.0 - 1e-9);
    for start in range.clone().step_by(TOGETHER) {
        let k = TOGETHER.min(range.end - start);
        let drawn = redrawn_residuals(sample, seed, start..start + k, false);
        let most = largest(sample, queries, kernel, &scale, &drawn, k)?;
        found.as_large += most.iter().filter(|most| **most >= bar).count();
        found.draws += k;
    }
    Ok(found)
}

/// 1 / se of each place that counts, else 0: such a place is never the largest.
fn scales(sample: &LocalSample, queries: &LocalQueries, kernel: Kernel, n_eff: &[f64]) -> Result<Vec<f64>> {
    let promised: Vec<f64> = sample.score.iter().map(|s| s * (1.0 - s)).collect();
    let spread = within_bins(sample, queries, &promised, 1, kernel.squared(), false, Part::WHOLE)?;
    let places = spread.mean.iter().zip(n_eff);
    let scale = places.map(|(variance, n)| match (variance / n).sqrt() {
        se if *n >= MIN_NEIGHBORS && se > 0.0 => 1.0 / se,
        _ => 0.0,
    });
    Ok(scale.collect())
}

/// The largest |z| of each of `k` columns of residuals.
fn largest(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    scale: &[f64],
    residuals: &[f64],
    k: usize,
) -> Result<Vec<f64>> {
    let sums = within_bins(sample, queries, residuals, k, kernel, false, Part::WHOLE)?;
    let mut most = vec![0.0_f64; k];
    for (means, scale) in sums.mean.chunks_exact(k).zip(scale).filter(|(_, s)| **s > 0.0) {
        for (most, mean) in most.iter_mut().zip(means) {
            *most = most.max((mean * scale).abs());
        }
    }
    Ok(most)
}

/// p-values of many outcomes of the same rows, which share `draws` draws; `None` where no place has enough neighbors.
///
/// * `sample`: its own targets are not looked at
/// * `outcomes`: targets of every row
///
/// # Errors
/// As [`within_bins`].
///
/// # Cost
/// One pass of the sum engine per eight draws and outcomes, and two.
pub fn anywhere_of_many(
    sample: &LocalSample,
    queries: &LocalQueries,
    kernel: Kernel,
    outcomes: &[Vec<u8>],
    draws: usize,
    seed: u64,
) -> Result<Vec<Option<f64>>> {
    let ones = vec![1.0; sample.n()];
    let seen = within_bins(sample, queries, &ones, 1, kernel, true, Part::WHOLE)?;
    let scale = scales(sample, queries, kernel, seen.n_eff.as_deref().unwrap_or_default())?;
    if scale.iter().all(|scale| *scale == 0.0) {
        return Ok(vec![None; outcomes.len()]);
    }
    let mut drawn = Vec::with_capacity(draws);
    for start in (0..draws).step_by(TOGETHER) {
        let k = TOGETHER.min(draws - start);
        let residuals = redrawn_residuals(sample, seed, start..start + k, false);
        drawn.extend(largest(sample, queries, kernel, &scale, &residuals, k)?);
    }
    let mut found = Vec::with_capacity(outcomes.len());
    for some in outcomes.chunks(TOGETHER) {
        let k = some.len();
        let mut residuals = vec![0.0; sample.n() * k];
        for (column, targets) in some.iter().enumerate() {
            for ((to, s), t) in residuals.iter_mut().skip(column).step_by(k).zip(sample.score).zip(targets) {
                *to = s - f64::from(*t);
            }
        }
        for most in largest(sample, queries, kernel, &scale, &residuals, k)? {
            // What differs by rounding is as large.
            let reached = drawn.iter().filter(|drawn| **drawn >= most * (1.0 - 1e-9)).count();
            found.push(Some((1 + reached) as f64 / (draws + 1) as f64));
        }
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kernel::Points;
    use crate::num::rng::Lanes;

    /// Outcomes drawn from the scores: small p-values are as rare as they say; a fault in a corner has a small one.
    #[test]
    fn p_values_are_as_rare_as_they_say() {
        let n = 60;
        let mut lanes = Lanes::seeded(11, 0);
        let mut small = 0;
        for file in 0..100 {
            let mut draw = || lanes.uniform()[0];
            let score: Vec<f64> = (0..n).map(|_| draw()).collect();
            let place: Vec<f64> = (0..n).map(|_| draw()).collect();
            let right: Vec<u8> = score.iter().map(|s| u8::from(draw() < *s)).collect();
            let wrong: Vec<u8> = place.iter().map(|x| u8::from(*x < 0.5)).collect();
            let ask = |target: &[u8]| {
                let bin = vec![0; n];
                let points = Points::row_major(1, &place).unwrap();
                let sample = LocalSample::new(&score, target, &bin, points).unwrap();
                let own = LocalQueries::Sample { leave_one_out: false };
                let kernel = Kernel::Laplacian { gamma: 0.3 };
                let parts = [0..40, 40..99].map(|r| anywhere(&sample, &own, kernel, file, r).unwrap());
                Anywhere::p(&parts).unwrap()
            };
            small += u32::from(ask(&right) <= 0.05);
            assert!(ask(&wrong) <= 0.02);
        }
        // 5 are expected; more than 11 happen with probability 0.004
        assert!(small <= 11, "{small} of 100");
    }
}
