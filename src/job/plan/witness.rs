//! The jobs behind the witness: places first, then rows and field in parts, then map and words.

use super::analysis::node;
use super::cost::{parts, ranges};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::features::width_of;
use crate::evaluation::resample::default_resamples;
use crate::hypothesis::witness::SCALED;
use crate::job::request::{BiasPlotRequest, InferenceRequest, WitnessRequest};
use crate::job::{Job, Node};
use crate::kernel::{Engine, cost};
use crate::local::TOGETHER;
use crate::report::RunOutcome;
use crate::report::ground::feature_choice;
use crate::report::inference;
use crate::report::view::method_rows;
use crate::report::witness::{Asked, CHANCE_DRAWS, GRID, WitnessWork, chance, sizes};

/// The jobs, ending in the sheet.
///
/// # Errors
/// Those of the map.
pub(super) fn plan(data: &Predictions, run: &RunOutcome, request: &WitnessRequest) -> Result<Vec<Node>> {
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let n = method_rows(run, request.method.as_deref())?.rows.len();
    let d = width_of(data, &choice);
    let (sources, queried) = sizes(n, d, request.leave_one_out);
    let first = Job::WitnessGround { request: request.clone() };
    let mut nodes = vec![node(first, vec![0, 1], n as f64 * 1e-3, "who is alike")];
    let mut needs = vec![0, 1, 2];
    // Bias and standard error: two passes.
    let twice = |queries, d| 2.0 * cost(Engine::Blocks, SCALED, queries, sources, d, false);
    for (asked, queries, total, label) in [
        (Asked::Rows, queried, twice(queried, d + 1), "bias around every row"),
        (Asked::Field, GRID * GRID, twice(GRID * GRID, 2), "bias of every place"),
        (Asked::Chance, CHANCE_DRAWS.div_ceil(TOGETHER), chance(sources, d).1, "what chance alone would show"),
    ] {
        let (of, cost) = parts(queries, total / queries.max(1) as f64);
        for index in 0..of {
            let part = WitnessWork { asked, index, of };
            nodes.push(node(Job::WitnessPart { part }, vec![2], cost, label));
            needs.push(nodes.len() + 1);
        }
    }
    let last = Job::Witness { request: request.clone() };
    nodes.push(node(last, needs, n as f64 * 5e-3, "for whom"));
    Ok(nodes)
}

/// Coordinates that the bias plot is expected to compare people in, before groups are looked at.
const USUAL_COORDINATES: usize = 6;

/// The jobs of the bias plot.
///
/// # Errors
/// `unknown_method`.
pub(super) fn plan_bias(run: &RunOutcome, request: &BiasPlotRequest) -> Result<Vec<Node>> {
    let n = method_rows(run, request.method.as_deref())?.rows.len();
    let (sources, queried) = sizes(n, USUAL_COORDINATES, false);
    let first = Job::BiasGround { request: request.clone() };
    let mut nodes = vec![node(first, vec![0, 1], n as f64 * 1e-3, "who is alike")];
    let mut needs = vec![0, 1, 2];
    let total = 2.0 * cost(Engine::Blocks, SCALED, queried, sources, USUAL_COORDINATES, false);
    let (of, cost) = parts(queried, total / queried.max(1) as f64);
    for index in 0..of {
        let part = WitnessWork { asked: Asked::Rows, index, of };
        let job = Job::WitnessPart { part };
        nodes.push(node(job, vec![2], cost, "bias around every row"));
        needs.push(nodes.len() + 1);
    }
    let last = Job::BiasPlot { request: request.clone() };
    nodes.push(node(last, needs, n as f64 * 1e-3, "drawing"));
    Ok(nodes)
}

/// The jobs of the inference tasks.
///
/// # Errors
/// `unknown_method`; `invalid_option` for a number of draws that makes no sense.
pub(super) fn plan_inference(run: &RunOutcome, request: &InferenceRequest) -> Result<Vec<Node>> {
    let methods = inference::methods(run, request.methods.as_deref())?;
    let n = methods.iter().map(|m| m.rows.len()).max().unwrap_or(0);
    let resamples = request.resamples.unwrap_or_else(|| default_resamples(n));
    let each = methods.len() as f64 * n as f64 * 1.2e-5;
    let (of, cost) = parts(resamples, each);
    let (mut nodes, mut needs) = (Vec::new(), vec![0, 1]);
    for (first, last) in ranges(resamples, of) {
        let job = Job::InferencePart { request: request.clone(), first, last };
        nodes.push(node(job, vec![0, 1], cost, "drawing rows again"));
        needs.push(nodes.len() + 1);
    }
    let last = Job::Inference { request: request.clone() };
    nodes.push(node(last, needs, each, "what a study would conclude"));
    Ok(nodes)
}
