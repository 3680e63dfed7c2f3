//! Local error against bandwidth, between its two limits.

use super::gaps::bin_gaps;
use super::resample::redrawn_residuals;
use super::sample::{LocalSample, rows_by_bin};
use crate::Result;
use crate::kernel::{self, Engine, Kernel, KernelSums, Part, Points, Queries};
use crate::local::{MIN_NEIGHBORS, summary};

/// MLCE and mean LCE at one bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// Bandwidth γ.
    pub gamma: f64,
    /// max |SLCE|.
    pub mlce: f64,
    /// mean |SLCE|.
    pub mean_lce: f64,
    /// max |SLCE| over the rows with [`MIN_NEIGHBORS`] effective neighbors at this bandwidth; `NaN` without one.
    pub mlce_supported: f64,
    /// The same of each redraw of the labels from the scores.
    pub floor: Vec<SweepFloor>,
}

/// What one redraw of the labels shows at one bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepFloor {
    /// max |SLCE|.
    pub mlce: f64,
    /// mean |SLCE|.
    pub mean_lce: f64,
    /// max |SLCE| over the rows with [`MIN_NEIGHBORS`] effective neighbors; `NaN` without one.
    pub mlce_supported: f64,
}

/// Largest and total |SLCE| so far, of one right-hand side.
#[derive(Debug, Clone, Copy)]
struct SoFar {
    most: f64,
    most_supported: f64,
    total: f64,
}

impl SoFar {
    /// Of so many rows.
    fn over(&self, rows: usize) -> SweepFloor {
        SweepFloor { mlce: self.most, mean_lce: self.total / rows as f64, mlce_supported: self.most_supported }
    }
}

/// The curves and what they tend to.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// One point per bandwidth, in the order given.
    pub points: Vec<SweepPoint>,
    /// γ → 0 with distinct places: max |s − t|, mean |s − t|.
    pub individual: (f64, f64),
    /// γ → ∞: MCE, ECE.
    pub global: (f64, f64),
    /// γ → ∞: the largest gap of a bin with [`MIN_NEIGHBORS`] rows; `NaN` without one.
    pub global_supported: f64,
}

/// `count` bandwidths from `low` to `high`, equally spaced in the logarithm; the usual grid is 25 from 0.01 to 100.
///
/// * returns: `count` numbers, ascending where `low` < `high`, in the unit of γ
///
/// ```
/// let grid = localcal_numerics::local::gamma_grid(0.01, 100.0, 5);
/// assert!(grid.iter().zip([0.01, 0.1, 1.0, 10.0, 100.0]).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
/// ```
pub fn gamma_grid(low: f64, high: f64, count: usize) -> Vec<f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    let ratio = high / low;
    let at = |i: usize| {
        let part = i as f64 / steps;
        if ratio.is_finite() { low * ratio.powf(part) } else { low.powf(1.0 - part) * high.powf(part) }
    };
    (0..count).map(at).collect()
}

/// Milliseconds between two reports of progress.
const PIECE_MS: f64 = 200.0;

/// MLCE and mean LCE at every bandwidth of `gammas`; `leave_one_out`: no row counts itself, and the limits, which are those
/// of rows that do, are `NaN`. As many redraws t* ~ Bernoulli(s) as `floor` says
/// ride along, replicate r drawn from the stream (seed, r) alone.
///
/// # Errors
/// As [`kernel::sums_at`].
///
/// # Cost
/// That of [`kernel::sums_at`] bin by bin: distances or orders are shared by all bandwidths and redraws.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, figure 1.
///
/// ```
/// use localcal_numerics::kernel::{Kernel, Points};
/// use localcal_numerics::local::{LocalSample, sweep};
/// use ndarray::array;
///
/// // residuals −0.2 and 0.6 in one bin, at a distance at which the kernel is one half
/// let x = array![[0.0], [1.0]];
/// let sample = LocalSample::new(&[0.8, 0.6], &[1, 0], &[0, 0], Points::new(x.view())?)?;
/// let gamma = 1.0 / f64::ln(2.0);
/// let found = sweep(&sample, (Kernel::Laplacian { gamma }, false), &[gamma], 0, 0, &mut |_| ())?;
/// let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
/// assert!(close(found.points[0].mlce, 1.0 / 3.0) && close(found.points[0].mean_lce, 0.2));
/// // each row alone: largest 0.6, mean 0.4; all rows together: 0.2
/// assert!(close(found.individual.0, 0.6) && close(found.individual.1, 0.4) && close(found.global.1, 0.2));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn sweep(
    sample: &LocalSample,
    (kernel, leave_one_out): (Kernel, bool),
    gammas: &[f64],
    floor: usize,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<Sweep> {
    let k = 1 + floor;
    let kernels: Vec<Kernel> = gammas.iter().map(|g| kernel.with_gamma(*g)).collect();
    let weights = redrawn_residuals(sample, seed, 0..floor, true);
    let nothing = SoFar { most: f64::NAN, most_supported: f64::NAN, total: 0.0 };
    // Per bandwidth and right-hand side.
    let mut found = vec![nothing; gammas.len() * k];
    // Rows that have a neighbor, per bandwidth: without itself a row may have none.
    let mut alive = vec![0_usize; gammas.len()];
    let (d, mut rows_done) = (sample.features.d(), 0);
    for (_, rows) in rows_by_bin(sample.bin) {
        let places = sample.features.gather(&rows);
        let mut weights_here = Vec::with_capacity(rows.len() * k);
        for &row in &rows {
            weights_here.extend_from_slice(&weights[row as usize * k..(row as usize + 1) * k]);
        }
        let own = Queries::Sources { leave_one_out };
        let (engine, cost) = kernel::cheapest(kernel, rows.len(), rows.len(), d, !leave_one_out);
        // Only blocked sums can be cut without doing work twice.
        let of = match engine {
            Engine::Blocks => (cost * gammas.len() as f64 / 2.0 / PIECE_MS).ceil().max(1.0) as usize,
            _ => 1,
        };
        let piece = |index| {
            let part = Part { index, of };
            let here = Points::row_major(d, &places)?;
            kernel::sums_at(own, here, &weights_here, k, &kernels, true, part)
        };
        let mut all = piece(0)?;
        for index in 1..of {
            let done = rows_done as f64 + rows.len() as f64 * index as f64 / of as f64;
            progress(done / sample.n() as f64);
            for (sums, later) in all.iter_mut().zip(piece(index)?) {
                sums.merge(&later);
            }
        }
        for ((sums, found), alive) in all.iter().zip(found.chunks_exact_mut(k)).zip(&mut alive) {
            *alive += take(sums, found);
        }
        rows_done += rows.len();
        progress(rows_done as f64 / sample.n() as f64);
    }
    let summaries = found.chunks_exact(k).zip(alive).map(|(found, alive)| found.iter().map(move |one| one.over(alive)));
    let points = gammas.iter().zip(summaries).filter_map(|(&gamma, mut all)| {
        let SweepFloor { mlce, mean_lce, mlce_supported } = all.next()?;
        Some(SweepPoint { gamma, mlce, mean_lce, mlce_supported, floor: all.collect() })
    });
    let points = points.collect();
    let enough = bin_gaps(sample).into_iter().filter(|bin| bin.rows as f64 >= MIN_NEIGHBORS);
    let global_supported = enough.map(|bin| bin.gap.abs()).fold(f64::NAN, f64::max);
    if leave_one_out {
        let nothing = (f64::NAN, f64::NAN);
        return Ok(Sweep { points, individual: nothing, global: nothing, global_supported: f64::NAN });
    }
    Ok(Sweep { points, individual: individual_limit(sample), global: global_limit(sample), global_supported })
}

