//! Smooth calibration error as the authors' library computes it: from scores shared out over a grid.

use super::smooth_ece::{fixed_point, points, residuals};
use crate::error::Result;
use crate::num::check_lengths;

/// Added to the density at every point.
const DENSITY_MORE: f64 = 1e-4;
/// Beyond this many widths a Gaussian is below 10⁻¹⁵ of its top.
const REACH: f64 = 8.4;

/// What relplot prints as smECE.
///
/// Where it differs from [`smooth_ece`](super::smooth_ece::smooth_ece): scores are split between the two nearest of
/// M = ⌊max(2000, 20/σ)/2⌋ + 1 nodes; the mirror images of the two end nodes are left out, so that what lies on them
/// counts half; the kernel ends ½ from its middle, and lies half a step aside where M is even; sums are interpolated to
/// the points of integration; 10⁻⁴ is added to every density.
///
/// Source: the published algorithm of relplot 1.0.3. Errors: `empty`, `length_mismatch`. Eleven passes over the rows.
pub fn gridded_smooth_ece(s: &[f64], t: &[u8]) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    let errors = residuals(s, t);
    let ones = vec![1.0; s.len()];
    let at = |sigma: f64| {
        let (points, nodes) = (points(sigma), nodes(sigma));
        let kernel = kernel(sigma, nodes);
        let sums = |values: &[f64]| {
            let sums = convolved(&shared_out(s, values, nodes), &kernel);
            interpolated(&sums, points)
        };
        let error: f64 = sums(&errors).iter().map(|r| r.abs()).sum();
        let mass: f64 = sums(&ones).iter().map(|mass| mass + DENSITY_MORE).sum();
        error / mass
    };
    Ok(fixed_point(&at).value)
}

/// M, the nodes of the grid.
fn nodes(sigma: f64) -> usize {
    (20.0 / sigma).round().max(2000.0) as usize / 2 + 1
}

/// The Gaussian density on M nodes from 0 to 1, its middle at ½: the values that are not negligible, and the place of the
/// first.
fn kernel(sigma: f64, nodes: usize) -> (usize, Vec<f64>) {
    let last = (nodes - 1) as f64;
    let reach = (REACH * sigma * last).ceil().min(last) as usize;
    let first = (nodes / 2).saturating_sub(reach);
    let end = (nodes / 2 + reach + 1).min(nodes);
    let top = 1.0 / (sigma * (2.0 * std::f64::consts::PI).sqrt());
    let value = |j: usize| top * (-0.5 * ((j as f64 / last - 0.5) / sigma).powi(2)).exp();
    (first, (first..end).map(value).collect())
}

/// Every value split between the two nodes around its score.
fn shared_out(s: &[f64], values: &[f64], nodes: usize) -> Vec<f64> {
    let mut out = vec![0.0; nodes];
    for (&s, &v) in s.iter().zip(values) {
        let at = s.clamp(0.0, 1.0) * (nodes - 1) as f64;
        let low = (at as usize).min(nodes - 2);
        let share = at - low as f64;
        out[low] += (1.0 - share) * v;
        out[low + 1] += share * v;
    }
    out
}

/// The sum at node i: Σⱼ kernel(j) · values(i + ⌊M/2⌋ − j), mirrored at both ends, the ends themselves once.
fn convolved(values: &[f64], (first, kernel): &(usize, Vec<f64>)) -> Vec<f64> {
    let nodes = values.len() as i64;
    let mirrored = |place: i64| {
        let place = if place < 0 { -place } else { place };
        let place = if place >= nodes { 2 * (nodes - 1) - place } else { place };
        values.get(place as usize).copied().unwrap_or(0.0)
    };
    // All that any node sees, in order: kernels are symmetric, so that sums run upwards.
    let start = nodes / 2 - (*first as i64 + kernel.len() as i64 - 1);
    let seen: Vec<f64> = (start..start + nodes - 1 + kernel.len() as i64).map(mirrored).collect();
    let weights: Vec<f64> = kernel.iter().rev().copied().collect();
    (0..values.len())
        .map(|i| {
            let seen = &seen[i..i + weights.len()];
            seen.iter().zip(&weights).map(|(v, k)| v * k).sum()
        })
        .collect()
}

/// The sums at evenly spaced points from 0 to 1, straight between nodes.
fn interpolated(sums: &[f64], points: usize) -> Vec<f64> {
    let last = sums.len() - 1;
    (0..points)
        .map(|k| {
            let at = k as f64 / (points - 1) as f64 * last as f64;
            let low = (at as usize).min(last - 1);
            let share = at - low as f64;
            sums[low] * (1.0 - share) + sums[low + 1] * share
        })
        .collect()
}
