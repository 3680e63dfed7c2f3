//! The jobs of a comparison: for each repeat, divide, fit and score every method, then paired replicates in parts.

use super::Plan;
use super::cost::{parts, ranges};
use super::repeats::{self, Repeats, Scoring};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::comparison::{compared, looks_at_classes};
use crate::evaluation::pair;
use crate::evaluation::resample::{default_resamples, needs_vectors};
use crate::job::request::CompareRequest;
use crate::job::{Job, Node};
use crate::metric::brier::BRIER;
use crate::metric::ece::ECE;
use crate::metric::entry::{Metric, Needs};
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::compare::CompareInputs;

/// Metrics by default: two proper scores and the error that the papers report.
const METRICS: [&Metric; 3] = [&NLL, &BRIER, &ECE];
/// Milliseconds that the replicates of all methods may take.
const DRAWS_MS: f64 = 20_000.0;
/// And how many there are at least.
const LEAST: usize = 200;

/// The jobs, ending in the comparison.
///
/// # Errors
/// `unknown_method`, `unknown_metric`, `unknown_column`; `invalid_option` for a metric that cannot be compared, and for
/// repeats that the file leaves no room for.
pub(super) fn plan(data: &Predictions, run: &RunOutcome, request: &CompareRequest) -> Result<Vec<Node>> {
    let settings = &run.report.settings;
    let mut request = request.clone();
    let metrics = checked_metrics(request.metrics.take())?;
    let seed = *request.seed.get_or_insert(settings.seed);
    let methods = repeats::methods(run, request.methods.as_deref())?;
    if methods.len() == 1 {
        return Err(Error::new(
            "unknown_method",
            "The last run holds 0 methods to compare with `none`.",
            "Run some first: methods: [\"none\", \"temperature\", \"platt\"].",
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

    let mut nodes = Plan::after(2);
    let mut needs = vec![0, 1];
    let scoring = Scoring {
        methods: &methods,
        bins: settings.bins,
        metrics: metrics.iter().cloned().collect(),
        groups: Vec::new(),
        near: repeats::near(data, run, &metrics)?,
    };
    for once in repeats.push(&mut nodes, data, &scoring) {
        for (first, last) in ranges(resamples, draw_parts.max(1)) {
            let job = Job::Draw { bins: settings.bins, metrics: metrics.clone(), seed, first, last };
            let label = format!("intervals of {}", once.name);
            needs.push(nodes.push(job, &[0, once.split, once.scored], draw_cost, &label));
        }
    }
    let inputs = CompareInputs { asked: None, methods, repeats: count, parts: draw_parts.max(1) };
    let cost = (resamples * count) as f64 * 1e-3;
    nodes.push(Job::Compare { request, inputs }, &needs, cost, "comparing");
    Ok(nodes.nodes)
}

fn checked_metrics(asked: Option<Vec<String>>) -> Result<Vec<String>> {
    let usual = || METRICS.map(|metric| metric.id.to_owned()).to_vec();
    let asked = asked.filter(|asked| !asked.is_empty());
    let mut metrics: Vec<String> = Vec::new();
    for id in asked.unwrap_or_else(usual) {
        let near = registry::of_need(Needs::Proximity).into_iter().map(|metric| metric.id);
        let offered: Vec<&str> = compared().chain(near).collect();
        if !offered.contains(&id.as_str()) {
            registry::requested(Some(std::slice::from_ref(&id)))?;
            return Err(Error::new(
                "invalid_option",
                format!("Methods are not compared by `{id}`."),
                format!("Compared are: {}.", offered.join(", ")),
            ));
        }
        if !metrics.contains(&id) {
            metrics.push(id);
        }
    }
    Ok(metrics)
}
