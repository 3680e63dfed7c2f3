//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{OverTimeRequest, UndrawnOverTime, over_time};
use crate::analysis::show::{DRAWING_MS, Undrawn, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, SEED, whole};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};

impl Analysis for OverTimeRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("window", whole(2, 1_000_000_000)), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = (of.data.rows as f64).min(200_000.0) * 999.0 * 2e-6;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(LookOverTime { data: DATA, run: REPORT, request }, cost, "along the dates");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Scores against outcomes along the dates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookOverTime {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    request: OverTimeRequest,
}

impl Step for LookOverTime {
    type Found = UndrawnOverTime;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<UndrawnOverTime> {
        let data = at.the(&self.data)?;
        let mut found = over_time(data, at.the(&self.run)?, &self.request)?;
        found.sheet.tell_of_weights(data);
        Ok(Undrawn(found))
    }
}
