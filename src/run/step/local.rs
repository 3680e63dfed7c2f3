//! Local error of scored rows, and its replicates.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::local::{LocalRows, Neighborhood};
use crate::evaluation::request::LocalOptions;
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::run::graph::{Handle, Outcomes, Step};
use crate::run::plan::kernel;

/// Local error within some bins, or a share of the pairs within them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalError {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the scores
    pub scored: Handle<Scored>,
    /// settings with every default filled in
    pub local: LocalOptions,
    /// whether effective neighbors are counted, too
    pub counted: bool,
    /// part of `parts`
    pub part: usize,
    /// how many parts the work is dealt to
    pub parts: usize,
}

impl Step for LocalError {
    type Output = LocalRows;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<LocalRows> {
        let local = &self.local;
        let rows = Neighborhood::new(at.the(&self.data)?, at.the(&self.split)?, at.the(&self.scored)?, local)?;
        rows.error(kernel(local)?, local.leave_one_out, self.counted, local.engine, (self.part, self.parts))
    }
}

/// Replicates of the local metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalResample {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the scores
    pub scored: Handle<Scored>,
    /// settings with every default filled in
    pub local: LocalOptions,
    /// ids of the metrics asked for
    pub metrics: Vec<String>,
    /// seed of the streams
    pub seed: u64,
    /// first replicate
    pub first: usize,
    /// end of the replicates
    pub last: usize,
}

impl Step for LocalResample {
    type Output = Replicates;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Replicates> {
        let local = &self.local;
        let rows = Neighborhood::new(at.the(&self.data)?, at.the(&self.split)?, at.the(&self.scored)?, local)?;
        rows.replicates(kernel(local)?, local.leave_one_out, &self.metrics, self.seed, self.first..self.last)
    }
}

/// The parts of a local error, put together.
///
/// # Errors
/// `internal` if one is missing.
pub(super) fn local_rows(at: &Outcomes, parts: &[Handle<LocalRows>]) -> Result<LocalRows> {
    let mut found = LocalRows::default();
    for part in at.each(parts)? {
        found.extend(part);
    }
    Ok(found.merged())
}
