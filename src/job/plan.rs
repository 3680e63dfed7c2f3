//! From a request to a list of jobs.

use serde::{Deserialize, Serialize};

use super::Job;
use super::request::{EvaluateOn, LocalOptions, RunRequest};
use crate::data::{Division, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::features;
use crate::evaluation::further;
use crate::evaluation::group_error;
use crate::evaluation::method::{Method, MethodKind, MethodSpec};
use crate::evaluation::pair;
use crate::evaluation::resample::{default_resamples, needs_vectors};
use crate::kernel::Kernel;
use crate::metric::registry;
use cost::{local_parts, ranges};
use growing::Plan;
use methods::methods;
use reports::Reports;

pub mod analysis;
mod compare;
mod correlation;
mod cost;
mod files;
mod growing;
mod memory;
mod methods;
mod models;
mod neighbourhoods;
mod proximity;
mod repeats;
mod reports;
mod sweep;
mod trust;
mod witness;

pub use cost::local_cost;

pub use crate::project::DEFAULT_GAMMA;

/// Milliseconds that the replicates of metrics beyond the scorecard may take, per method.
const FURTHER_MS: f64 = 2000.0;
/// And how many there are at least.
const LEAST_FURTHER: usize = 20;

/// A job in a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// what to do
    pub job: Job,
    /// 0: the data set; in the plan of a run, i: the outcome of node i − 1; in that of an analysis, 1: the report of
    /// the run, i: the outcome of node i − 2
    pub needs: Vec<usize>,
    /// expected milliseconds, for progress
    pub cost: f64,
    /// what a person is told while it runs
    pub label: String,
}

/// What the report needs to know of one method's outcomes, which follow in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodInputs {
    /// the method
    pub method: Method,
    /// why it has no outcomes, where it has none: a stable reason
    pub reason: Option<String>,
    /// parts of the resampling
    pub resample: usize,
    /// parts of the local error
    pub local: usize,
    /// whether there is a trust test
    pub trust: bool,
    /// parts of the local resampling
    pub local_resample: usize,
}

