//! Bootstrap intervals and noise floors: the same metrics on reweighted rows, and on labels redrawn from the scores.
//!
//! Replicate r of the bootstrap draws Poisson(1) weights from stream 2r, in the order of the scored rows, so that
//! two methods on the same rows see the same weights and their differences are paired. Replicate r of the floor
//! draws labels from stream 2r + 1: what a perfectly calibrated model with these scores would have shown. Sample weights
//! multiply the Poisson weights, and stay as they are where labels are redrawn; the streams do not know of them. Where rows
//! belong together, weights are drawn once for all rows of a cluster, and redrawn labels are as dependent within clusters as
//! those of the data beyond a logistic recalibration ([`ClusteredDraws`](crate::num::cluster::ClusteredDraws)). Where rows were
//! counted elsewhere, numbers of rows are drawn in place of rows.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::scored::Scored;
use crate::data::{Predictions, View, pair};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::registry;
use crate::metric::rows::RowSums;
use crate::num::cluster::{RowClusters, fill_clustered_poisson};
use crate::num::large_counts::Poisson;
use crate::num::quantile::quantile_sorted;
use crate::num::rng::{Draws, Lanes};
use crate::num::weight::RowWeights;
use crate::table::Column;
use counted::Counted;
use counts::{AT_ONCE, BLOCK, Counts};
use floor::Floor;
use sample::Sample;
use sums::{DoubleSum, floats};

mod classwise;
mod counted;
mod counts;
mod floor;
mod ranks;
mod sample;
mod sums;
mod weighted;

/// Replicates of some metrics.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Replicates {
    /// metric values on reweighted rows, by id
    pub bootstrap: BTreeMap<String, Column<f64>>,
    /// metric values on redrawn labels, by id
    pub floor: BTreeMap<String, Column<f64>>,
}

impl Replicates {
    /// Appends the value of every metric that follows from sums over rows. With weights, of those that have a form.
    fn push_sums(into: &mut BTreeMap<String, Column<f64>>, sums: &RowSums, weighted: bool) {
        for metric in registry::all().filter(|metric| !weighted || metric.weights.is_defined()) {
            if let Some(value) = metric.replicates.of_sums().and_then(|value| value(sums)) {
                into.entry(metric.id.to_owned()).or_default().push(value);
            }
        }
    }

    /// Appends the replicates of a later part.
    pub fn extend(&mut self, later: &Replicates) {
        for (mine, theirs) in [(&mut self.bootstrap, &later.bootstrap), (&mut self.floor, &later.floor)] {
            for (id, values) in theirs {
                mine.entry(id.clone()).or_default().extend_from_slice(values);
            }
        }
    }
}

