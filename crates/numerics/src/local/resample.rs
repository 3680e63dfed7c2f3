//! What a calibrated model would show: label redraws and bootstrap weights as extra right-hand sides of one pass.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use super::sample::{LocalQueries, LocalSample, within_bins};
use crate::Result;
use crate::kernel::{Kernel, Part};
use crate::local::weighted_summary;
use crate::num::cluster::RowClusters;
use crate::num::outcome_correlation::outcome_correlation;

/// Mean LCE and MLCE of replicates in which the scores are true: t* ~ Bernoulli(s).
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseFloor {
    /// Mean LCE per replicate.
    pub mean_lce: Vec<f64>,
    /// MLCE per replicate.
    pub mlce: Vec<f64>,
    /// MLCE over the rows with [`MIN_NEIGHBORS`](super::MIN_NEIGHBORS) effective neighbors, per replicate; `NaN`
    /// without one, with sample weights and where neighbors were not counted.
    pub mlce_supported: Vec<f64>,
}

/// Mean LCE of bootstrap replicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// Mean LCE per replicate.
    pub mean_lce: Vec<f64>,
}

/// The stream of one replicate: the same whoever computes it, and in whatever company.
pub(super) fn stream(seed: u64, replicate: usize, purpose: u64) -> Pcg64 {
    Pcg64::new(u128::from(seed) << 64 | replicate as u128, u128::from(purpose) << 64 | replicate as u128)
}

