//! Replicates behind intervals and floors.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::on_request;
use crate::evaluation::resample::{Replicates, replicates};
use crate::evaluation::scored::Scored;
use crate::metric::binning::BinOptions;
use crate::run::graph::{Handle, Outcomes, Step};

/// Replicates of the scorecard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resample {
    /// the data set, where a metric needs a probability for every class
    pub data: Option<Handle<Predictions>>,
    /// the scores
    pub scored: Handle<Scored>,
    /// bins of the metrics
    pub bins: BinOptions,
    /// seed of the streams
    pub seed: u64,
    /// first replicate
    pub first: usize,
    /// end of the replicates
    pub last: usize,
}

impl Step for Resample {
    type Output = Replicates;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Replicates> {
        let data = self.data.as_ref().map(|data| at.the(data)).transpose()?;
        replicates(data, at.the(&self.scored)?, &self.bins, self.seed, self.first..self.last, progress)
    }
}

/// Replicates of metrics that the request names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResampleOnRequest {
    /// the scores
    pub scored: Handle<Scored>,
    /// bins of the metrics
    pub bins: BinOptions,
    /// metric ids
    pub metrics: BTreeSet<String>,
    /// seed of the streams
    pub seed: u64,
    /// first replicate
    pub first: usize,
    /// end of the replicates
    pub last: usize,
}

impl Step for ResampleOnRequest {
    type Output = Replicates;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Replicates> {
        on_request::replicates(at.the(&self.scored)?, &self.bins, &self.metrics, self.seed, self.first..self.last)
    }
}