/// Replicates `part` of the bootstrap and of the floor.
///
/// * `data`: where [`needs_vectors`] holds; scores and targets say it all elsewhere
///
/// # Errors
/// As [`Vectors::new`](super::vectors::Vectors::new) and [`BinOptions::bin_edges`].
///
/// # Cost
/// O(n) per replicate; O(n m) where class-wise sums are needed. What all replicates share costs as much as five.
pub fn replicates(
    data: Option<&Predictions>,
    scored: &Scored,
    options: &BinOptions,
    seed: u64,
    part: Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<Replicates> {
    let sample = Sample::new(data, scored, options)?;
    let mut out = Replicates::default();
    if scored.counted {
        Counted::new(&sample).replicates(&sample, seed, part, &mut out, progress);
        return Ok(out);
    }
    let floor = Floor::new(data, &sample)?;
    let (first, count) = (part.start, part.len() as f64);
    for batch in batches(part) {
        let counts = Counts::of_rows(scored.rows.len(), &scored.clusters, seed, batch.clone());
        sample.bootstrap(&counts, &mut out.bootstrap);
        floor.redraw(&sample, seed, batch.clone(), &mut out.floor);
        progress((batch.end - first) as f64 / count);
    }
    Ok(out)
}

/// The percentile 95 % interval of Σ w x / Σ w from `count` replicates: the same draws of the rows, and so the same interval, as
/// those of a run. `None` where every replicate has the same mean: that shows no uncertainty, and is no interval of width 0.
///
/// * `x`, `w`: of the scored rows in their order, n
///
/// # Cost
/// O(n · count).
pub fn mean(x: &[f64], w: RowWeights, clusters: Option<RowClusters>, seed: u64, count: usize) -> Option<[f64; 2]> {
    let [interval] = means([x], w, clusters, seed, count);
    interval
}

/// [`mean`] of several values of the same rows, which are drawn once.
///
/// # Cost
/// O(n · count).
pub fn means<const N: usize>(
    x: [&[f64]; N],
    w: RowWeights,
    clusters: Option<RowClusters>,
    seed: u64,
    count: usize,
) -> [Option<[f64; 2]>; N] {
    let rows = x.iter().chain(&w).map(|x| x.len()).min().unwrap_or(0);
    let mut times = vec![0u8; rows];
    let (mut whole, mut weights) = ([0.0; BLOCK], [0.0; BLOCK]);
    let mut draws: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(count));
    for r in 0..count {
        let mut lanes = Lanes::seeded(seed, 2 * r as u64);
        match clusters {
            None => lanes.fill_poisson(&mut times),
            Some(RowClusters { of, count }) => fill_clustered_poisson(&mut lanes, of, count, &mut times),
        }
        let (mut sums, mut total) = ([DoubleSum::default(); N], DoubleSum::default());
        for (times, first) in times.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            let rows = first..first + times.len();
            let (whole, weights) = (&mut whole[..times.len()], &mut weights[..times.len()]);
            floats(times, whole);
            weights.iter_mut().zip(whole).for_each(|(weight, times)| *weight = f64::from(*times));
            if let Some(w) = w {
                weights.iter_mut().zip(&w[rows.clone()]).for_each(|(weight, w)| *weight *= w);
            }
            sums.iter_mut().zip(x).for_each(|(sum, x)| sum.add(weights, &x[rows.clone()]));
            total.add(weights, &[1.0; BLOCK]);
        }
        let total = total.total();
        if total > 0.0 {
            draws.iter_mut().zip(sums).for_each(|(draws, sum)| draws.push(sum.total() / total));
        }
    }
    draws.map(percentiles)
}

/// The same of rows that were counted elsewhere: row i stands for `counts[i]` rows, and is drawn as often as they are together.
///
/// # Cost
/// O(n · count).
pub fn means_of_counts<const N: usize>(
    x: [&[f64]; N],
    counts: &[f64],
    seed: u64,
    count: usize,
) -> [Option<[f64; 2]>; N] {
    let of_rows: Vec<Poisson> = counts.iter().map(|&n| Poisson::of(n)).collect();
    let mut draws: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(count));
    for r in 0..count {
        let mut drawn = Draws::seeded(seed, 2 * r as u64);
        let times: Vec<f64> = of_rows.iter().map(|of_row| of_row.draw(&mut drawn)).collect();
        let total: f64 = times.iter().sum();
        if total > 0.0 {
            let sum = |x: &[f64]| x.iter().zip(&times).fold(0.0, |sum, (x, times)| sum + times * x);
            draws.iter_mut().zip(x).for_each(|(draws, x)| draws.push(sum(x) / total));
        }
    }
    draws.map(percentiles)
}

fn percentiles(mut draws: Vec<f64>) -> Option<[f64; 2]> {
    draws.sort_unstable_by(f64::total_cmp);
    let (first, last) = (draws.first()?, draws.last()?);
    // sums in another order may differ in the last bit
    let same = last - first <= 1e-12 * last.abs().max(1.0);
    (!same).then_some([quantile_sorted(&draws, 0.025)?, quantile_sorted(&draws, 0.975)?])
}

/// Replicates in the groups that are computed together.
fn batches(part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = part.end;
    part.step_by(AT_ONCE).map(move |first| first..end.min(first + AT_ONCE))
}