/// Uniform on [0, 1) with 53 bits.
pub(super) fn uniform(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Poisson(1) by inversion.
fn poisson_1(rng: &mut Pcg64) -> f64 {
    let u = uniform(rng);
    let (mut count, mut probability) = (0.0, (-1.0f64).exp());
    let mut below = probability;
    while u >= below && count < 20.0 {
        count += 1.0;
        probability /= count;
        below += probability;
    }
    count
}

/// Residuals s − t* of redraws t* ~ Bernoulli(s), with the correlation of the data within clusters, row-major, one
/// column per replicate; where `observed` says so, the residuals s − t themselves stand before them.
pub(crate) fn redrawn_residuals(
    sample: &LocalSample,
    seed: u64,
    replicates: std::ops::Range<usize>,
    observed: bool,
) -> Vec<f64> {
    let first = usize::from(observed);
    let k = first + replicates.len();
    let mut weights = vec![0.0; sample.n() * k];
    if observed {
        for (row, weights) in weights.chunks_exact_mut(k).enumerate() {
            weights[0] = sample.residual(row);
        }
    }
    let clustered = sample.clusters.map(|RowClusters { of, count }| {
        (of, count, outcome_correlation(sample.score, sample.target, of, count).sqrt())
    });
    for (column, replicate) in (first..).zip(replicates) {
        let mut rng = stream(seed, replicate, 1);
        if let Some((of, count, shares)) = clustered {
            // One number a cluster and one a row; a row takes its cluster's with probability √ρ.
            let shared: Vec<f64> = (0..count).map(|_| uniform(&mut rng)).collect();
            for ((score, row), &c) in sample.score.iter().zip(weights.chunks_exact_mut(k)).zip(of) {
                let (takes, own) = (uniform(&mut rng) < shares, uniform(&mut rng));
                let number = shared.get(c as usize).copied().filter(|_| takes).unwrap_or(own);
                row[column] = score - if number < *score { 1.0 } else { 0.0 };
            }
            continue;
        }
        for (score, row) in sample.score.iter().zip(weights.chunks_exact_mut(k)) {
            let target = if uniform(&mut rng) < *score { 1.0 } else { 0.0 };
            row[column] = score - target;
        }
    }
    weights
}

/// Replicates per pass: the sums take the right-hand sides in blocks of this many.
const TOGETHER: usize = 8;

/// The noise floor of mean LCE and MLCE: `replicates` redraws t* ~ Bernoulli(s) of every row, numbered from `first`;
/// where effective neighbors are `counted`, also of MLCE over the rows that have enough.
///
/// Scores are taken into [0, 1]. Replicate r draws from the stream (seed, r) alone: parts may be cut anywhere.
///
/// # Errors
/// As [`within_bins`].
///
/// # Cost
/// One pass of the sum engine per eight replicates.
///
/// # Source
/// Bröcker and Smith (2007), Increasing the reliability of reliability diagrams: what scores that are right would show.
pub fn noise_floor(
    sample: &LocalSample,
    kernel: Kernel,
    (leave_one_out, counted): (bool, bool),
    seed: u64,
    replicates: std::ops::Range<usize>,
) -> Result<NoiseFloor> {
    let own = LocalQueries::Sample { leave_one_out };
    let mut floor = NoiseFloor { mean_lce: Vec::new(), mlce: Vec::new(), mlce_supported: Vec::new() };
    // What rows there are near a place depends on the places alone. Asked for by itself, so that the bits of a
    // replicate depend on nothing that is computed beside it.
    let n_eff = match sample.weight {
        None if counted && !replicates.is_empty() => {
            let ones = vec![1.0; sample.n()];
            within_bins(sample, &own, &ones, 1, kernel, true, Part::WHOLE)?.n_eff.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    for start in replicates.clone().step_by(TOGETHER) {
        let k = TOGETHER.min(replicates.end - start);
        let residuals = redrawn_residuals(sample, seed, start..start + k, false);
        // With sample weights, w r* and beside them w, by which each sum is divided.
        let (weights, width) = match sample.weight {
            None => (residuals, k),
            Some(w) => {
                let rows = residuals.chunks_exact(k).zip(w);
                let weighted = rows.flat_map(|(r, w)| r.iter().map(move |r| r * w).chain([*w]));
                (weighted.collect(), k + 1)
            }
        };
        let sums = within_bins(sample, &own, &weights, width, kernel, false, Part::WHOLE)?;
        for r in 0..k {
            let places = sums.mean.chunks_exact(width);
            let slce: Vec<f64> = match sample.weight {
                None => places.map(|means| means[r]).collect(),
                Some(_) => places.map(|means| means[r] / means[k]).collect(),
            };
            let found = weighted_summary(&slce, &n_eff, sample.weight);
            floor.mean_lce.push(found.mean_lce);
            floor.mlce.push(found.mlce);
            floor.mlce_supported.push(found.mlce_supported);
        }
    }
    Ok(floor)
}

/// Bootstrap of mean LCE: every row is given a Poisson(1) weight v, times its sample weight, as a source and as a
/// query: Σ_x v_x |Σ k v r / Σ k v| / Σ_x v_x. A place with no weight around it is left out of its replicate.
///
/// The bootstrap of an absolute value is biased upwards; use it for a basic, not a percentile interval.
///
/// # Errors
/// As [`within_bins`].
///
/// # Cost
/// One pass of the sum engine per four replicates.
pub fn mean_interval(
    sample: &LocalSample,
    kernel: Kernel,
    leave_one_out: bool,
    seed: u64,
    replicates: std::ops::Range<usize>,
) -> Result<Interval> {
    let own = LocalQueries::Sample { leave_one_out };
    let mut found = Interval { mean_lce: Vec::new() };
    for start in replicates.clone().step_by(TOGETHER / 2) {
        let many = (TOGETHER / 2).min(replicates.end - start);
        let k = 2 * many;
        let mut weights = vec![0.0; sample.n() * k];
        for r in 0..many {
            let mut rng = stream(seed, start + r, 2);
            let together: Option<Vec<f64>> =
                sample.clusters.map(|clusters| (0..clusters.count).map(|_| poisson_1(&mut rng)).collect());
            let of = |row: usize| Some(*together.as_ref()?.get(*sample.clusters?.of.get(row)? as usize)?);
            for (row, weights) in weights.chunks_exact_mut(k).enumerate() {
                let v = of(row).unwrap_or_else(|| poisson_1(&mut rng)) * sample.weight(row);
                weights[2 * r] = v;
                weights[2 * r + 1] = v * sample.residual(row);
            }
        }
        let sums = within_bins(sample, &own, &weights, k, kernel, false, Part::WHOLE)?;
        for r in 0..many {
            let (mut total, mut weight) = (0.0, 0.0);
            for (mean, own) in sums.mean.chunks_exact(k).zip(weights.chunks_exact(k)) {
                let (v, around, signed) = (own[2 * r], mean[2 * r], mean[2 * r + 1]);
                if v > 0.0 && around > 0.0 {
                    total += v * (signed / around).abs();
                    weight += v;
                }
            }
            found.mean_lce.push(total / weight);
        }
    }
    Ok(found)
}
