//! What jobs are expected to cost, and into how many parts they are cut: by the data only.

use crate::data::{Division, EVALUATION, Predictions, pair};
use crate::error::Result;
use crate::evaluation::local::{bin_counts, units};
use crate::evaluation::request::LocalOptions;
use crate::feature::{self, Within};
use crate::kernel::{Kernel, cheapest};
use crate::metric::binning::BinOptions;

/// How many parts `count` replicates are cut into, and the cost of one part.
pub(crate) fn parts(count: usize, per_replicate_ms: f64) -> (usize, f64) {
    if count == 0 {
        return (0, 0.0);
    }
    let total = count as f64 * per_replicate_ms;
    let parts = ((total / PART_MS).ceil() as usize).clamp(1, count.min(256));
    (parts, total / parts as f64)
}

/// As [`parts`] where every part first prepares what its replicates share, which takes as long as five of them.
///
/// Parts are then longer, so that preparing stays a tenth of the work; several come in fours, to suit two workers and
/// four.
pub(crate) fn resample_parts(count: usize, per_replicate_ms: f64) -> (usize, f64) {
    let least = 50.0 * per_replicate_ms;
    let (mut parts, _) = parts(count, per_replicate_ms * (PART_MS / least.max(PART_MS)));
    if parts > 1 {
        parts = parts.next_multiple_of(4).min(count);
    }
    let cost = (count as f64 / parts.max(1) as f64 + 5.0) * per_replicate_ms;
    (parts, cost)
}

pub(crate) fn ranges(count: usize, parts: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..parts).map(move |part| (part * count / parts, (part + 1) * count / parts))
}

/// Parts of the local error and the expected cost of each: as many as the sums within the bins of the file's own
/// scores are worth, and never more than there are pieces of work.
pub(crate) fn local_parts(data: &Predictions, local: &LocalOptions) -> Result<(usize, f64)> {
    let choice = local.features.as_ref();
    let d = choice.map_or(2, |choice| feature::width_of(data, choice));
    let bins = local.bins.unwrap_or_default();
    let assignment = bins.binning(&pair::scores(data)?)?.assignment;
    let within = Within::new(data, local.within.as_deref())?;
    let every: Vec<u32> = (0..data.rows as u32).collect();
    let mut counts = bin_counts(&Within::strata(within.as_ref(), assignment, &every));
    let share = scored_share(data);
    counts.values_mut().for_each(|n| *n = (*n as f64 * share).ceil() as usize);
    let units = units(&counts, d, super::kernel(local)?, local.leave_one_out, 2);
    let total: f64 = units.iter().map(|unit| unit.cost).sum();
    // Less than a part is cut too where it would leave all workers but one without work.
    let shared = ((total / SHARED_MS) as usize).min(4);
    let parts = ((total / PART_MS).ceil() as usize).max(shared);
    let parts = parts.clamp(1, units.len().max(1));
    Ok((parts, total / parts as f64))
}

/// Share of the rows that the division scores.
pub(crate) fn scored_share(data: &Predictions) -> f64 {
    match data.division {
        Division::Folds { .. } => 1.0,
        Division::Half => 0.5,
        Division::Given { .. } => {
            let scored = data.sets.iter().filter(|set| **set == EVALUATION).count();
            scored as f64 / data.rows.max(1) as f64
        }
    }
}

/// Expected milliseconds of eight right-hand sides over `n` rows at `places` places in `d` dimensions.
pub(crate) fn neighbourhoods_cost(n: f64, places: f64, d: usize) -> f64 {
    let all = n + places;
    match d {
        0..=2 => all * all.max(2.0).log2() * 1.2e-4,
        3 => all * all.max(2.0).log2().powi(2) * 6e-5,
        d => n * places * (d + 30) as f64 * 1.2e-7,
    }
}

/// Expected milliseconds of the local error of `n` rows in `d` dimensions, Laplacian kernel, bins alike.
pub fn local_cost(n: f64, d: usize) -> f64 {
    let bins = BinOptions::default().count as f64;
    let each = (n / bins).ceil() as usize;
    bins * cheapest(Kernel::Laplacian { gamma: 1.0 }, each, each, d, true).1
}

/// Milliseconds of work that are worth a part of their own while another worker has nothing to do.
const SHARED_MS: f64 = 70.0;
/// Milliseconds that one part should take.
pub(crate) const PART_MS: f64 = 180.0;
