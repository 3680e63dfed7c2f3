//! The report of a run.

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
use crate::hypothesis::TrustFound;
use crate::report::RunOutcome;
use crate::report::of_run::{self, MethodFound};
use crate::run::graph::{Need, Outcomes, Step};

/// One method of a report, and where what was found of it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MethodNeeds {
    /// the method
    pub method: Method,
    /// why nothing was found, where that is so: a stable reason
    pub reason: Option<String>,
    /// its scores
    pub scored: Option<Need<Scored>>,
    /// its replicates: of the scorecard, of other metrics, of the local error
    pub replicates: Vec<Need<Replicates>>,
    /// the parts of its local error
    pub local: Vec<Need<LocalRows>>,
    /// its trust test
    pub trust: Option<Need<TrustFound>>,
}

impl MethodNeeds {
    fn method_found<'a>(&self, at: &Outcomes<'a>) -> Result<MethodFound<'a>> {
        let mut replicates = Replicates::default();
        for part in at.each(&self.replicates)? {
            replicates.extend(part);
        }
        Ok(MethodFound {
            method: self.method.clone(),
            reason: self.reason.clone(),
            scored: self.scored.as_ref().map(|scored| at.the(scored)).transpose()?,
            replicates,
            local: local_rows(at, &self.local)?,
            trust: self.trust.as_ref().map(|trust| at.the(trust)).transpose()?,
        })
    }
}

/// Writes the report on some methods, on top of that on the methods before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteReport {
    /// the data set
    pub data: Need<Predictions>,
    /// its division
    pub split: Need<Split>,
    /// the report so far
    pub so_far: Option<Need<RunOutcome>>,
    /// `none` on the rows on which the others are scored, where it is scored on more
    pub common: Option<MethodNeeds>,
    /// methods that it holds, which others are compared with
    pub known: Vec<MethodNeeds>,
    /// methods that it does not hold
    pub new: Vec<MethodNeeds>,
    /// what was asked
    pub request: RunRequest,
}

impl Step for WriteReport {
    type Found = RunOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RunOutcome> {
        let so_far = self.so_far.as_ref().map(|report| at.the(report)).transpose()?;
        let methods = self.known.iter().chain(&self.new).map(|method| method.method_found(at));
        let found: Vec<MethodFound> = methods.collect::<Result<_>>()?;
        let so_far = so_far.map(|report| (report, self.known.len()));
        let common = self.common.as_ref().map(|none| none.method_found(at)).transpose()?;
        of_run::report(at.the(&self.data)?, at.the(&self.split)?, &self.request, (&found, common.as_ref()), so_far)
    }
}
