//! From a question about the last run to a list of jobs.
//!
//! Need 0 is the data set, need 1 the report of the run; node i answers need i + 2. Where other data sets are looked at,
//! too, they are needs 2, 3, …, and nodes come after them.

use super::{compare, correlation, models, neighbourhoods, proximity, sweep, trust, witness};
use crate::data::Predictions;
use crate::error::Result;
use crate::job::request::{AnalysisRequest, RegionRequest};
use crate::job::{Job, Node};
use crate::report::RunOutcome;

/// The jobs of an analysis, ending in its outcome; `others`: further data sets, for `models` and `correlation`.
///
/// # Errors
/// Those of the kind that is asked for.
pub fn plan(
    data: &Predictions,
    run: &RunOutcome,
    others: &[&Predictions],
    request: &AnalysisRequest,
) -> Result<Vec<Node>> {
    let n = data.rows as f64;
    match request {
        AnalysisRequest::Region(request) => Ok(region(data, request, false)),
        AnalysisRequest::RegionRows(request) => Ok(region(data, request, true)),
        AnalysisRequest::Libraries(request) => {
            let method = request.method.clone();
            Ok(one(Job::Libraries { method }, n * 1e-3, "other libraries"))
        }
        AnalysisRequest::Multiples(request) => {
            let each = n * 1e-4 * (run.rows.len() + data.labels.len()) as f64;
            Ok(one(Job::Multiples(request.clone()), each, "diagrams"))
        }
        AnalysisRequest::Decide(request) => {
            let cost = n * 1e-3 * run.rows.len() as f64;
            Ok(one(Job::Decide(request.clone()), cost, "decisions"))
        }
        AnalysisRequest::Groups(request) => {
            let cost = n * 2e-3 * run.rows.len() as f64;
            Ok(one(Job::Groups(request.clone()), cost, "groups"))
        }
        AnalysisRequest::Neighbourhoods(request) => neighbourhoods::plan(data, run, request),
        AnalysisRequest::Sweep(request) => sweep::plan(data, run, request),
        AnalysisRequest::Klce(request) => trust::analysis(data, run, request),
        AnalysisRequest::Witness(request) => witness::plan(data, run, request),
        AnalysisRequest::BiasPlot(request) => witness::plan_bias(run, request),
        AnalysisRequest::Inference(request) => witness::plan_inference(run, request),
        AnalysisRequest::Compare(request) => compare::plan(data, run, request),
        AnalysisRequest::Correlation(request) => correlation::plan(data, run, others, request),
        AnalysisRequest::Models(request) => models::plan(data, run, others, request),
        AnalysisRequest::Proximity(request) => proximity::plan(data, run, request),
        AnalysisRequest::ProximitySweep(request) => proximity::sweep(data, run, request),
    }
}

/// A single job that needs the data and the report.
fn one(job: Job, cost: f64, label: &str) -> Vec<Node> {
    vec![node(job, vec![0, 1], cost, label)]
}

pub(super) fn node(job: Job, needs: Vec<usize>, cost: f64, label: &str) -> Node {
    Node { job, needs, cost: cost.max(0.1), label: label.to_owned() }
}

fn region(data: &Predictions, request: &RegionRequest, ids: bool) -> Vec<Node> {
    let job = Job::Region { request: request.clone(), ids };
    let cost = data.rows as f64 * 1e-4 * data.table.columns.len() as f64;
    one(job, cost, "looking at the region")
}
