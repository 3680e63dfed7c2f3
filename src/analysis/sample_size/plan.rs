//! One step.

use serde::{Deserialize, Serialize};

use super::{SampleSizeOutcome, SampleSizeRequest, sample_size};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, real};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};

impl Analysis for SampleSizeRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("ratio", real(1e-3, 100.0)), ("slope", real(1e-3, 100.0)), ("auroc", real(1e-3, 1.0)), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 5e-4;
        plan.push(CountRows { data: DATA, run: REPORT, request: self.clone() }, cost, "the rows that it takes");
        Ok(plan)
    }
}

/// How many rows it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountRows {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    request: SampleSizeRequest,
}

impl Step for CountRows {
    type Found = SampleSizeOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<SampleSizeOutcome> {
        let data = at.the(&self.data)?;
        let mut found = sample_size(data, at.the(&self.run)?, &self.request)?;
        found.sheet.tell_of_weights(data);
        Ok(found)
    }
}
