//! From a request to a list of jobs.

use super::graph::{DATA, Handle, Plan};
use super::step::{Divide, LocalError};
use crate::data::folds::Split;
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{Division, Predictions, pair};
use crate::error::{Error, Result, phrases};
use crate::evaluation::local::LocalRows;
use crate::evaluation::method::{Method, MethodKind, MethodSpec};
use crate::evaluation::request::{EvaluateOn, LocalOptions, RunRequest};
use crate::evaluation::resample::default_resamples;
use crate::evaluation::scored::Scored;
use crate::evaluation::{group_error, on_request};
use crate::feature::{self, Within};
use crate::kernel::Kernel;
use crate::metric::entry::MetricRequirement;
use crate::metric::registry;
use cost::{local_parts, ranges};
use method_steps::MethodSteps;
use methods::methods;
use reports::Reports;

pub(crate) mod cost;
pub(crate) mod files;
pub(crate) mod klce;
mod memory;
mod method_steps;
pub(crate) mod methods;
pub(crate) mod proximity;
pub(crate) mod repeats;
mod reports;

pub use cost::local_cost;

pub use crate::project::DEFAULT_GAMMA;

/// The jobs of a run, ending in the report.
///
/// # Errors
/// `unknown_metric`, `unknown_method`, `invalid_option`, `unknown_column`, `label_missing`, `score_missing`, `too_large`.
pub fn plan(data: &Predictions, request: &RunRequest) -> Result<Plan> {
    check_counts(data, request)?;
    let mut request = request.clone();
    request.metrics = Some(registry::requested(request.metrics.as_deref())?);
    request.bins = request.bins.validated()?;
    request.methods.get_or_insert_with(|| vec![MethodSpec::Id("none".to_owned())]);
    request.local = request.local.map(|local| local_settings(data, local, &request.bins)).transpose()?;
    let methods = methods(data, &request)?;
    if let Some(title) = methods.iter().find_map(|method| method.kind.needs_rows()) {
        data.with_rows(&title)?;
    }
    // Settings of neighborhoods serve maps and other answers, too: the run looks at them for its own metrics alone.
    let asked = request.metrics.as_deref().unwrap_or_default();
    let local = request.local.clone().filter(|_| registry::any_requires(asked, MetricRequirement::Neighbourhoods));
    memory::check(data, methods.len(), local.is_some())?;
    let near = proximity::settings(data, &mut request)?;
    let groups = groups(data, &mut request)?;
    pair::scores(data)?;
    pair::targets(data)?;

    let n = data.rows;
    let mut nodes = Plan::of_run();
    let divide = |everything| Divide { data: DATA, seed: request.seed, everything };
    // counts are divided where something is fitted: each then stands for several parts
    let undivided = data.is_counted() && data.divided_into_folds() && !request.recalibrates();
    let split = nodes.push(divide(undivided), n as f64 * 5e-5, "splitting the rows");
    let all = match request.evaluate_on {
        EvaluateOn::Evaluation => split,
        EvaluateOn::All if data.is_counted() && data.divided_into_folds() => split,
        EvaluateOn::All => nodes.push(divide(true), 1.0, "splitting the rows"),
    };
    let folds = if let Division::Folds { folds } = data.division { folds } else { 1 };
    let resamples = request.resamples.unwrap_or_else(|| default_resamples(n));
    request.resamples = Some(resamples);

    let named = request.metrics.iter().flatten();
    let on_request: Vec<String> = named.filter(|id| on_request::is_on_request(id)).cloned().collect();

    let local_work = local.as_ref().map(|local| local_parts(data, local)).transpose()?;

    let tested = klce::settings(data, &mut request)?;
    let mut searches = proximity::Searches::default();
    let resampled = on_request::resampled(&on_request, near.is_some(), !groups.is_empty());
    let mut reports = Reports::new(&request, &methods, split, n as f64 * 1e-4);
    // Where `none` is scored on every row and others are not, they are compared on the rows that all have: it is scored twice.
    let whole = matches!(data.division, Division::Folds { .. });
    let beside = methods.iter().any(|method| method.kind != MethodKind::NONE);
    let twice = request.evaluate_on == EvaluateOn::All && !whole && beside;
    let mut jobs: Vec<(Method, bool)> = Vec::with_capacity(methods.len() + 1);
    for method in methods {
        if twice && method.kind == MethodKind::NONE {
            jobs.push((method.clone(), true));
        }
        jobs.push((method, false));
    }
    let steps = MethodSteps {
        data,
        request: &request,
        split,
        all,
        folds,
        resamples,
        on_request: &on_request,
        resampled: &resampled,
        groups: &groups,
        near: near.as_ref(),
        local: local.as_ref().zip(local_work),
        tested: tested.as_ref(),
    };
    for (method, common) in jobs {
        let found = steps.push(&mut nodes, &mut searches, method, common);
        match common && found.reason.is_none() {
            true => reports.common(found),
            false => reports.add(&mut nodes, found),
        }
    }
    reports.last(&mut nodes);
    Ok(nodes)
}

