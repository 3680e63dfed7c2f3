//! What jobs are expected to cost, and into how many parts they are cut: by the data only.

use crate::data::Predictions;
use crate::evaluation::method::MethodKind;
use crate::evaluation::{features, pair};
use crate::job::request::LocalOptions;

/// How many parts `count` replicates are cut into, and the cost of one part.
pub(super) fn parts(count: usize, per_replicate_ms: f64) -> (usize, f64) {
    if count == 0 {
        return (0, 0.0);
    }
    let total = count as f64 * per_replicate_ms;
    let parts = ((total / PART_MS).ceil() as usize).clamp(1, count.min(256));
    (parts, total / parts as f64)
}

pub(super) fn ranges(count: usize, parts: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..parts).map(move |part| (part * count / parts, (part + 1) * count / parts))
}

/// The bins are dealt to as many parts as the sums are worth.
pub(super) fn local_parts(data: &Predictions, local: &LocalOptions) -> (usize, f64) {
    let n = data.rows as f64;
    let bins = local.bins.unwrap_or_default().count;
    let total = local_cost(
        n,
        local
            .features
            .as_ref()
            .map_or(2, |choice| features::width_of(data, choice)),
    );
    let parts = ((total / PART_MS).ceil() as usize).clamp(1, bins);
    (parts, total / parts as f64)
}

/// Expected milliseconds of the local error of `n` rows in `d` dimensions, bins alike.
pub fn local_cost(n: f64, d: usize) -> f64 {
    match d {
        0..=2 => n * n.max(2.0).log2() * 6e-5,
        3 => n * n.max(2.0).log2().powi(2) * 3e-5,
        d => n * n * d as f64 * 1e-7,
    }
}

/// Expected milliseconds of eight right-hand sides over `n` rows at `places` places in `d` dimensions.
pub(super) fn neighbourhoods_cost(n: f64, places: f64, d: usize) -> f64 {
    let all = n + places;
    match d {
        0..=2 => all * all.max(2.0).log2() * 1.2e-4,
        3 => all * all.max(2.0).log2().powi(2) * 6e-5,
        d => n * places * d as f64 * 1.2e-7,
    }
}

pub(super) fn fit_cost(data: &Predictions, kind: &MethodKind) -> f64 {
    let (n, m) = (data.rows as f64, pair::classes(data) as f64);
    match kind {
        MethodKind::None => 0.1,
        MethodKind::Temperature | MethodKind::Ets | MethodKind::Mir => n * m * 2e-4,
        MethodKind::MmceTemperature => n * m * 2e-3,
        MethodKind::Vector => n * m * 1e-3,
        MethodKind::Matrix | MethodKind::Dirichlet => n * m * m * 1e-3,
        MethodKind::Lore(_) => n * n.max(2.0).log2() * 6e-5,
        _ => n * 3e-4,
    }
}

/// Milliseconds that one part should take.
const PART_MS: f64 = 180.0;