/// The jobs of a run, ending in the report.
///
/// # Errors
/// `unknown_metric`, `unknown_method`, `invalid_option`, `unknown_column`, `label_missing`, `score_missing`, `too_large`.
pub fn plan(data: &Predictions, request: &RunRequest) -> Result<Vec<Node>> {
    let mut request = request.clone();
    request.metrics = Some(registry::requested(request.metrics.as_deref())?);
    request.bins = request.bins.validated()?;
    request.methods.get_or_insert_with(|| vec![MethodSpec::Id("none".to_owned())]);
    request.local = request.local.map(|local| local_settings(data, local, &request.bins)).transpose()?;
    let methods = methods(data, &request)?;
    memory::check(data, methods.len(), request.local.is_some())?;
    let near = proximity::settings(data, &mut request)?;
    let groups = groups(data, &mut request)?;
    pair::scores(data)?;
    pair::targets(data)?;

    let n = data.rows;
    let mut nodes = Plan::after(1);
    let split =
        nodes.push(Job::Split { seed: request.seed, everything: false }, &[0], n as f64 * 5e-5, "dividing the rows");
    let all = match request.evaluate_on {
        EvaluateOn::Evaluation => split,
        EvaluateOn::All => {
            nodes.push(Job::Split { seed: request.seed, everything: true }, &[0], 1.0, "dividing the rows")
        }
    };
    let folds = if let Division::Folds { folds } = data.division { folds } else { 1 };
    let resamples = request.resamples.unwrap_or_else(|| default_resamples(n));
    request.resamples = Some(resamples);

    let further: Vec<String> = request.metrics.iter().flatten().filter(|id| further::is_further(id)).cloned().collect();

    let local_work = match &request.local {
        Some(local) => Some(local_parts(data, local)?),
        None => None,
    };

    let tested = trust::settings(data, &mut request)?;
    let mut searches = proximity::Searches::default();
    let resampled = further::resampled(&further, near.is_some(), !groups.is_empty());
    let mut reports = Reports::new(&request, &methods, [0, split, all], n as f64 * 1e-4);
    for method in methods {
        let mut needs = Vec::new();
        let mut input = MethodInputs { method, reason: None, resample: 0, local: 0, trust: false, local_resample: 0 };
        if let Some(reason) = input.method.kind.missing() {
            input.reason = Some(reason.to_owned());
            reports.add(&mut nodes, input, needs);
            continue;
        }
        let is_none = input.method.kind == MethodKind::NONE;
        let by = if is_none { all } else { split };
        let mut score_needs = vec![0, by];
        if !is_none {
            let mut fit_needs = vec![0, split];
            if let Some(proximity) = input.method.kind.proximity() {
                fit_needs.extend(searches.nodes(&mut nodes, data, split, proximity));
            }
            for fold in 0..folds {
                let job = Job::Fit { method: input.method.clone(), fold };
                let label = format!("fitting {}", input.method.name);
                score_needs.push(nodes.push(job, &fit_needs, input.method.kind.cost(data), &label));
            }
        }
        let name = input.method.name.clone();
        let m = pair::classes(data) as f64;
        let score_cost = n as f64 * (2e-4 + if pair::has_vector(data) { m * 1e-5 } else { 0.0 });
        if let Some(near) = &near {
            score_needs.extend(searches.nodes(&mut nodes, data, by, near));
        }
        let scored = nodes.push(
            Job::Score { bins: request.bins, metrics: further.iter().cloned().collect(), groups: groups.clone() },
            &score_needs,
            score_cost,
            &format!("scoring {name}"),
        );
        needs.push(scored);

        let vectors = needs_vectors(data);
        let (per_replicate, resample_needs) = if vectors {
            (n as f64 * (1.6e-5 + 1.5e-6 * m), vec![0, scored])
        } else {
            // Copying the data to another worker takes as long as several replicates.
            (n as f64 * 9e-6, vec![scored])
        };
        let (parts, cost) = cost::resample_parts(resamples, per_replicate);
        for (first, last) in ranges(resamples, parts) {
            let job = Job::Resample { bins: request.bins, seed: request.seed, first, last };
            needs.push(nodes.push(job, &resample_needs, cost, &format!("intervals and floors of {name}")));
        }
        input.resample = parts;
        let cost = further::replicate_cost(&resampled, n);
        if cost > 0.0 {
            let count = resamples.min(((FURTHER_MS / cost) as usize).max(LEAST_FURTHER));
            let (parts, cost) = cost::parts(count, cost);
            for (first, last) in ranges(count, parts) {
                let metrics = resampled.iter().cloned().collect();
                let job = Job::ResampleFurther { bins: request.bins, metrics, seed: request.seed, first, last };
                needs.push(nodes.push(job, &[scored], cost, &format!("further intervals of {name}")));
            }
            input.resample += parts;
        }
        if let (Some(local), Some((parts, cost))) = (&request.local, local_work) {
            needs.extend(nodes.local_error(local, (parts, cost), &[0, by, scored], &name));
            input.local = parts;
            let (replicate_parts, cost) = cost::parts(local.resamples, cost * parts as f64 / 4.0);
            for (first, last) in ranges(local.resamples, replicate_parts) {
                let job = Job::LocalResample { local: local.clone(), seed: request.seed, first, last };
                needs.push(nodes.push(job, &[0, by, scored], cost, &format!("floor of the local error of {name}")));
            }
            input.local_resample = replicate_parts;
        }
        if let Some(settings) = &tested {
            let rows = trust::rows_scored(data, &request, is_none);
            let test = trust::push(&mut nodes, data, settings, &[0, by, scored], None, rows, None);
            needs.push(test);
            input.trust = true;
        }
        reports.add(&mut nodes, input, needs);
    }
    reports.last(&mut nodes);
    Ok(nodes.nodes)
}

/// The columns of the metrics of groups; the request then holds them too.
fn groups(data: &Predictions, request: &mut RunRequest) -> Result<Vec<String>> {
    let metrics = request.metrics.as_deref().unwrap_or_default();
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
    let features = local.features.or_else(|| features::default_choice(data));
    if let Some(choice) = &features {
        features::check(data, choice)?;
    }
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
            "Local calibration needs features: columns that say which rows are near each other.",
            "Name them in local.features, or give columns the role feature.",
        ));
    }
    Ok(settings)
}

/// The kernel that local settings name.
///
/// # Errors
/// `invalid_option` for an unknown name or a bandwidth that is not a positive number.
pub fn kernel(local: &LocalOptions) -> Result<Kernel> {
    Kernel::asked(local.kernel.as_deref().unwrap_or("laplacian"), local.gamma.unwrap_or(DEFAULT_GAMMA))
}
