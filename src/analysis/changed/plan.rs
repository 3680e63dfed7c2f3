//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{ChangedRequest, ChangedWithoutCharts, changed};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for ChangedRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 2e-3;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(
            CompareFiles { data: DATA, run: REPORT, request, least: of.least },
            cost,
            "comparing with the session",
        );
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// This file's numbers against those of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareFiles {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: ChangedRequest,
    /// the smallest count that may be told; none: any
    least: Option<u64>,
}

impl Step for CompareFiles {
    type Output = ChangedWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ChangedWithoutCharts> {
        changed(at.the(&self.data)?, at.the(&self.run)?, &self.request, self.least).map(WithoutCharts)
    }
}