/// Takes in the local errors of the rows of a bin at one bandwidth, and returns how many rows have one.
///
/// * `found`: of the outcomes, then of every redraw
fn take(sums: &KernelSums, found: &mut [SoFar]) -> usize {
    let mut alive = 0;
    let n_eff = sums.n_eff.iter().flatten();
    for (row, n_eff) in sums.mean.chunks_exact(found.len()).zip(n_eff) {
        if row.iter().any(|slce| slce.is_nan()) {
            continue;
        }
        alive += 1;
        for (found, slce) in found.iter_mut().zip(row) {
            found.most = found.most.max(slce.abs());
            found.total += slce.abs();
            if *n_eff >= MIN_NEIGHBORS {
                found.most_supported = found.most_supported.max(slce.abs());
            }
        }
    }
    alive
}

/// A bandwidth between the two plateaus: where a step from the mean |s − t| (γ → 0) down to the ECE (γ → ∞) has the
/// same area under it, over ln γ, as the mean-LCE curve.
///
/// With f(γ) the share of the way from the first limit to the second, taken into [0, 1],
/// ln γ* = ln γ_low + ∫ (1 − f) d ln γ over the grid (trapezium rule). For a curve that falls evenly this is where it
/// is half way; a curve that goes up and down moves it only by the area of its bumps. `None` where the limits are the
/// same, or the grid has fewer than two points.
///
/// ```
/// // 0.3 at γ = 1, 0.1 at γ = 4: half way down at γ = 2
/// let gamma = localcal_numerics::local::suggested_gamma(&[1.0, 4.0], &[0.3, 0.1], 0.3, 0.1).unwrap();
/// assert!((gamma - 2.0).abs() < 1e-12);
/// ```
pub fn suggested_gamma(gammas: &[f64], mean_lce: &[f64], individual: f64, global: f64) -> Option<f64> {
    let fall = individual - global;
    let low = *gammas.first()?;
    if gammas.len() < 2 || fall.is_nan() || fall < 1e-9 {
        return None;
    }
    let still = |value: f64| 1.0 - ((individual - value) / fall).clamp(0.0, 1.0);
    let area: f64 = gammas
        .windows(2)
        .zip(mean_lce.windows(2))
        .map(|(gamma, value)| (gamma[1] / gamma[0]).ln() * (still(value[0]) + still(value[1])) / 2.0)
        .sum();
    Some(low * area.exp()).filter(|gamma| gamma.is_finite())
}

/// max and mean of |s − t| over the rows that have a bin.
fn individual_limit(sample: &LocalSample) -> (f64, f64) {
    let residual: Vec<f64> =
        (0..sample.n()).filter(|row| sample.bin[*row] != super::NO_BIN).map(|row| sample.residual(row)).collect();
    let found = summary(&residual, &[]);
    (found.mlce, found.mean_lce)
}

/// MCE and ECE of the bins.
fn global_limit(sample: &LocalSample) -> (f64, f64) {
    let (mut largest, mut total, mut n) = (0.0f64, 0.0, 0);
    for bin in bin_gaps(sample) {
        largest = largest.max(bin.gap.abs());
        total += bin.gap.abs() * bin.rows as f64;
        n += bin.rows;
    }
    (largest, total / n as f64)
}
