//! Places first, then rows and field in parts, then map and words.

use serde::{Deserialize, Serialize};

use super::{
    BiasPart, BiasParts, CHANCE_DRAWS, GRID, WitnessInput, WitnessRequest, WitnessTarget, WitnessWithoutCharts,
    WitnessWork, chance, input, outcome, sizes, work,
};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::width_of;
use crate::hypothesis::witness::SCALED;
use crate::kernel::{Engine, cost};
use crate::local::TOGETHER;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::report::view::method_rows;
use crate::request::bounds::{AXES, DPR, FEATURES, FIGURE, Field, WIDTH, WIDTH_OR_NONE, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::parts;

impl Analysis for WitnessRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("features", FEATURES),
        ("width_p", WIDTH),
        ("gamma", WIDTH_OR_NONE),
        ("axes", AXES),
        ("at", real(0.0, 1.0)),
        ("width", FIGURE),
        ("dpr", DPR),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let choice = feature_choice(of.data, of.run, self.features.as_ref())?;
        let n = method_rows(of.run, self.method.as_deref())?.rows.len();
        let d = width_of(of.data, &choice);
        let (sources, queried) = sizes(n, d, self.leave_one_out);
        let request = Self { width: None, dpr: None, dark: false, ..self.clone() };
        let mut plan = of.plan();
        let step = ChooseRows { data: DATA, run: REPORT, request: request.clone() };
        let input = plan.push(step, n as f64 * 1e-3, "similarity");
        // Bias and standard error: two passes.
        let twice = |queries, d| 2.0 * cost(Engine::Blocks, SCALED, queries, sources, d, false);
        let rows = Share { asked: WitnessTarget::Rows, queries: queried, total: twice(queried, d + 1) };
        let rows = rows.push(&mut plan, input, "local error by row");
        let field = Share { asked: WitnessTarget::Field, queries: GRID * GRID, total: twice(GRID * GRID, 2) };
        let field = field.push(&mut plan, input, "local error by place");
        let draws = CHANCE_DRAWS.div_ceil(TOGETHER);
        let chance = Share { asked: WitnessTarget::Chance, queries: draws, total: chance(sources, d).1 };
        let chance = chance.push(&mut plan, input, "null distribution");
        let step = WriteWitness { data: DATA, run: REPORT, input, rows, field, chance, request };
        let found = plan.push(step, n as f64 * 5e-3, "subgroups");
        let screen = Screen { width: self.width, dpr: self.dpr, dark: self.dark };
        show(&mut plan, found, screen, DRAWING_MS + sources as f64 * 2e-4);
        Ok(plan)
    }
}

/// Work of one kind, dealt to parts.
pub(in crate::analysis) struct Share {
    /// what it is about
    pub(in crate::analysis) asked: WitnessTarget,
    /// rows, places or draws
    pub(in crate::analysis) queries: usize,
    /// expected milliseconds of all of it
    pub(in crate::analysis) total: f64,
}

impl Share {
    /// Pushes the parts.
    pub(in crate::analysis) fn push(
        self,
        plan: &mut Plan,
        input: Handle<WitnessInput>,
        label: &str,
    ) -> Vec<Handle<BiasPart>> {
        let (of, cost) = parts(self.queries, self.total / self.queries.max(1) as f64);
        let part = |index| EstimateBias { input, part: WitnessWork { asked: self.asked, index, of } };
        (0..of).map(|index| plan.push(part(index), cost, label)).collect()
    }
}

/// Rows and kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChooseRows {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: WitnessRequest,
}

impl Step for ChooseRows {
    type Output = WitnessInput;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<WitnessInput> {
        input(at.the(&self.data)?, at.the(&self.run)?, &self.request)
    }
}

/// The bias of some rows or places, or some draws of chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimateBias {
    input: Handle<WitnessInput>,
    part: WitnessWork,
}

impl Step for EstimateBias {
    type Output = BiasPart;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<BiasPart> {
        work(at.the(&self.input)?, self.part).map(|found| BiasPart::of(&found))
    }
}

/// Map and words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteWitness {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    input: Handle<WitnessInput>,
    rows: Vec<Handle<BiasPart>>,
    field: Vec<Handle<BiasPart>>,
    chance: Vec<Handle<BiasPart>>,
    request: WitnessRequest,
}

impl Step for WriteWitness {
    type Output = WitnessWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<WitnessWithoutCharts> {
        let data = at.the(&self.data)?;
        let parts =
            BiasParts { rows: at.each(&self.rows)?, field: at.each(&self.field)?, chance: at.each(&self.chance)? };
        let mut found = outcome(data, at.the(&self.run)?, at.the(&self.input)?, &self.request, &parts)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
