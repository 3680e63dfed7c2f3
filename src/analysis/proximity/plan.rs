//! The rows as the run divided them, the search, the sheet.

use serde::{Deserialize, Serialize};

use super::{ProximityRequest, ProximityWithoutCharts, methods, proximity};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::proximity::LogProximities;
use crate::feature::proximity::NEIGHBOR_BOUNDS;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FEATURES, FIGURE, Field};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::proximity::{divided, options, search};
use crate::run::step::gathered;

impl Analysis for ProximityRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("features", FEATURES), ("neighbours", NEIGHBOR_BOUNDS), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let options = options(of.data, of.run, self.proximity())?;
        let mut request = Self { width: None, ..self.clone() }.with(options.clone());
        // An empty name is how a page says that nobody stands apart.
        request.group = request.group.filter(|name| !name.is_empty());
        let (methods, everything) = methods(of.run, request.methods.as_deref())?;
        let cost = of.data.rows as f64 * 2e-3 * methods.len() as f64;
        let mut plan = of.plan();
        let split = divided(&mut plan, of.data, of.run, everything);
        let near = search(&mut plan, (DATA, of.data), split, &options, &[options.k()]);
        let step = CompareByProximity { data: DATA, run: REPORT, split, near, request };
        let found = plan.push(step, cost, "typical and isolated rows");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Rows near and far under every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareByProximity {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    split: Handle<Split>,
    near: Vec<Handle<LogProximities>>,
    request: ProximityRequest,
}

impl Step for CompareByProximity {
    type Output = ProximityWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ProximityWithoutCharts> {
        let data = at.the(&self.data)?;
        let near = gathered(at.the(&self.split)?, &at.each(&self.near)?, 1)?;
        let mut found = proximity(data, at.the(&self.run)?, &self.request, &near)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
