//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{SitesRequest, SitesWithoutCharts, sites};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for SitesRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("least", real(1.0, 1e6)), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 4e-3;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(PoolSites { data: DATA, run: REPORT, request, least: of.least }, cost, "sites");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// The measures of every site, pooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolSites {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: SitesRequest,
    /// the smallest count that may be told; none: any
    least: Option<u64>,
}

impl Step for PoolSites {
    type Output = SitesWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<SitesWithoutCharts> {
        Ok(WithoutCharts(sites(at.the(&self.data)?, at.the(&self.run)?, &self.request, self.least)?))
    }
}
