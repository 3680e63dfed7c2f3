//! Local error of scored rows, in parts, and its replicates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::request::LocalOptions;
use super::resample::Replicates;
use super::scored::Scored;
use crate::data::folds::Split;
use crate::data::{Predictions, PresentClusters};
use crate::error::{Error, Result, phrases};
use crate::feature::{Features, Within, features_within, no_row_has_a_place};
use crate::kernel::{self, Engine, Kernel, Part, Points, Queries};
use crate::local::{LocalSample, LocalSummary, mean_interval, noise_floor, weighted_summary};
use crate::metric::{entry, registry};
use crate::num::order::sort_short;
use crate::num::weight::RowWeights;
use crate::table::Column;

/// Scored rows with their bins and places.
pub struct Neighborhood {
    score: Vec<f64>,
    target: Vec<u8>,
    bin: Vec<u32>,
    weight: Option<Vec<f64>>,
    clusters: Option<PresentClusters>,
    /// place of each among all scored rows
    place: Vec<u32>,
    /// d, names, and coordinates of the scored rows that have a place
    pub features: Features,
}

impl Neighborhood {
    /// The scored rows of one method that have a place; components are fitted on calibration rows only (under folds, on
    /// all). `local`: with every default filled in.
    ///
    /// # Errors
    /// `features_missing`, `unknown_column`, `too_few_rows` where no scored row has a place, `invalid_option`.
    pub fn new(data: &Predictions, split: &Split, scored: &Scored, local: &LocalOptions) -> Result<Self> {
        let choice = local.features.as_ref().ok_or_else(|| {
            Error::new("features_missing", "Local calibration needs features.", phrases::FEATURES_OF_LOCAL)
        })?;
        let calibration = split.all_calibration_rows();
        let fit_rows = if calibration.is_empty() { scored.rows.to_vec() } else { calibration };
        let (all, within) = features_within(data, choice, local.within.as_deref(), &fit_rows)?;
        let place = all.placed(&scored.rows);
        if place.is_empty() {
            return Err(no_row_has_a_place());
        }
        let rows: Vec<u32> = place.iter().map(|&i| scored.rows[i as usize]).collect();
        let values = all.select(&rows);
        let score: Vec<f64> = place.iter().map(|&i| scored.score[i as usize]).collect();
        Ok(Self {
            bin: Within::strata(within.as_ref(), local.bins.unwrap_or_default().binning(&score)?.assignment, &rows),
            score,
            target: place.iter().map(|&i| scored.target[i as usize]).collect(),
            weight: scored.weights().map(|w| place.iter().map(|&i| w[i as usize]).collect()),
            clusters: scored.clusters.at(&place).present(),
            place,
            features: Features { values, ..all },
        })
    }