/// Replicates `part` of the bootstrap alone, with weights drawn for all `rows` of the data in their order: divisions
/// that score different rows see the same weight of a row.
///
/// # Errors, Cost
/// As [`replicates`].
pub fn bootstrap(
    data: Option<&Predictions>,
    scored: &Scored,
    options: &BinOptions,
    rows: usize,
    seed: u64,
    part: Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<BTreeMap<String, Column<f64>>> {
    let sample = Sample::new(data, scored, options)?;
    let mut out = BTreeMap::new();
    let (first, count) = (part.start, part.len() as f64);
    for batch in batches(part) {
        let counts = match scored.clusters.of.is_empty() {
            true => Counts::poisson(rows, seed, batch.clone()).select(&scored.rows),
            false => Counts::of_rows(rows, &scored.clusters, seed, batch.clone()),
        };
        sample.bootstrap(&counts, &mut out);
        progress((batch.end - first) as f64 / count);
    }
    Ok(out)
}

/// Replicates by default: 1,000 up to 200,000 rows, fewer beyond, never under 200.
pub fn default_resamples(rows: usize) -> usize {
    if rows <= 200_000 { 1000 } else { (200_000_000 / rows).max(200) }
}

/// True when resampling needs a probability per class and row.
pub fn needs_vectors(data: &Predictions) -> bool {
    data.view == View::TopLabel && pair::has_vector(data) && data.y.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_drawn_rows() {
        let n = 2 * BLOCK + 37;
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.0 - x * x).collect();
        let w: Vec<f64> = (0..n).map(|i| 0.1 + (i % 7) as f64).collect();
        let of: Vec<u32> = (0..n as u32).map(|i| i / 3).collect();
        let clusters = RowClusters { of: &of, count: n.div_ceil(3) };
        for (w, clusters) in [(None, None), (Some(w.as_slice()), None), (Some(&w), Some(clusters))] {
            let found = means([&x, &y], w, clusters, 3, 50);
            for (x, found) in [&x, &y].into_iter().zip(found) {
                let draw = |r: u64| {
                    let (mut lanes, mut times) = (Lanes::seeded(3, 2 * r), vec![0; n]);
                    match clusters {
                        None => lanes.fill_poisson(&mut times),
                        Some(clusters) => fill_clustered_poisson(&mut lanes, clusters.of, clusters.count, &mut times),
                    }
                    let times = |i: usize| f64::from(times[i]) * w.map_or(1.0, |w| w[i]);
                    (0..n).map(|i| times(i) * x[i]).sum::<f64>() / (0..n).map(times).sum::<f64>()
                };
                let expected = percentiles((0..50).map(draw).collect()).unwrap_or_default();
                let ends = found.unwrap_or_default();
                assert!(ends.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{ends:?} {expected:?}");
            }
        }
    }

    #[test]
    fn means_of_counts_share_their_draws() {
        let counts = [0.0, 1.0, 7.0, 40.0, 3e5];
        let (x, y) = ([0.1, 0.9, 0.4, 0.2, 0.3], [0.5, 0.0, 0.8, 0.7, 0.6]);
        let alone = [&x, &y].map(|x| means_of_counts([x], &counts, 5, 100));
        assert_eq!(means_of_counts([&x, &y], &counts, 5, 100), alone.map(|[found]| found));
        assert!(alone.iter().all(|[found]| found.is_some()));
    }

    #[test]
    fn a_mean_that_no_resample_changes_has_no_interval() {
        assert_eq!(mean(&[0.1; 500], None, None, 0, 200), None);
        assert_eq!(means_of_counts([&[0.0]], &[50.0], 0, 200), [None]);
        let mixed: Vec<f64> = (0..50).map(|row| f64::from(row % 2)).collect();
        let [low, high] = mean(&mixed, None, None, 0, 200).unwrap_or_default();
        assert!(low < 0.5 && high > 0.5, "{low} {high}");
    }
}
