//! Plain pairwise sums in double precision: every kernel, every dimension, the reference for the other engines.

use super::{Kernel, KernelSums, Part, Points, Queries};

/// As [`super::sums`], pair by pair: distances first, then weights relative to the nearest source.
///
/// # Cost
/// O(n_q n_s (d + k)) time, O(n_s) memory.
pub fn sums(
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> KernelSums {
    let n = queries.n(sources);
    let mut sums = KernelSums::unanswered(n, k, n_eff);
    let mut distance = vec![0.0; sources.n()];
    let mut values = vec![0.0; k];
    for q in part.range(n) {
        sums.answered[q] = true;
        let (place, skip) = match queries {
            Queries::Sources { leave_one_out } => (sources.row(q), leave_one_out.then_some(q)),
            Queries::At(points) => (points.row(q), None),
        };
        for (j, distance) in distance.iter_mut().enumerate() {
            *distance = if skip == Some(j) { f64::INFINITY } else { kernel.distance(place, sources.row(j)) };
        }
        let least = distance.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut mass, mut square) = (0.0, 0.0);
        values.fill(0.0);
        if least < f64::INFINITY {
            for (distance, row) in distance.iter().zip(weights.chunks_exact(k)) {
                let kernel = (-kernel.fall(sources.d(), least, *distance)).exp();
                mass += kernel;
                square += kernel * kernel;
                for (value, weight) in values.iter_mut().zip(row) {
                    *value += kernel * weight;
                }
            }
        }
        let top = if mass > 0.0 { -kernel.fall(sources.d(), 0.0, least) } else { 0.0 };
        sums.store(q, top, mass, square, 0, &values);
    }
    sums
}
