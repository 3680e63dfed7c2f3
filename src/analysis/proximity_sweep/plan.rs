//! A search for each distance, and the sheet.

use serde::{Deserialize, Serialize};

use super::{ProximitySweepRequest, ProximitySweepWithoutCharts, filled, numbers, sweep};
use crate::analysis::proximity::methods;
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::proximity::LogProximities;
use crate::feature::proximity::{NEIGHBOR_BOUNDS, ProximityOptions};
use crate::feature::width_of;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FEATURES, FIGURE, Field};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::proximity::{counts, divided, options, search};
use crate::run::step::gathered;

impl Analysis for ProximitySweepRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("features", FEATURES), ("neighbours", NEIGHBOR_BOUNDS), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let options = options(of.data, of.run, self.proximity())?;
        let (_, everything) = methods(of.run, self.methods.as_deref())?;
        let (_, references) = counts(of.data, everything);
        let d = options.features.as_ref().map_or(0, |choice| width_of(of.data, choice));
        let request = filled(of.run, self, &options, (references, d))?;
        let ks = numbers(&request);
        let mut plan = of.plan();
        let split = divided(&mut plan, of.data, of.run, everything);
        let distances = request.distances.clone().unwrap_or_default();
        let mut near = Vec::with_capacity(distances.len());
        for distance in &distances {
            let neighbours = ks.last().copied();
            let options = ProximityOptions { distance: Some(*distance), neighbours, ..options.clone() };
            near.push(search(&mut plan, (DATA, of.data), split, &options, &ks));
        }
        let curves = request.methods.as_ref().map_or(1, Vec::len) * distances.len() * ks.len();
        let cost = of.data.rows as f64 * 1e-3 * curves as f64;
        let step = SweepNeighbors { data: DATA, run: REPORT, split, near, request };
        let found = plan.push(step, cost, "proximity bias by number of neighbors");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Curves against the number of neighbors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepNeighbors {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    split: Handle<Split>,
    /// by distance
    near: Vec<Vec<Handle<LogProximities>>>,
    request: ProximitySweepRequest,
}

impl Step for SweepNeighbors {
    type Output = ProximitySweepWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ProximitySweepWithoutCharts> {
        let (data, split, count) = (at.the(&self.data)?, at.the(&self.split)?, numbers(&self.request).len());
        let mut near = Vec::with_capacity(self.near.len() * count);
        for parts in &self.near {
            near.extend(gathered(split, &at.each(parts)?, count)?);
        }
        let mut found = sweep(data, at.the(&self.run)?, &self.request, &near)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
