//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{GroupsRequest, GroupsWithoutCharts, groups};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, ROWS, whole};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for GroupsRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("quantiles", whole(2, 1000)), ("least", ROWS), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 2e-3 * of.run.rows.len() as f64;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(CompareGroups { data: DATA, run: REPORT, request, least: of.least }, cost, "groups");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// The gap of every group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareGroups {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: GroupsRequest,
    /// the smallest count that may be told; none: any
    least: Option<u64>,
}

impl Step for CompareGroups {
    type Output = GroupsWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<GroupsWithoutCharts> {
        let data = at.the(&self.data)?;
        let mut found = groups(data, at.the(&self.run)?, &self.request, self.least)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