/// The parts of a local error, of the data set, its division and the scores in it; `counted`: with effective neighbors.
pub(crate) fn local_error(
    nodes: &mut Plan,
    (local, counted): (&LocalOptions, bool),
    (parts, cost): (usize, f64),
    (data, split, scored): (Handle<Predictions>, Handle<Split>, Handle<Scored>),
    whose: &str,
) -> Vec<Handle<LocalRows>> {
    let each = (0..parts).map(|part| {
        let step = LocalError { data, split, scored, local: local.clone(), counted, part, parts };
        nodes.push(step, cost, &format!("local error of {whose}"))
    });
    each.collect()
}

/// Refuses what cannot be computed from counts: metrics of neighbors, groups or tests.
fn check_counts(data: &Predictions, request: &RunRequest) -> Result<()> {
    if request.local.is_some() || request.klce.is_some() || request.proximity.is_some() {
        data.with_rows("A metric of similar rows")?;
    }
    // of the others the report states why they have no value
    let searched = |id: &&String| {
        let needs = registry::metric(id).map(|metric| metric.value.needs());
        matches!(needs, Some(MetricRequirement::Proximity | MetricRequirement::Covariates))
    };
    match request.metrics.iter().flatten().find(searched) {
        Some(id) => data.with_rows(registry::metric(id).map_or("The metric", |metric| metric.name)),
        None => Ok(()),
    }
}

/// The columns of the metrics of groups; the request then holds them too.
fn groups(data: &Predictions, request: &mut RunRequest) -> Result<Vec<String>> {
    let metrics = request.metrics.as_deref().unwrap_or_default();
    if let Some(named) = request.groups.as_deref().filter(|named| !named.is_empty()) {
        // a misspelled name is one where no metric looks at it, too
        grouping(data, named, QUANTILES).err().filter(|error| error.code() == "unknown_column").map_or(Ok(()), Err)?;
    }
    let found = group_error::columns_of(data, request.groups.as_deref(), metrics)?;
    if !found.is_empty() {
        request.groups = Some(found.clone());
    }
    Ok(found)
}

/// Fills in every default of the local settings.
pub fn local_settings(
    data: &Predictions,
    local: LocalOptions,
    bins: &crate::metric::binning::BinOptions,
) -> Result<LocalOptions> {
    let bins = local.bins.unwrap_or(*bins);
    bins.validated()?;
    let features = local.features.or_else(|| feature::default_choice(data));
    if let Some(choice) = &features {
        feature::check(data, choice)?;
    }
    Within::new(data, local.within.as_deref())?;
    let settings = LocalOptions {
        features,
        kernel: Some(local.kernel.unwrap_or_else(|| "laplacian".to_owned())),
        gamma: Some(local.gamma.unwrap_or(DEFAULT_GAMMA)),
        bins: Some(bins),
        ..local
    };
    kernel(&settings)?;
    if settings.features.is_none() {
        return Err(Error::new(
            "features_missing",
            "Local calibration needs feature columns, which define similarity.",
            phrases::FEATURES_FOR_ALL,
        ));
    }
    Ok(settings)
}

/// The kernel that local settings name.
///
/// # Errors
/// `invalid_option` for an unknown name or a bandwidth that is not a positive number.
pub fn kernel(local: &LocalOptions) -> Result<Kernel> {
    Kernel::parsed(local.kernel.as_deref().unwrap_or("laplacian"), local.gamma.unwrap_or(DEFAULT_GAMMA))
}
