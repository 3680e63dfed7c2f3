//! Kernels, and sums of kernel-weighted values over many sources for many queries.
//!
//! One interface, [`sums`], and several engines behind it; the answer names the one that was used.
//! * `exact`: divide and sweep, exact Laplacian sums in up to three dimensions (`divide`);
//! * `blocks`: blocked pairwise sums in single precision for many dimensions;
//! * `pairs`: plain pairwise sums in double precision, the reference for the others;
//! * `cells`: equal places only (constant and group kernel).

mod blocks;
mod cells;
mod choose;
mod divide;
mod exact;
mod exponential;
mod frame;
mod item;
mod lane;
mod linear;
mod logarithmic;
mod nearest;
pub mod pairwise;
mod points;
mod shape;
mod symmetric;
#[cfg(test)]
mod tests;

pub use choose::{Engine, cheapest, cost, engine};
pub use exponential::decay_lanes;
pub(crate) use lane::Lane;
pub use points::Points;
pub use shape::{Kernel, KernelSums, Part, Queries};

use crate::{Error, Result};

/// Kernel-weighted means of `k` right-hand sides at every query, with kernel mass and effective neighbors.
///
/// For query x: mass = Σ_j k(x, x_j), mean_r = Σ_j k(x, x_j) w_jr / Σ_j k(x, x_j),
/// n_eff = (Σ k)² / Σ k². No query ends in 0/0: as γ → 0 the mean is that of the nearest sources (ties averaged),
/// as γ → ∞ the plain mean. Only without any source (or with nothing but itself, left out) is the mean `NaN`.
///
/// * `queries`: the sources themselves, the own pair included or left out, or other places
/// * `weights`: row-major, (number of sources) × `k`
/// * `part`: which part of the work to do. With the engines `exact`, `pairs` and `cells` an answer's bits do not
///   depend on the cut; with `blocks` they depend on the number of parts, never on who computes them
///
/// # Errors
/// `length_mismatch` if shapes disagree; `invalid_option` if the bandwidth is not a positive number.
///
/// # Cost
/// Laplacian, d ≤ 2: O(n log n) per eight right-hand sides; d = 3: O(n log² n); else O(n_q n_s (d + k)).
///
/// ```
/// use localcal_numerics::kernel::{Kernel, Part, Points, Queries, sums};
/// use ndarray::array;
///
/// // exp(−|x − x′| / γ) with γ = 1 / ln 2: one half at distance 1
/// let kernel = Kernel::Laplacian { gamma: 1.0 / f64::ln(2.0) };
/// let x = array![[0.0], [1.0]];
/// let own = Queries::Sources { leave_one_out: false };
/// let found = sums(own, Points::new(x.view())?, &[1.0, 0.0], 1, kernel, true, Part::WHOLE)?;
/// // at the first place Σ k = 1 + ½, the mean 1 / 1.5, and 1.5² / (1 + ¼) effective neighbors
/// assert!((found.mass[0] - 1.5).abs() < 1e-12 && (found.mean[0] - 2.0 / 3.0).abs() < 1e-12);
/// assert!((found.n_eff.unwrap()[0] - 1.8).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn sums(
    queries: Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> Result<KernelSums> {
    let mut all = sums_at(queries, sources, weights, k, &[kernel], n_eff, part)?;
    Ok(all.swap_remove(0))
}

