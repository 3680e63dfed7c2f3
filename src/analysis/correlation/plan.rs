//! Every method scored in every repeat, what its metrics were, and how they go together.

use serde::{Deserialize, Serialize};

use super::{CorrelationRequest, CorrelationWithoutCharts, Scorings, correlation};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::{Predictions, grouping};
use crate::error::{Error, Result, phrases};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::group_error::columns_of;
use crate::evaluation::method::Method;
use crate::metric::brier::BRIER;
use crate::metric::ece::{ECE, MCE};
use crate::metric::entry::{Metric, MetricRequirement};
use crate::metric::group::GROUP_MCE_MAX_SUPPORTED;
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, REPEATS, SEED};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::files::{FileMeasures, Files};
use crate::run::plan::repeats::{self, Repeats, Scoring};

/// Metrics by default, beside those of the local error.
const METRICS: [&Metric; 4] = [&ECE, &MCE, &NLL, &BRIER];
/// What they are held against.
const AGAINST: &Metric = &GROUP_MCE_MAX_SUPPORTED;
/// Divisions of the rows.
const DIVISIONS: usize = 20;

/// With other data sets, each file is one repeat, divided once, whatever number was asked for.
impl Analysis for CorrelationRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("repeats", REPEATS), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let (data, run) = (of.data, of.run);
        let settings = &run.report.settings;
        let mut request = Self { width: None, ..self.clone() };
        let asked = request.repeats;
        let seed = *request.seed.get_or_insert(settings.seed);
        let against = request.against.get_or_insert_with(|| AGAINST.id.to_owned());
        let against = against.clone();
        let metrics = checked(request.metrics.take(), &against, settings.local.is_some())?;
        let methods = repeats::methods(run, request.methods.as_deref())?;
        request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());
        request.metrics = Some(metrics.clone());
        let mut wanted = metrics;
        wanted.push(against);
        let named = request.groups.take().or_else(|| settings.groups.clone());
        let groups = groups(data, named, &wanted)?;
        request.groups = (!groups.is_empty()).then(|| groups.clone());

        let mut plan = of.plan();
        let drawn = if of.others.is_empty() {
            let repeats = Repeats::new(data, request.by.take(), request.repeats, DIVISIONS, seed)?;
            (request.by, request.repeats) = (repeats.by.clone(), Some(repeats.count()));
            let scoring = Scoring {
                methods: &methods,
                bins: settings.bins,
                metrics: wanted.iter().cloned().collect(),
                groups,
                near: repeats::proximity_options(data, run, &wanted)?,
            };
            repeats.push_metrics(&mut plan, (DATA, data), run, &scoring, &wanted)?
        } else {
            if request.by.is_some() {
                return Err(Error::new(
                    "invalid_option",
                    "With several files, each of them is one repeat.",
                    phrases::BY_OR_OTHERS,
                ));
            }
            let files = Files::new(data, of.others, request.names.take())?;
            let asked = FileMeasures { methods: &methods, metrics: &wanted, groups: request.groups.as_deref() };
            let drawn = files.push_metrics(&mut plan, run, &asked)?;
            (request.repeats, request.names) = (Some(files.count()), Some(files.names));
            drawn
        };
        let asked = asked.filter(|asked| request.repeats != Some(*asked));
        let drawn = drawn.into_iter().map(|once| once.into_iter().map(|one| one.drawn).collect()).collect();
        let step = Correlate { data: DATA, run: REPORT, methods, asked, drawn, request };
        let found = plan.push(step, 1.0, "correlating");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// How metrics go together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correlate {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    /// `none` first
    methods: Vec<Method>,
    /// how many repeats were asked for, where that is not what was made
    asked: Option<usize>,
    /// by repeat, then by method
    drawn: Vec<Vec<Handle<Drawn>>>,
    /// the request, with defaults
    request: CorrelationRequest,
}

impl Step for Correlate {
    type Output = CorrelationWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<CorrelationWithoutCharts> {
        let parts = self.drawn.iter().map(|methods| at.each(methods)).collect::<Result<_>>()?;
        let scorings = Scorings { methods: &self.methods, asked: self.asked, parts };
        correlation(at.the(&self.data)?, at.the(&self.run)?, &self.request, &scorings).map(WithoutCharts)
    }
}

fn checked(asked: Option<Vec<String>>, against: &str, local: bool) -> Result<Vec<String>> {
    let asked = asked.filter(|asked| !asked.is_empty()).unwrap_or_else(|| {
        let local = registry::requiring(MetricRequirement::Neighbourhoods).into_iter().filter(|_| local);
        METRICS.into_iter().chain(local).map(|metric| metric.id.to_owned()).collect()
    });
    let mut metrics: Vec<String> = Vec::new();
    for id in asked {
        if id != against && !metrics.contains(&id) {
            metrics.push(id);
        }
    }
    repeats::computed(&metrics)?;
    repeats::computed(&[against.to_owned()])?;
    Ok(metrics)
}

/// The columns of groups: named, else those of the role group, else the first that can be.
fn groups(data: &Predictions, named: Option<Vec<String>>, wanted: &[String]) -> Result<Vec<String>> {
    let found = columns_of(data, named.as_deref(), wanted)?;
    if !found.is_empty() || !registry::any_requires(wanted, MetricRequirement::Groups) {
        return Ok(found);
    }
    let first = grouping::group_columns(data).into_iter().next();
    first.map(|name| vec![name]).ok_or_else(|| Error::new("groups_missing", "No group column.", phrases::GROUP_NEEDED))
}
