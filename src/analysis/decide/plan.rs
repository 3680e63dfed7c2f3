//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{DecideRequest, DecideWithoutCharts, decide};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for DecideRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("wrong", real(1e-12, 1e12)),
        ("unsure", real(1e-12, 1e12)),
        ("threshold", real(1e-6, 0.99)),
        ("miss", real(1e-6, 1e6)),
        ("false_alarm", real(1e-6, 1e6)),
        ("from", real(0.0, 0.99)),
        ("to", real(0.0, 0.99)),
        ("width", FIGURE),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 1e-3 * of.run.rows.len() as f64;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(Decide { data: DATA, run: REPORT, request }, cost, "decisions");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Costs of every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decide {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: DecideRequest,
}

impl Step for Decide {
    type Output = DecideWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<DecideWithoutCharts> {
        let data = at.the(&self.data)?;
        let mut found = decide(data, at.the(&self.run)?, &self.request)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
