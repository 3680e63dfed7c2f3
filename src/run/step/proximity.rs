//! How near rows are to calibration rows.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::proximity::{LogProximities, Proximities, log_proximities_of};
use crate::feature::proximity::ProximityOptions;
use crate::run::graph::{Handle, Outcomes, Step};

/// Proximity of some rows to the calibration rows of each fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchProximity {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// settings with every default filled in
    pub proximity: ProximityOptions,
    /// numbers of neighbors
    pub neighbours: Vec<usize>,
    /// first of the rows that take part
    pub first: usize,
    /// end of them
    pub last: usize,
}

impl Step for SearchProximity {
    type Output = LogProximities;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<LogProximities> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        log_proximities_of(data, split, &self.proximity, &self.neighbours, self.first..self.last, progress)
            .map(|values| LogProximities { values: values.into() })
    }
}

/// The parts of a search for `numbers` numbers of neighbors, put together: one for each number.
///
/// # Errors
/// `length_mismatch` if they do not belong to the split.
pub(crate) fn gathered(split: &Split, parts: &[&LogProximities], numbers: usize) -> Result<Vec<Proximities>> {
    let parts: Vec<&[f64]> = parts.iter().map(|part| part.values.as_slice()).collect();
    Proximities::gathered(split, &parts, numbers)
}

/// The parts of a search for one number of neighbors, put together; `None` without any.
///
/// # Errors
/// As [`gathered`].
pub(crate) fn nearness(split: &Split, parts: &[&LogProximities]) -> Result<Option<Proximities>> {
    if parts.is_empty() { Ok(None) } else { Ok(gathered(split, parts, 1)?.pop()) }
}
