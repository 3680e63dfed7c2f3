//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{SampleSizeRequest, SampleSizeWithoutCharts, sample_size};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for SampleSizeRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("ratio", real(1e-3, 100.0)), ("slope", real(1e-3, 100.0)), ("auroc", real(1e-3, 1.0)), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let cost = of.data.rows as f64 * 5e-4;
        let request = Self { width: None, ..self.clone() };
        let found = plan.push(CountRows { data: DATA, run: REPORT, request }, cost, "required sample size");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// How many rows it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountRows {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: SampleSizeRequest,
}

impl Step for CountRows {
    type Output = SampleSizeWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<SampleSizeWithoutCharts> {
        let data = at.the(&self.data)?;
        let mut found = sample_size(data, at.the(&self.run)?, &self.request)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