    /// For the sums.
    ///
    /// # Errors
    /// `length_mismatch` if rows and places disagree.
    pub fn sample(&self) -> Result<LocalSample<'_>> {
        let places = Points::row_major(self.features.d, &self.features.values)?;
        let sample = LocalSample::new(&self.score, &self.target, &self.bin, places)?;
        let clusters = self.clusters.as_ref().map(PresentClusters::rows);
        Ok(sample.with_weights(self.weight.as_deref()).with_clusters(clusters))
    }

    /// Signed local error, mass and effective neighbors that part `part` of `parts` answers, with the places of its
    /// rows among the scored rows. Parts are merged in ascending order: [`LocalRows::merged`]. The engine is the
    /// cheapest where none is requested.
    ///
    /// # Errors
    /// As [`kernel::sums`].
    ///
    /// With sample weights, SLCE = Σ w k (s − t) / Σ w k and the mass is Σ w k; n_eff, which counts rows, is NaN, as
    /// it is where `counted` does not ask for it.
    pub fn error(
        &self,
        kernel: Kernel,
        leave_one_out: bool,
        counted: bool,
        engine: Option<Engine>,
        (part, parts): (usize, usize),
    ) -> Result<LocalRows> {
        kernel.check()?;
        let sample = self.sample()?;
        let (counts, d) = (bin_counts(&self.bin), self.features.d);
        let mut out = LocalRows::default();
        for unit in units_of_part(&units(&counts, d, kernel, leave_one_out, parts), part, parts) {
            let rows: Vec<u32> =
                (0u32..).zip(&self.bin).filter(|(_, bin)| **bin == unit.bin).map(|(row, _)| row).collect();
            let residual = |r: &u32| sample.residual(*r as usize);
            // With sample weights, w r and beside it w: Σ w k r / Σ w k.
            let (sides, k): (Vec<f64>, usize) = match sample.weight {
                None => (rows.iter().map(residual).collect(), 1),
                Some(w) => {
                    let both = |r: &u32| [w[*r as usize] * residual(r), w[*r as usize]];
                    (rows.iter().flat_map(both).collect(), 2)
                }
            };
            let places = sample.features.gather(&rows);
            let (own, here) = (Queries::Sources { leave_one_out }, Points::row_major(d, &places)?);
            let engine = engine.unwrap_or_else(|| kernel::engine(&own, here, kernel));
            let mut sums = kernel::sums_by(engine, own, here, &sides, k, &[kernel], counted && k == 1, unit.piece);
            let sums = sums.swap_remove(0);
            out.engine.get_or_insert(sums.engine);
            let n_eff = sums.n_eff.unwrap_or_default();
            for i in (0..rows.len()).filter(|&i| sums.answered[i]) {
                let means = &sums.mean[i * k..(i + 1) * k];
                let around = means.get(1).copied().unwrap_or(1.0);
                out.place.push(self.place[rows[i] as usize]);
                // A share of the pairs may hold nothing at all.
                let by = if around > 0.0 { around } else { 1.0 };
                out.slce.push(means[0] / by);
                out.mass.push(sums.mass[i] * around);
                out.n_eff.push(n_eff.get(i).copied().unwrap_or(f64::NAN));
            }
        }
        Ok(out)
    }

    /// Replicates `range` of those of the metrics that look at neighborhoods.
    ///
    /// # Errors
    /// As [`noise_floor`].
    pub fn replicates(
        &self,
        kernel: Kernel,
        leave_one_out: bool,
        metrics: &[String],
        seed: u64,
        range: std::ops::Range<usize>,
    ) -> Result<Replicates> {
        let sample = self.sample()?;
        let counted = registry::any_counts_neighbors(metrics);
        let floor = noise_floor(&sample, kernel, (leave_one_out, counted), seed, range.clone())?;
        let mut out = Replicates::default();
        // one bootstrap serves all that are made of it
        let mut interval = None;
        for metric in metrics.iter().filter_map(|id| registry::metric(id)) {
            if let entry::Replicates::Neighbourhoods { bootstrap, floor: of_floor } = metric.replicates {
                if let Some(bootstrap) = bootstrap {
                    let interval = match &mut interval {
                        Some(known) => known,
                        none => none.insert(mean_interval(&sample, kernel, leave_one_out, seed, range.clone())?),
                    };
                    out.bootstrap.insert(metric.id.to_owned(), bootstrap(interval).to_vec().into());
                }
                out.floor.insert(metric.id.to_owned(), of_floor(&floor).to_vec().into());
            }
        }
        Ok(out)
    }
}

/// Milliseconds that one piece of a bin should take, pair by pair.
const PIECE_MS: f64 = 150.0;
/// Divide and sweep shares its first levels among all pieces: cutting pays for large bins only.
const EXACT_PIECE_MS: f64 = 500.0;

/// A piece of the work in one bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    bin: u32,
    piece: Part,
    /// expected milliseconds
    pub cost: f64,
}

/// Rows of each bin that holds any, bins ascending.
pub fn bin_counts(bins: &[u32]) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    bins.iter().for_each(|&bin| *counts.entry(bin).or_default() += 1);
    counts
}

/// The work within bins, cut by the data alone: large bins into pieces that take about as long, unless `parts` is 1.
pub fn units(counts: &BTreeMap<u32, usize>, d: usize, kernel: Kernel, leave_one_out: bool, parts: usize) -> Vec<Unit> {
    let mut units = Vec::new();
    for (&bin, &n) in counts {
        let (engine, cost) = kernel::cheapest(kernel, n, n, d, !leave_one_out);
        let target = match engine {
            Engine::Exact => EXACT_PIECE_MS,
            _ => PIECE_MS,
        };
        let of = if parts == 1 { 1 } else { ((cost / target).ceil() as usize).clamp(1, 256) };
        units.extend((0..of).map(|index| Unit { bin, piece: Part { index, of }, cost: cost / of as f64 }));
    }
    units
}

