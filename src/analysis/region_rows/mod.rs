//! The rows of a region as a CSV file: identifiers, texts, outcomes, scores and groups.

use serde::{Deserialize, Serialize};

use super::entry::{Described, Entry, RequestOption};
use super::region::plan::milliseconds;
use super::region::{RegionRequest, region_rows_csv};
use super::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::report::export::Bytes;
use crate::request::bounds::Field;
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

/// Options of `data.analyse("region_rows")`: those of `region`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RegionRowsRequest(pub RegionRequest);

impl Described for RegionRowsRequest {
    const ENTRY: Entry = Entry { title: "Rows of a map region", ..RegionRequest::ENTRY };
    const OPTIONS: &'static [RequestOption] = RegionRequest::OPTIONS;
}

impl Analysis for RegionRowsRequest {
    const BOUNDS: &'static [(&'static str, Field)] = RegionRequest::BOUNDS;

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let step = ListRegion { data: DATA, run: REPORT, request: self.0.clone() };
        plan.push(step, milliseconds(of.data), "listing the region");
        Ok(plan)
    }
}

/// Writes the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListRegion {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: RegionRequest,
}

impl Step for ListRegion {
    type Output = Bytes;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Bytes> {
        region_rows_csv(at.the(&self.data)?, at.the(&self.run)?, &self.request).map(Bytes::from)
    }
}
