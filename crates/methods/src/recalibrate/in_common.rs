//! What calibration rows and new rows must have in common to be neighbors: the last coordinates of a fit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::validity::Validity;
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::Within;
use crate::feature::within::{ALL, strata};

/// What neighbors have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InCommon {
    /// `predicted`, or the column
    pub of: String,
    /// how many of the last coordinates say it
    pub coordinates: usize,
}

impl InCommon {
    /// Refuses a fit of `d` coordinates of which none says where a row is.
    pub(in crate::recalibrate) fn check(this: Option<&Self>, d: usize) -> Validity {
        match width(this) {
            last if last < d => Ok(()),
            last => Err(format!("within.coordinates is {last}, of {d} coordinates")),
        }
    }
}

/// How many of the last coordinates say what neighbors have in common.
pub(in crate::recalibrate) fn width(within: Option<&InCommon>) -> usize {
    within.map_or(0, |within| within.coordinates)
}

/// Which rows can be neighbors: as the method says, else as the run says; none: all.
///
/// # Errors
/// As [`Within::new`].
pub(in crate::recalibrate) fn restriction(
    data: &Predictions,
    own: Option<String>,
    run: Option<&String>,
) -> Result<Option<String>> {
    let asked = own.or_else(|| run.cloned()).filter(|name| name != ALL);
    Within::new(data, asked.as_deref())?;
    Ok(asked)
}

/// Rows with their places, and what they must have in common with their neighbors.
pub(in crate::recalibrate) struct Parted {
    /// coordinates of a place
    pub d: usize,
    /// places, row-major
    pub x: Vec<f64>,
    /// bits of what follows the place, a row each; empty where nothing does
    last: Vec<Vec<u64>>,
}

impl Parted {
    /// Of coordinates, row-major, `d` each, of which the last `width` are in common.
    pub(in crate::recalibrate) fn of(x: &[f64], d: usize, width: usize) -> Self {
        let own = d.saturating_sub(width);
        if width == 0 {
            return Self { d, x: x.to_vec(), last: Vec::new() };
        }
        let rows = x.chunks_exact(d.max(1)).map(|row| row.split_at(own));
        // −0 is 0
        let bits = |last: &[f64]| last.iter().map(|value| (value + 0.0).to_bits()).collect();
        let (x, last): (Vec<&[f64]>, Vec<Vec<u64>>) = rows.map(|(place, last)| (place, bits(last))).unzip();
        Self { d: own, x: x.concat(), last }
    }

    /// One code for rows that can be neighbors, of these and of others; what the others alone have is one code that none of
    /// these has. Empty where all can be neighbors.
    pub(in crate::recalibrate) fn codes(&self, others: &Self) -> [Vec<u32>; 2] {
        let mut known = BTreeMap::new();
        let own = self.last.iter().map(|last| {
            let next = known.len() as u32;
            *known.entry(last).or_insert(next)
        });
        let own: Vec<u32> = own.collect();
        let unknown = known.len() as u32;
        let of_others = others.last.iter().map(|last| known.get(last).copied().unwrap_or(unknown));
        [own, of_others.collect()]
    }

    /// The codes of these rows.
    pub(in crate::recalibrate) fn own_codes(&self) -> Vec<u32> {
        let [own, _] = self.codes(&Self { d: self.d, x: Vec::new(), last: Vec::new() });
        own
    }
}

/// Bins of rows, one code each, cut by the codes; as they are without codes.
pub(in crate::recalibrate) fn cut(codes: &[u32], bin: Vec<u32>) -> Vec<u32> {
    let rows: Vec<u32> = (0..bin.len() as u32).collect();
    strata(codes, bin, &rows)
}

/// Rows of each code, ascending; all of `n` rows where there are no codes.
pub(in crate::recalibrate) fn rows_by_code(codes: &[u32], n: usize) -> BTreeMap<u32, Vec<u32>> {
    let mut found = BTreeMap::<u32, Vec<u32>>::new();
    if codes.is_empty() {
        found.insert(0, (0..n as u32).collect());
    }
    (0u32..).zip(codes).for_each(|(row, code)| found.entry(*code).or_default().push(row));
    found
}
