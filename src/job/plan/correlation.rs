//! The jobs of a correlation: every method scored in every repeat, what its metrics were, and how they go together.

use super::Plan;
use super::files::{Asked, Files};
use super::repeats::{self, Repeats, Scoring};
use crate::data::Predictions;
use crate::data::grouping;
use crate::error::{Error, Result};
use crate::evaluation::group_error::columns_of;
use crate::job::request::CorrelationRequest;
use crate::job::{Job, Node};
use crate::metric::brier::BRIER;
use crate::metric::ece::{ECE, MCE};
use crate::metric::entry::{Metric, Needs};
use crate::metric::group::GROUP_MCE_MAX;
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::compare::CompareInputs;

/// Metrics by default, beside those of the local error.
const METRICS: [&Metric; 4] = [&ECE, &MCE, &NLL, &BRIER];
/// What they are held against.
const AGAINST: &Metric = &GROUP_MCE_MAX;
/// Divisions of the rows.
const REPEATS: usize = 20;

/// The jobs, ending in the correlations. With `others`, each file is one repeat, divided once,
/// whatever number was asked for.
///
/// # Errors
/// `groups_missing`, `unknown_method`, `unknown_metric`, `unknown_column`; `invalid_option` for a metric that is not
/// computed anew in every repeat, for repeats that the file leaves no room for, and for a column of repeats within several files; those
/// of [`Files`].
pub(super) fn plan(
    data: &Predictions,
    run: &RunOutcome,
    others: &[&Predictions],
    request: &CorrelationRequest,
) -> Result<Vec<Node>> {
    let settings = &run.report.settings;
    let mut request = request.clone();
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

    let (mut nodes, found) = if others.is_empty() {
        let repeats = Repeats::new(data, request.by.take(), request.repeats, REPEATS, seed)?;
        (request.by, request.repeats) = (repeats.by.clone(), Some(repeats.count()));
        let scoring = Scoring {
            methods: &methods,
            bins: settings.bins,
            metrics: wanted.iter().cloned().collect(),
            groups,
            near: repeats::near(data, run, &wanted)?,
        };
        let mut nodes = Plan::after(2);
        let found = repeats.push_metrics(&mut nodes, data, run, &scoring, &wanted)?;
        (nodes, found)
    } else {
        if request.by.is_some() {
            return Err(Error::new(
                "invalid_option",
                "With several files, each of them is one repeat.",
                "Leave out `by`, or `others`.",
            ));
        }
        let files = Files::new(data, others, request.names.take())?;
        let asked = Asked { methods: &methods, metrics: &wanted, groups: request.groups.as_deref() };
        let parts = files.push_metrics(run, &asked)?;
        (request.repeats, request.names) = (Some(files.count()), Some(files.names));
        parts
    };
    let needs: Vec<usize> = [0, 1].into_iter().chain(found).collect();
    let inputs = CompareInputs {
        asked: asked.filter(|asked| request.repeats != Some(*asked)),
        methods,
        repeats: request.repeats.unwrap_or(1),
        parts: 1,
    };
    nodes.push(Job::Correlate { request, inputs }, &needs, 1.0, "correlating");
    Ok(nodes.nodes)
}

fn checked(asked: Option<Vec<String>>, against: &str, local: bool) -> Result<Vec<String>> {
    let asked = asked.filter(|asked| !asked.is_empty()).unwrap_or_else(|| {
        let local = registry::of_need(Needs::Neighbourhoods).into_iter().filter(|_| local);
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
    if !found.is_empty() || !registry::any_needs(wanted, Needs::Groups) {
        return Ok(found);
    }
    let first = grouping::group_columns(data).into_iter().next();
    first.map(|name| vec![name]).ok_or_else(|| {
        Error::new(
            "groups_missing",
            "No column says which group a row belongs to.",
            "Open the file with a column of categories, or give one the role group.",
        )
    })
}
