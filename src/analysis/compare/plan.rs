//! For each repeat, divide, fit and score every method, then paired replicates in parts; then the comparison.

use serde::{Deserialize, Serialize};

use super::{CompareOutcome, CompareRequest, Drawings, compare};
use crate::analysis::{Analysis, LastRun};
use crate::data::pair;
use crate::error::{Error, Result, phrases};
use crate::evaluation::comparison::{Drawn, compared, looks_at_classes};
use crate::evaluation::method::Method;
use crate::evaluation::resample::{default_resamples, needs_vectors};
use crate::metric::brier::BRIER;
use crate::metric::ece::ECE;
use crate::metric::entry::{Metric, MetricRequirement};
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::request::bounds::{DRAWS, FIGURE, Field, REPEATS, SEED};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::{parts, ranges};
use crate::run::plan::repeats::{self, Repeats, ScoredOnce, Scoring};
use crate::run::step::Draw;

/// Metrics by default: two proper scores and the error that the papers report.
const METRICS: [&Metric; 3] = [&NLL, &BRIER, &ECE];
/// Milliseconds that the replicates of all methods may take.
const DRAWS_MS: f64 = 20_000.0;
/// And how many there are at least.
const LEAST: usize = 200;

impl Analysis for CompareRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("repeats", REPEATS), ("seed", SEED), ("resamples", DRAWS), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let (data, run) = (of.data, of.run);
        let settings = &run.report.settings;
        // There are no figures.
        let mut request = Self { width: None, ..self.clone() };
        let metrics = checked_metrics(request.metrics.take())?;
        let seed = *request.seed.get_or_insert(settings.seed);
        let methods = repeats::methods(run, request.methods.as_deref())?;
        if methods.len() == 1 {
            return Err(Error::new(
                "unknown_method",
                "The last run has no methods to compare with `none`.",
                phrases::RUN_SOME_FIRST,
            ));
        }
        let repeats = Repeats::new(data, request.by.take(), request.repeats, 1, seed)?;
        let count = repeats.count();
        (request.by, request.repeats) = (repeats.by.clone(), Some(count));
        request.metrics = Some(metrics.clone());
        request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());

        let n = data.rows as f64;
        // The bootstrap takes about half of what bootstrap and floor take together in a run.
        let classwise = needs_vectors(data) && looks_at_classes(&metrics);
        let m = if classwise { pair::classes(data) as f64 } else { 0.0 };
        let per_draw = n * (6e-6 + 1.5e-6 * m);
        let affordable = DRAWS_MS / (per_draw * (count * methods.len()) as f64).max(1e-9);
        let usual = default_resamples(data.rows).min((affordable as usize).max(LEAST));
        let resamples = *request.resamples.get_or_insert(usual);
        let (draw_parts, draw_cost) = parts(resamples, per_draw);
        let scoring = Scoring {
            methods: &methods,
            bins: settings.bins,
            metrics: metrics.iter().cloned().collect(),
            groups: Vec::new(),
            near: repeats::proximity_options(data, run, &metrics)?,
        };
        let mut plan = of.plan();
        let mut drawn = Vec::with_capacity(count);
        for repeat in repeats.push(&mut plan, (DATA, data), &scoring) {
            let mut of_repeat = Vec::with_capacity(methods.len());
            for ScoredOnce { split, scored, whose } in repeat {
                let label = format!("intervals of {whose}");
                let each = ranges(resamples, draw_parts.max(1)).map(|(first, last)| {
                    let (bins, metrics) = (settings.bins, metrics.clone());
                    let step = Draw { data: DATA, split, scored, local: Vec::new(), bins, metrics, seed, first, last };
                    plan.push(step, draw_cost, &label)
                });
                of_repeat.push(each.collect());
            }
            drawn.push(of_repeat);
        }
        let cost = (resamples * count) as f64 * 1e-3;
        plan.push(Compare { run: REPORT, methods, drawn, request }, cost, "comparing");
        Ok(plan)
    }
}

/// Methods against each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    run: Handle<RunOutcome>,
    /// `none` first
    methods: Vec<Method>,
    /// by repeat, by method, then by part of the replicates
    drawn: Vec<Vec<Vec<Handle<Drawn>>>>,
    /// the request, with defaults
    request: CompareRequest,
}

impl Step for Compare {
    type Output = CompareOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<CompareOutcome> {
        let repeat = |methods: &Vec<Vec<Handle<Drawn>>>| methods.iter().map(|parts| at.each(parts)).collect();
        let parts = self.drawn.iter().map(repeat).collect::<Result<_>>()?;
        compare(at.the(&self.run)?, &self.request, &Drawings { methods: &self.methods, parts })
    }
}

fn checked_metrics(asked: Option<Vec<String>>) -> Result<Vec<String>> {
    let usual = || METRICS.map(|metric| metric.id.to_owned()).to_vec();
    let asked = asked.filter(|asked| !asked.is_empty());
    let mut metrics: Vec<String> = Vec::new();
    for id in asked.unwrap_or_else(usual) {
        let near = registry::requiring(MetricRequirement::Proximity).into_iter().map(|metric| metric.id);
        let offered: Vec<&str> = compared().chain(near).collect();
        if !offered.contains(&id.as_str()) {
            registry::requested(Some(std::slice::from_ref(&id)))?;
            return Err(Error::new(
                "invalid_option",
                format!("Methods cannot be compared by `{id}`."),
                format!("Available: {}.", offered.join(", ")),
            ));
        }
        if !metrics.contains(&id) {
            metrics.push(id);
        }
    }
    Ok(metrics)
}
