//! The report of a run.

use crate::metric::Reason;
use serde::{Deserialize, Serialize};

use super::local::local_rows;
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::local::LocalRows;
use crate::evaluation::method::Method;
use crate::evaluation::request::RunRequest;
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::hypothesis::KlceTestOutcome;
use crate::report::RunOutcome;
use crate::report::of_run::{self, MethodResults};
use crate::run::graph::{Handle, Outcomes, Step};

/// One method of a report, and handles to its results.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MethodHandles {
    /// the method
    pub method: Method,
    /// why nothing was found, where that is so: a stable reason
    pub reason: Option<Reason>,
    /// its scores
    pub scored: Option<Handle<Scored>>,
    /// its replicates: of the scorecard, of other metrics, of the local error
    pub replicates: Vec<Handle<Replicates>>,
    /// the parts of its local error
    pub local: Vec<Handle<LocalRows>>,
    /// its KLCE test
    pub klce: Option<Handle<KlceTestOutcome>>,
}

impl MethodHandles {
    fn method_results<'a>(&self, at: &Outcomes<'a>) -> Result<MethodResults<'a>> {
        let mut replicates = Replicates::default();
        for part in at.each(&self.replicates)? {
            replicates.extend(part);
        }
        Ok(MethodResults {
            method: self.method.clone(),
            reason: self.reason.clone(),
            scored: self.scored.as_ref().map(|scored| at.the(scored)).transpose()?,
            replicates,
            local: local_rows(at, &self.local)?,
            klce: self.klce.as_ref().map(|klce| at.the(klce)).transpose()?,
        })
    }
}

/// Writes the report on some methods, on top of that on the methods before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteReport {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the report so far
    pub so_far: Option<Handle<RunOutcome>>,
    /// `none` on the rows on which the others are scored, where it is scored on more
    pub common: Option<MethodHandles>,
    /// methods that it holds, which others are compared with
    pub known: Vec<MethodHandles>,
    /// methods that it does not hold
    pub new: Vec<MethodHandles>,
    /// what was asked
    pub request: RunRequest,
}

impl Step for WriteReport {
    type Output = RunOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RunOutcome> {
        let so_far = self.so_far.as_ref().map(|report| at.the(report)).transpose()?;
        let methods = self.known.iter().chain(&self.new).map(|method| method.method_results(at));
        let found: Vec<MethodResults> = methods.collect::<Result<_>>()?;
        let so_far = so_far.map(|report| (report, self.known.len()));
        let common = self.common.as_ref().map(|none| none.method_results(at)).transpose()?;
        of_run::report(at.the(&self.data)?, at.the(&self.split)?, &self.request, (&found, common.as_ref()), so_far)
    }
}
