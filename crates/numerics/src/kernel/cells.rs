//! Sums over equal places: the constant kernel (one cell) and the group kernel (one cell per distinct place).

use super::{Kernel, KernelSums, Part, Points, Queries};
use std::collections::BTreeMap;

/// Which cell a place belongs to; `+ 0.0` makes the two zeros one.
fn cell(kernel: Kernel, place: &[f64]) -> Vec<u64> {
    match kernel {
        Kernel::Constant => Vec::new(),
        _ => place.iter().map(|value| (value + 0.0).to_bits()).collect(),
    }
}

/// As [`super::sums`] for kernels of 0 and 1. A query whose cell holds no source has mass 0 and takes the mean
/// of all sources: the pooled value, as group-wise methods do.
///
/// # Cost
/// O(n log g) for g distinct places.
pub(super) fn sums(
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
    let mut cells: BTreeMap<Vec<u64>, (f64, Vec<f64>)> = BTreeMap::new();
    let mut pooled = vec![0.0; k];
    for (j, row) in weights.chunks_exact(k).enumerate() {
        let (count, total) = cells.entry(cell(kernel, sources.row(j))).or_insert_with(|| (0.0, vec![0.0; k]));
        *count += 1.0;
        for ((total, pooled), weight) in total.iter_mut().zip(&mut pooled).zip(row) {
            *total += weight;
            *pooled += weight;
        }
    }
    let everyone = sources.n() as f64;
    for q in part.range(n) {
        sums.answered[q] = true;
        let (place, own) = match queries {
            Queries::Sources { leave_one_out } => (sources.row(q), leave_one_out.then_some(q)),
            Queries::At(points) => (points.row(q), None),
        };
        // Taking the own row out of a count is exact; out of a sum it costs at most a rounding.
        let mine = |total: f64, c: usize| total - own.and_then(|q| weights.get(q * k + c)).copied().unwrap_or(0.0);
        let left_out = if own.is_some() { 1.0 } else { 0.0 };
        let (count, total) = match cells.get(&cell(kernel, place)) {
            Some((count, total)) if *count > left_out => (*count - left_out, total),
            _ => {
                sums.store(q, 0.0, 0.0, 0.0, 0, &[]);
                for (c, pooled) in pooled.iter().enumerate() {
                    sums.mean[q * k + c] = mine(*pooled, c) / (everyone - left_out);
                }
                continue;
            }
        };
        let values: Vec<f64> = total.iter().enumerate().map(|(c, total)| mine(*total, c)).collect();
        sums.store(q, 0.0, count, count, 0, &values);
    }
    sums
}
