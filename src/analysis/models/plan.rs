//! Each model scored in the same way on its own rows; then those of the same rows drawn again together, in parts.

use serde::{Deserialize, Serialize};

use super::cohort::{Cohort, PairModels};
use super::describe::{DescribeModel, ModelDescription, reported_columns};
use super::measures::{DrawModels, ModelDraws};
use super::{ModelsRequest, ModelsWithoutCharts, OfCohort, Scorings, models};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::data::grouping::{QUANTILES, grouping};
use crate::error::Result;
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Method;
use crate::evaluation::resample::default_resamples;
use crate::evaluation::scored::Scored;
use crate::metric::accuracy::ACCURACY;
use crate::metric::bias_index::{BIAS_INDEX, BIAS_Z, FAIR_P};
use crate::metric::ece::ECE;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{DRAWS, FIGURE, Field, SEED};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step, other_data};
use crate::run::plan::cost::{parts, ranges};
use crate::run::plan::files::{FileMeasures, Files};
use crate::run::plan::repeats;

/// The first model is that of the last run, whose settings hold for the others, too.
impl Analysis for ModelsRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("resamples", DRAWS), ("seed", SEED), ("width", FIGURE)];

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

        let asked =
            FileMeasures { methods: &methods, metrics: &metrics, groups: run.report.settings.groups.as_deref() };
        let mut plan = of.plan();
        let measured = files.push_metrics(&mut plan, run, &asked)?;
        let as_they_are: Vec<Handle<Scored>> = measured.iter().filter_map(|once| Some(once.first()?.scored)).collect();
        let drawn = measured.into_iter().map(|once| once.into_iter().map(|one| one.drawn).collect()).collect();
        let cohort = match of.others {
            [] => None,
            _ => Some(push_cohort(&mut plan, of, &mut request, (&files.names, as_they_are))?),
        };
        let step = CompareModels { data: DATA, run: REPORT, methods, models: files.names, drawn, cohort, request };
        let found = plan.push(step, 1.0, "comparing models");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Milliseconds that one row of one model takes in one draw.
const ROW_MS: f64 = 6e-5;

/// Finds the models of the same rows, draws these again in parts, and looks at each of them.
///
/// # Errors
/// Those of the columns of groups.
fn push_cohort(
    plan: &mut Plan,
    of: &LastRun,
    request: &mut ModelsRequest,
    (names, scored): (&[String], Vec<Handle<Scored>>),
) -> Result<CohortSteps> {
    let settings = &of.run.report.settings;
    let (n, count) = (of.data.rows as f64, names.len());
    let seed = *request.seed.get_or_insert(settings.seed);
    let resamples = *request.resamples.get_or_insert(default_resamples(of.data.rows));
    let groups = reported_columns(of.data, request.groups.as_deref());
    for column in &groups {
        grouping(of.data, std::slice::from_ref(column), QUANTILES)?;
    }
    request.groups = Some(groups.clone());
    let data = std::iter::once(DATA).chain((0..of.others.len()).map(other_data)).collect();
    let pair = PairModels { names: names.to_vec(), data, scored };
    let cohort = plan.push(pair, n * count as f64 * 4e-4, "matching models by row");
    let bins = settings.bins;
    let per_draw = n * count as f64 * ROW_MS;
    let (draw_parts, cost) = parts(resamples, per_draw);
    let draws = ranges(resamples, draw_parts).map(|(first, last)| {
        plan.push(DrawModels { cohort, bins, seed, first, last }, cost, "intervals of the models")
    });
    let draws = draws.collect();
    let look = |(model, name): (usize, &String)| {
        let step = DescribeModel::new(cohort, model, bins, groups.clone(), seed);
        plan.push(step, 60.0 + n * 1e-3, &format!("curve and groups of {name}"))
    };
    Ok(CohortSteps { cohort, draws, looks: names.iter().enumerate().map(look).collect() })
}

/// What was found about the models of the same rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CohortSteps {
    cohort: Handle<Cohort>,
    draws: Vec<Handle<ModelDraws>>,
    /// by model
    looks: Vec<Handle<ModelDescription>>,
}

/// The models beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareModels {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    /// `none` first
    methods: Vec<Method>,
    /// their names, that of the last run first
    models: Vec<String>,
    /// by model, then by method
    drawn: Vec<Vec<Handle<Drawn>>>,
    /// none where there is but one model
    cohort: Option<CohortSteps>,
    /// the request, with defaults
    request: ModelsRequest,
}

impl Step for CompareModels {
    type Output = ModelsWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ModelsWithoutCharts> {
        let parts = self.drawn.iter().map(|methods| at.each(methods)).collect::<Result<_>>()?;
        let cohort = match &self.cohort {
            Some(steps) => Some(OfCohort {
                cohort: at.the(&steps.cohort)?,
                draws: at.each(&steps.draws)?,
                looks: at.each(&steps.looks)?,
            }),
            None => None,
        };
        let scorings = Scorings { methods: &self.methods, models: &self.models, parts, cohort };
        models(at.the(&self.data)?, at.the(&self.run)?, &self.request, &scorings).map(WithoutCharts)
    }
}