/// Units of one part: the largest first, each to the part that has least, so that parts take about the same time.
fn units_of_part(units: &[Unit], part: usize, parts: usize) -> Vec<Unit> {
    let mut order: Vec<&Unit> = units.iter().collect();
    sort_short(&mut order, |a, b| a.cost > b.cost);
    let mut load = vec![0.0f64; parts.max(1)];
    let mut mine = Vec::new();
    for unit in order {
        let least = (0..load.len()).min_by(|&a, &b| load[a].total_cmp(&load[b])).unwrap_or(0);
        load[least] += unit.cost;
        if least == part {
            mine.push(*unit);
        }
    }
    mine
}

/// Local error of some rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LocalRows {
    /// places among the scored rows
    pub place: Column<u32>,
    /// signed local error
    pub slce: Column<f64>,
    /// Σ k, Σ w k with sample weights
    pub mass: Column<f64>,
    /// (Σ k)² / Σ k²; NaN with sample weights and where it was not requested
    pub n_eff: Column<f64>,
    /// the algorithm of the first, costliest piece
    pub engine: Option<Engine>,
}

impl LocalRows {
    /// Appends the rows of a later part.
    pub fn extend(&mut self, later: &LocalRows) {
        self.place.extend_from_slice(&later.place);
        self.slce.extend_from_slice(&later.slce);
        self.mass.extend_from_slice(&later.mass);
        self.n_eff.extend_from_slice(&later.n_eff);
        self.engine = self.engine.or(later.engine);
    }

    /// Every place once: pieces of the same bin share its pairs out, and what they found is added up in their order.
    pub fn merged(self) -> Self {
        let rows = self.place.iter().max().map_or(0, |&last| last as usize + 1);
        let mut first = vec![usize::MAX; rows];
        let mut out = Self { engine: self.engine, ..Self::default() };
        for (i, &place) in self.place.iter().enumerate() {
            let theirs = Share { mass: self.mass[i], mean: self.slce[i], n_eff: self.n_eff[i] };
            let at = first[place as usize];
            if at == usize::MAX {
                first[place as usize] = out.place.len();
                out.place.push(place);
                out.slce.push(theirs.mean);
                out.mass.push(theirs.mass);
                out.n_eff.push(theirs.n_eff);
            } else {
                let own = Share { mass: out.mass[at], mean: out.slce[at], n_eff: out.n_eff[at] };
                let both = own.plus(theirs);
                (out.mass[at], out.slce[at], out.n_eff[at]) = (both.mass, both.mean, both.n_eff);
            }
        }
        out
    }

    /// Mean and largest local error of `n` scored rows with weights `w`, summed in the order of the rows.
    pub fn summary(&self, n: usize, w: RowWeights) -> LocalSummary {
        weighted_summary(&self.in_place(&self.slce, n), &self.in_place(&self.n_eff, n), w)
    }

    /// One value per scored row, NaN where no part answered.
    pub fn in_place(&self, values: &[f64], n: usize) -> Vec<f64> {
        let mut out = vec![f64::NAN; n];
        for (&place, &value) in self.place.iter().zip(values) {
            if let Some(cell) = out.get_mut(place as usize) {
                *cell = value;
            }
        }
        out
    }
}

/// What one share of the pairs says about a place.
#[derive(Clone, Copy)]
struct Share {
    mass: f64,
    mean: f64,
    n_eff: f64,
}

impl Share {
    /// Both shares together. Where Σ k² of a share underflows its n_eff is infinite: it then adds nothing.
    fn plus(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return self;
        }
        let square = |share: Self| {
            if share.mass > 0.0 { share.mass * (share.mass / share.n_eff) } else { 0.0 }
        };
        Self {
            mass,
            mean: (self.mean * self.mass + other.mean * other.mass) / mass,
            n_eff: mass / ((square(self) + square(other)) / mass),
        }
    }
}
