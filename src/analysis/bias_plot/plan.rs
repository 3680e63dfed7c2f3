//! Rows and kernel first, then the bias around rows in parts, as in the witness, then panels and words.

use serde::{Deserialize, Serialize};

use super::{BiasPlotRequest, BiasWithoutCharts, input, outcome};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::witness::plan::Share;
use crate::analysis::witness::{BiasPart, WitnessInput, WitnessTarget, sizes};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::hypothesis::witness::SCALED;
use crate::kernel::{Engine, cost};
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::view::method_rows;
use crate::request::bounds::{FEATURES, FIGURE, Field, WIDTH_OR_NONE};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

/// Coordinates that the bias plot is expected to compare people in, before groups are looked at.
const USUAL_COORDINATES: usize = 6;

impl Analysis for BiasPlotRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("features", FEATURES), ("gamma", WIDTH_OR_NONE), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let n = method_rows(of.run, self.method.as_deref())?.rows.len();
        let (sources, queries) = sizes(n, USUAL_COORDINATES, false);
        let request = Self { width: None, ..self.clone() };
        let mut plan = of.plan();
        let step = ChooseCovariates { data: DATA, run: REPORT, request: request.clone() };
        let input = plan.push(step, n as f64 * 1e-3, "similarity");
        let total = 2.0 * cost(Engine::Blocks, SCALED, queries, sources, USUAL_COORDINATES, false);
        let share = Share { asked: WitnessTarget::Rows, queries, total };
        let parts = share.push(&mut plan, input, "local error by row");
        let step = CompareBias { data: DATA, run: REPORT, input, parts, request };
        let found = plan.push(step, n as f64 * 1e-3, "local error by group");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Rows and kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChooseCovariates {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: BiasPlotRequest,
}

impl Step for ChooseCovariates {
    type Output = WitnessInput;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<WitnessInput> {
        input(at.the(&self.data)?, at.the(&self.run)?, &self.request)
    }
}

/// Panels and words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareBias {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    input: Handle<WitnessInput>,
    parts: Vec<Handle<BiasPart>>,
    request: BiasPlotRequest,
}

impl Step for CompareBias {
    type Output = BiasWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<BiasWithoutCharts> {
        let data = at.the(&self.data)?;
        let (run, input, parts) = (at.the(&self.run)?, at.the(&self.input)?, at.each(&self.parts)?);
        let mut found = outcome(data, run, input, &self.request, &parts)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
