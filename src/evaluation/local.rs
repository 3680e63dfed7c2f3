//! Local error of scored rows, in parts, and its replicates.

use std::collections::{BTreeMap, BTreeSet};

use super::features::{FeatureChoice, Features, features};
use super::resample::Replicates;
use super::scored::Scored;
use super::split::Split;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Part, Points};
use crate::local::{
    LocalQueries, LocalSample, NO_BIN, mean_interval, noise_floor, signed_local_error,
};
use crate::metric::binning::BinOptions;

/// Scored rows with their bins and places.
pub struct Neighbourhood {
    score: Vec<f64>,
    target: Vec<u8>,
    bin: Vec<u32>,
    /// d, names, and coordinates of the scored rows
    pub features: Features,
}

impl Neighbourhood {
    /// The scored rows of one method; components are fitted on calibration rows only (under folds, on all).
    ///
    /// # Errors
    /// `features_missing`, `unknown_column`, `not_a_number`, `invalid_option`.
    pub fn new(
        data: &Predictions,
        split: &Split,
        scored: &Scored,
        choice: Option<&FeatureChoice>,
        bins: &BinOptions,
    ) -> Result<Self> {
        let choice = choice.ok_or_else(|| {
            Error::new(
                "features_missing",
                "Local calibration needs features.",
                "Name them in local.features.",
            )
        })?;
        let calibration = split.all_calibration_rows();
        let fit_rows = if calibration.is_empty() {
            scored.rows.to_vec()
        } else {
            calibration
        };
        let all = features(data, choice, &fit_rows)?;
        let values = all.select(&scored.rows);
        Ok(Self {
            bin: bins.binning(&scored.score)?.assignment,
            score: scored.score.to_vec(),
            target: scored.target.to_vec(),
            features: Features { values, ..all },
        })
    }

    /// For the sums.
    ///
    /// # Errors
    /// `length_mismatch` if rows and places disagree.
    pub fn sample(&self) -> Result<LocalSample<'_>> {
        LocalSample::new(
            &self.score,
            &self.target,
            &self.bin,
            Points::new(self.features.d, &self.features.values)?,
        )
    }

    /// Signed local error, mass and effective neighbours of the rows whose bins belong to part `part` of `parts`,
    /// with the places of these rows among the scored rows.
    ///
    /// # Errors
    /// As [`signed_local_error`].
    pub fn error(
        &self,
        kernel: Kernel,
        leave_one_out: bool,
        part: usize,
        parts: usize,
    ) -> Result<LocalRows> {
        let mine = bins_of_part(&self.bin, part, parts);
        let bin: Vec<u32> = self
            .bin
            .iter()
            .map(|b| if mine.contains(b) { *b } else { NO_BIN })
            .collect();
        let sample = LocalSample {
            bin: &bin,
            ..self.sample()?
        };
        let local = signed_local_error(
            &sample,
            &LocalQueries::Sample { leave_one_out },
            kernel,
            Part::WHOLE,
        )?;
        let mut rows = LocalRows::default();
        for place in (0..bin.len()).filter(|&place| bin[place] != NO_BIN) {
            rows.place.push(place as u32);
            rows.slce.push(local.slce[place]);
            rows.mass.push(local.mass[place]);
            rows.n_eff.push(local.n_eff[place]);
        }
        Ok(rows)
    }

    /// Replicates `first..last` of mean LCE (bootstrap and floor) and MLCE (floor).
    ///
    /// # Errors
    /// As [`noise_floor`].
    pub fn replicates(
        &self,
        kernel: Kernel,
        leave_one_out: bool,
        seed: u64,
        range: std::ops::Range<usize>,
    ) -> Result<Replicates> {
        let sample = self.sample()?;
        let floor = noise_floor(&sample, kernel, leave_one_out, seed, range.clone())?;
        let interval = mean_interval(&sample, kernel, leave_one_out, seed, range)?;
        Ok(Replicates {
            bootstrap: BTreeMap::from([("mean_lce".to_owned(), interval.mean_lce.into())]),
            floor: BTreeMap::from([
                ("mean_lce".to_owned(), floor.mean_lce.into()),
                ("mlce".to_owned(), floor.mlce.into()),
            ]),
        })
    }
}

/// Bins of one part: the fullest bin first, each to the part that has least, so that parts take about the same time.
fn bins_of_part(bins: &[u32], part: usize, parts: usize) -> BTreeSet<u32> {
    let mut counts = BTreeMap::<u32, usize>::new();
    bins.iter()
        .for_each(|&bin| *counts.entry(bin).or_default() += 1);
    let mut order: Vec<(u32, usize)> = counts.into_iter().collect();
    order.sort_by_key(|&(bin, n)| (std::cmp::Reverse(n), bin));
    let mut load = vec![0usize; parts.max(1)];
    let mut mine = BTreeSet::new();
    for (bin, n) in order {
        let least = (0..load.len()).min_by_key(|&p| load[p]).unwrap_or(0);
        load[least] += n;
        if least == part {
            mine.insert(bin);
        }
    }
    mine
}

/// Local error of some rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocalRows {
    /// places among the scored rows
    pub place: Vec<u32>,
    /// signed local error
    pub slce: Vec<f64>,
    /// Σ k
    pub mass: Vec<f64>,
    /// (Σ k)² / Σ k²
    pub n_eff: Vec<f64>,
}

impl LocalRows {
    /// Appends the rows of a later part.
    pub fn extend(&mut self, later: &LocalRows) {
        self.place.extend_from_slice(&later.place);
        self.slce.extend_from_slice(&later.slce);
        self.mass.extend_from_slice(&later.mass);
        self.n_eff.extend_from_slice(&later.n_eff);
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
