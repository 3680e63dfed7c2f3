//! Numbers of every diagram, then the figures.

use serde::{Deserialize, Serialize};

use super::{MultiplesRequest, MultiplesWithoutCharts, multiples};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for MultiplesRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 1e-4 * (of.run.rows.len() + of.data.labels.len()) as f64;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(CompareDiagrams { data: DATA, run: REPORT, request }, cost, "diagrams");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Diagrams beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareDiagrams {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: MultiplesRequest,
}

impl Step for CompareDiagrams {
    type Output = MultiplesWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<MultiplesWithoutCharts> {
        let data = at.the(&self.data)?;
        multiples(data, at.the(&self.run)?, &self.request).map(WithoutCharts)
    }
}
