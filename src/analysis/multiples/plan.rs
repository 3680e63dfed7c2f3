//! One step.

use serde::{Deserialize, Serialize};

use super::{MultiplesOutcome, MultiplesRequest, multiples};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::request::bounds::{FIGURE, Field};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};
use crate::report::RunOutcome;

impl Analysis for MultiplesRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 1e-4 * (of.run.rows.len() + of.data.labels.len()) as f64;
        plan.push(DrawMultiples { data: DATA, run: REPORT, request: self.clone() }, cost, "diagrams");
        Ok(plan)
    }
}

/// Diagrams beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawMultiples {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    request: MultiplesRequest,
}

impl Step for DrawMultiples {
    type Found = MultiplesOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<MultiplesOutcome> {
        let data = at.the(&self.data)?;
        multiples(data, at.the(&self.run)?, &self.request)
    }
}
