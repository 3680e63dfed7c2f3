//! Numbers and words, then the figure.

use serde::{Deserialize, Serialize};

use super::{RiskCoverageRequest, RiskCoverageWithoutCharts, risk_coverage};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for RiskCoverageRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("risk", real(1e-4, 0.99)), ("confidence", real(0.5, 0.9999)), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 1e-3 * of.run.rows.len() as f64;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(FindThresholds { data: DATA, run: REPORT, request }, cost, "risk and coverage");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// The curve and the threshold of every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindThresholds {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: RiskCoverageRequest,
}

impl Step for FindThresholds {
    type Output = RiskCoverageWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RiskCoverageWithoutCharts> {
        let data = at.the(&self.data)?;
        let mut found = risk_coverage(data, at.the(&self.run)?, &self.request)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
