//! Scores and point values of one method.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::proximity::nearness;
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::method::Fitted;
use crate::evaluation::proximity::LogProximities;
use crate::evaluation::scored::Scored;
use crate::metric::binning::BinOptions;
use crate::run::graph::{Handle, Outcomes, Step};

/// Scores the rows of every fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// one fit per fold; none for `none`
    pub fits: Vec<Handle<Fitted>>,
    /// for metrics of proximity, how near rows are, part by part
    pub near: Vec<Handle<LogProximities>>,
    /// bins of the metrics
    pub bins: BinOptions,
    /// metric ids; those of the scorecard are always computed
    pub metrics: BTreeSet<String>,
    /// columns whose values are groups, where a metric of groups is asked for
    pub groups: Vec<String>,
}

impl Step for Score {
    type Output = Scored;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Scored> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        let near = nearness(split, &at.each(&self.near)?)?;
        Scored::new(data, split, &at.each(&self.fits)?, &self.bins, &self.metrics)?
            .with_proximity(near.as_ref(), &self.metrics)?
            .with_groups(data, &self.groups, &self.bins, &self.metrics)
    }
}
