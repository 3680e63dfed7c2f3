//! Draws of the rows in parts, then what a study would conclude.

use serde::{Deserialize, Serialize};

use super::{InferenceRequest, InferenceWithoutCharts, methods, outcome, replicates};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::resample::default_resamples;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{DRAWS, FIGURE, Field, SEED};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::{parts, ranges};
use crate::table::Column;

impl Analysis for InferenceRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("resamples", DRAWS), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let methods = methods(of.run, self.methods.as_deref())?;
        let n = methods.iter().map(|m| m.rows.len()).max().unwrap_or(0);
        let resamples = self.resamples.unwrap_or_else(|| default_resamples(n));
        let each = methods.len() as f64 * n as f64 * 1.2e-5;
        let (parts, cost) = parts(resamples, each);
        let request = Self { width: None, ..self.clone() };
        let mut plan = of.plan();
        let mut draws = Vec::with_capacity(parts);
        for (first, last) in ranges(resamples, parts) {
            let step = DrawRows { data: DATA, run: REPORT, request: request.clone(), first, last };
            draws.push(plan.push(step, cost, "resampling rows"));
        }
        let step = Conclude { data: DATA, run: REPORT, draws, request };
        let found = plan.push(step, each, "estimating from scores");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Errors of some draws of the rows: draw by draw, method by method, task by task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawnErrors {
    errors: Column<f64>,
}

/// Draws the rows again some times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawRows {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: InferenceRequest,
    /// first draw
    first: usize,
    /// end of the draws
    last: usize,
}

impl Step for DrawRows {
    type Output = DrawnErrors;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<DrawnErrors> {
        let errors = replicates(at.the(&self.data)?, at.the(&self.run)?, &self.request, self.first..self.last)?;
        Ok(DrawnErrors { errors: errors.into() })
    }
}

/// What a study would conclude.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclude {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    draws: Vec<Handle<DrawnErrors>>,
    request: InferenceRequest,
}

impl Step for Conclude {
    type Output = InferenceWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<InferenceWithoutCharts> {
        let data = at.the(&self.data)?;
        let draws = at.each(&self.draws)?;
        let drawn: Vec<f64> = draws.iter().flat_map(|part| part.errors.iter().copied()).collect();
        let mut found = outcome(data, at.the(&self.run)?, &self.request, &drawn)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