/// As [`sums`] at new places, for applying what was fitted: an answer depends on its place and on the sources alone, not
/// on the places that are asked with it, so that a fit that travels gives the bits that it gave at home.
///
/// Double precision throughout. With the Laplacian kernel, up to three dimensions and more than 1,024 sources the
/// engine sorts all places together: there another company may turn the last digit.
///
/// # Errors
/// As [`sums`].
///
/// # Cost
/// As [`sums`] or some ten times it; O(n_q n_s (d + k)) beyond three dimensions and for few sources.
pub fn sums_of_fit(
    queries: Points,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> Result<KernelSums> {
    let at = Queries::At(queries);
    check(&at, sources, weights, k, &[kernel])?;
    let engine = match kernel {
        Kernel::Constant | Kernel::Group => Engine::Cells,
        Kernel::Laplacian { .. } if sources.d() <= 3 && sources.n() > FEW => Engine::Exact,
        Kernel::Laplacian { .. } if sources.d() <= 3 => Engine::Pairs,
        _ => {
            return Ok(blocks::sums_of_fit(queries, sources, weights, k, kernel, n_eff, part));
        }
    };
    let mut all = sums_by(engine, at, sources, weights, k, &[kernel], n_eff, part);
    Ok(all.swap_remove(0))
}

/// Sources up to which plain pairs answer at new places of a fit.
const FEW: usize = 1024;

/// As [`sums`] for several bandwidths of one kernel, in their order: up to three dimensions they share the orders of
/// the places, beyond them every distance.
///
/// # Errors
/// As [`sums`]; `invalid_option` without any kernel.
///
/// # Cost
/// Laplacian, d ≤ 3: a little less than one pass each. Else O(n_q n_s (d + g k)) for g bandwidths; tiles of pairs out
/// of a narrow kernel's reach are skipped.
pub fn sums_at(
    queries: Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernels: &[Kernel],
    n_eff: bool,
    part: Part,
) -> Result<Vec<KernelSums>> {
    check(&queries, sources, weights, k, kernels)?;
    let engine = engine(&queries, sources, kernels[0]);
    Ok(sums_by(engine, queries, sources, weights, k, kernels, n_eff, part))
}

/// Refuses shapes that do not fit together, and bandwidths that are none.
fn check(queries: &Queries, sources: Points, weights: &[f64], k: usize, kernels: &[Kernel]) -> Result<()> {
    kernels.iter().try_for_each(Kernel::check)?;
    if kernels.is_empty() {
        return Err(Error::new("invalid_option", "0 bandwidths were given", "give at least one"));
    }
    if let Queries::At(points) = queries
        && points.d() != sources.d()
    {
        return Err(Error::new(
            "length_mismatch",
            format!("queries have {} coordinates, sources {}", points.d(), sources.d()),
            "use the same feature columns for both",
        ));
    }
    if k == 0 || weights.len() != sources.n() * k {
        return Err(Error::new(
            "length_mismatch",
            format!("{} weights for {} sources times {k}", weights.len(), sources.n()),
            "give every source one weight per right-hand side",
        ));
    }
    Ok(())
}

/// As [`sums_at`] by an engine of the caller's choice, shapes and bandwidths unchecked: for tests and measurements.
/// An engine that cannot answer (see [`engine`]) is replaced by plain pairs.
#[allow(clippy::too_many_arguments)]
pub fn sums_by(
    engine: Engine,
    queries: Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernels: &[Kernel],
    n_eff: bool,
    part: Part,
) -> Vec<KernelSums> {
    let by_pairs = |kernel: Kernel| pairwise::sums(&queries, sources, weights, k, kernel, n_eff, part);
    let laplacian: Option<Vec<f64>> = kernels
        .iter()
        .map(|kernel| match kernel {
            Kernel::Laplacian { gamma } => Some(bandwidth(sources.d(), *gamma)),
            _ => None,
        })
        .collect();
    let named = |mut sums: KernelSums, engine: Engine| {
        sums.engine = engine;
        sums
    };
    match (engine, laplacian, sources.d()) {
        (Engine::Exact, Some(h), 1..=3) => {
            let found = match sources.d() {
                1 => exact::laplacian::<1>(&queries, sources, weights, k, &h, n_eff, part),
                2 => exact::laplacian::<2>(&queries, sources, weights, k, &h, n_eff, part),
                _ => exact::laplacian::<3>(&queries, sources, weights, k, &h, n_eff, part),
            };
            found.into_iter().map(|sums| named(sums, engine)).collect()
        }
        (Engine::Cells, ..) => kernels
            .iter()
            .map(|kernel| cells::sums(&queries, sources, weights, k, *kernel, n_eff, part))
            .map(|sums| named(sums, engine))
            .collect(),
        (Engine::Blocks, ..) => {
            let found = blocks::sums(&queries, sources, weights, k, kernels, n_eff, part);
            found
                .into_iter()
                .zip(kernels)
                .map(|(sums, kernel)| match sums {
                    Some(sums) => named(sums, engine),
                    None => by_pairs(*kernel),
                })
                .collect()
        }
        _ => kernels.iter().map(|kernel| by_pairs(*kernel)).collect(),
    }
}

/// h = d·γ, kept where 1/h is an ordinary number.
fn bandwidth(d: usize, gamma: f64) -> f64 {
    (d as f64 * gamma).clamp(1e-300, 1e300)
}
