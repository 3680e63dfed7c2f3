//! Each model scored in the same way on its own rows, and what became of it.

use serde::{Deserialize, Serialize};

use super::{ModelsRequest, Scorings, UndrawnModels, models};
use crate::analysis::show::{DRAWING_MS, Undrawn, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Method;
use crate::metric::accuracy::ACCURACY;
use crate::metric::bias_index::{BIAS_INDEX, BIAS_Z, FAIR_P};
use crate::metric::ece::ECE;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};
use crate::run::plan::files::{Asked, Files};
use crate::run::plan::repeats;

/// The first model is that of the last run, whose settings hold for the others, too.
impl Analysis for ModelsRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let (data, run) = (of.data, of.run);
        let mut request = Self { width: None, ..self.clone() };
        let files = Files::new(data, of.others, request.names.take())?;
        let usual = if files.has_proximity(run) { BIAS_INDEX.id } else { ECE.id };
        request.x.get_or_insert_with(|| ACCURACY.id.to_owned());
        request.y.get_or_insert_with(|| usual.to_owned());
        let mut metrics: Vec<String> = [&request.x, &request.y].into_iter().flatten().cloned().collect();
        if metrics.iter().any(|id| id == BIAS_INDEX.id) {
            metrics.push(BIAS_Z.id.to_owned());
        }
        repeats::computed(&metrics)?;
        if metrics.iter().any(|id| id == BIAS_INDEX.id) {
            metrics.push(FAIR_P.id.to_owned());
        }
        let methods = repeats::methods(run, request.methods.as_deref())?;
        request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());
        request.names = Some(files.names.clone());

        let asked = Asked { methods: &methods, metrics: &metrics, groups: run.report.settings.groups.as_deref() };
        let mut plan = of.plan();
        let drawn = files.push_metrics(&mut plan, run, &asked)?;
        let step = CompareModels { data: DATA, run: REPORT, methods, models: files.names, drawn, request };
        let found = plan.push(step, 1.0, "comparing models");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// The models beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareModels {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    /// `none` first
    methods: Vec<Method>,
    /// their names, that of the last run first
    models: Vec<String>,
    /// by model, then by method
    drawn: Vec<Vec<Need<Drawn>>>,
    /// what was asked, defaults filled in
    request: ModelsRequest,
}

impl Step for CompareModels {
    type Found = UndrawnModels;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<UndrawnModels> {
        let parts = self.drawn.iter().map(|methods| at.each(methods)).collect::<Result<_>>()?;
        let scorings = Scorings { methods: &self.methods, models: &self.models, parts };
        models(at.the(&self.data)?.view, at.the(&self.run)?, &self.request, &scorings).map(Undrawn)
    }
}
