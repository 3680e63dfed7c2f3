//! One step: looking at the region.

use serde::{Deserialize, Serialize};

use super::{RegionOutcome, RegionRequest, region};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::request::bounds::{AXES, BIN, FEATURES, Field, PLACE, ROWS};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for RegionRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("features", FEATURES), ("axes", AXES), ("bin", BIN), ("box", PLACE), ("polygon", PLACE), ("rows", ROWS)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let step = LookAtRegion { data: DATA, run: REPORT, request: self.clone() };
        plan.push(step, milliseconds(of.data), "describing the region");
        Ok(plan)
    }
}

/// Expected milliseconds.
pub(in crate::analysis) fn milliseconds(data: &Predictions) -> f64 {
    data.rows as f64 * 1e-4 * data.table.columns.len() as f64
}

/// Who is in a region of the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookAtRegion {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: RegionRequest,
}

impl Step for LookAtRegion {
    type Output = RegionOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RegionOutcome> {
        let data = at.the(&self.data)?;
        region(data, at.the(&self.run)?, &self.request)
    }
}
