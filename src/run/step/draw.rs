//! Values and paired replicates of one method under one division.

use serde::{Deserialize, Serialize};

use super::local::local_rows;
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::comparison::{ComparisonMetrics, Drawn, resampled};
use crate::evaluation::local::LocalRows;
use crate::evaluation::scored::Scored;
use crate::metric::binning::BinOptions;
use crate::run::graph::{Handle, Outcomes, Step};

/// Values and paired replicates of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the scores
    pub scored: Handle<Scored>,
    /// for local metrics, the parts of the local error
    pub local: Vec<Handle<LocalRows>>,
    /// bins of the metrics
    pub bins: BinOptions,
    /// metric ids
    pub metrics: Vec<String>,
    /// seed of the streams
    pub seed: u64,
    /// first replicate
    pub first: usize,
    /// end of the replicates
    pub last: usize,
}

impl Step for Draw {
    type Output = Drawn;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Drawn> {
        let (data, split, scored) = (at.the(&self.data)?, at.the(&self.split)?, at.the(&self.scored)?);
        let range = self.first..self.last;
        let mut found = resampled(
            data,
            split,
            scored,
            ComparisonMetrics { bins: &self.bins, metrics: &self.metrics },
            self.seed,
            range,
            progress,
        )?;
        found.take_local(&local_rows(at, &self.local)?, scored.weights(), &self.metrics);
        Ok(found)
    }
}
