//! Bootstrap intervals and noise floors: the same metrics on reweighted rows, and on labels redrawn from the scores.
//!
//! Replicate r of the bootstrap draws Poisson(1) weights from stream 2r, in the order of the scored rows, so that
//! two methods on the same rows see the same weights and their differences are paired. Replicate r of the floor
//! draws labels from stream 2r + 1: what a perfectly calibrated model with these scores would have shown. Sample weights
//! multiply the Poisson weights, and stay as they are where labels are redrawn; the streams do not know of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pair;
use super::scored::Scored;
use crate::data::{Column, Predictions, View};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::num::rng::Lanes;
use floor::Floor;
use sample::Sample;

mod classwise;
mod floor;
mod ranks;
mod sample;
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
    fn push(into: &mut BTreeMap<String, Column<f64>>, id: &str, value: f64) {
        into.entry(id.to_owned()).or_default().push(value);
    }

    /// Appends the replicates of a later part.
    pub fn extend(&mut self, later: &Replicates) {
        for (mine, theirs) in [
            (&mut self.bootstrap, &later.bootstrap),
            (&mut self.floor, &later.floor),
        ] {
            for (id, values) in theirs {
                mine.entry(id.clone())
                    .or_default()
                    .extend_from_slice(values);
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
    part: std::ops::Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<Replicates> {
    let sample = Sample::new(data, scored, options)?;
    let mut out = Replicates::default();
    let floor = Floor::new(data, &sample)?;
    let mut weights = vec![0u8; scored.rows.len()];
    let (first, count) = (part.start, part.len() as f64);
    for r in part {
        let mut lanes = Lanes::seeded(seed, 2 * r as u64);
        // Browsers compile a function well only once it has been called often.
        for chunk in weights.chunks_mut(1 << 16) {
            lanes.fill_poisson(chunk);
        }
        sample.bootstrap(&weights, &mut out.bootstrap);
        floor.redraw(
            &sample,
            Lanes::seeded(seed, 2 * r as u64 + 1),
            &mut out.floor,
        );
        progress((r + 1 - first) as f64 / count);
    }
    Ok(out)
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
    part: std::ops::Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<BTreeMap<String, Column<f64>>> {
    let sample = Sample::new(data, scored, options)?;
    let mut out = BTreeMap::new();
    let mut weights = vec![0u8; rows];
    let mut mine = vec![0u8; scored.rows.len()];
    let (first, count) = (part.start, part.len() as f64);
    for r in part {
        let mut lanes = Lanes::seeded(seed, 2 * r as u64);
        for chunk in weights.chunks_mut(1 << 16) {
            lanes.fill_poisson(chunk);
        }
        for (mine, &row) in mine.iter_mut().zip(scored.rows.iter()) {
            *mine = weights.get(row as usize).copied().unwrap_or(0);
        }
        sample.bootstrap(&mine, &mut out);
        progress((r + 1 - first) as f64 / count);
    }
    Ok(out)
}

/// Replicates by default: 1,000 up to 200,000 rows, fewer beyond, never under 200.
pub fn default_resamples(rows: usize) -> usize {
    if rows <= 200_000 {
        1000
    } else {
        (200_000_000 / rows).max(200)
    }
}

/// True when resampling needs a probability per class and row.
pub fn needs_vectors(data: &Predictions) -> bool {
    data.view == View::TopLabel && pair::has_vector(data) && data.y.is_some()
}
