//! From a question about the last run to a list of jobs.
//!
//! Need 0 is the data set, need 1 the report of the run; node i answers need i + 2.

<<<<<<< HEAD
use super::cost::{neighbourhoods_cost, parts, ranges};
use super::sweep;
=======
use super::{neighbourhoods, sweep};
>>>>>>> main
use crate::data::Predictions;
use crate::error::Result;
use crate::job::request::{AnalysisRequest, RegionRequest};
use crate::job::{Job, Node};
use crate::report::RunOutcome;

/// The jobs of an analysis, ending in its outcome.
///
/// # Errors
/// Those of the kind that is asked for.
pub fn plan(data: &Predictions, run: &RunOutcome, request: &AnalysisRequest) -> Result<Vec<Node>> {
    match request {
        AnalysisRequest::Region(request) => Ok(region(data, request, false)),
        AnalysisRequest::RegionRows(request) => Ok(region(data, request, true)),
<<<<<<< HEAD
        AnalysisRequest::Sweep(request) => sweep::plan(data, run, request),
        AnalysisRequest::Neighbourhoods(request) => neighbourhoods(data, run, request),
=======
        AnalysisRequest::Neighbourhoods(request) => neighbourhoods::plan(data, run, request),
        AnalysisRequest::Sweep(request) => sweep::plan(data, run, request),
>>>>>>> main
    }
}

pub(super) fn node(job: Job, needs: Vec<usize>, cost: f64, label: &str) -> Node {
    Node {
        job,
        needs,
        cost: cost.max(0.1),
        label: label.to_owned(),
    }
}

fn region(data: &Predictions, request: &RegionRequest, ids: bool) -> Vec<Node> {
    let job = Job::Region {
        request: request.clone(),
        ids,
    };
    let cost = data.rows as f64 * 1e-4 * data.table.columns.len() as f64;
    vec![node(job, vec![0, 1], cost, "looking at the region")]
}
<<<<<<< HEAD

/// Places first, then permutations in parts, then the list.
fn neighbourhoods(
    data: &Predictions,
    run: &RunOutcome,
    request: &NeighbourhoodsRequest,
) -> Result<Vec<Node>> {
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let d = width_of(data, &choice);
    let n = method_rows(run, request.method.as_deref())?.rows.len();
    let pass = neighbourhoods_cost(n as f64, n.min(most_places(d)) as f64, d);
    let (count, usual) = match request.resamples {
        Some(count) if (1..=MOST).contains(&count) => (count, count),
        Some(count) => {
            return Err(Error::new(
                "invalid_option",
                format!("{count} permutations were asked for."),
                "Ask for 20 to 10,000: fewer than 20 cannot reach a p-value of 0.05.",
            ));
        }
        None => {
            let passes = (RESAMPLES_MS / pass) as usize;
            ((passes * TOGETHER).clamp(LEAST, RESAMPLES), RESAMPLES)
        }
    };
    let look = Job::Look {
        request: request.clone(),
    };
    let mut nodes = vec![node(look, vec![0, 1], 3.0 * pass, "looking everywhere")];
    let passes = count.div_ceil(TOGETHER);
    let (parts, cost) = parts(passes, pass);
    let mut needs = vec![0, 2];
    for (first, last) in ranges(passes, parts) {
        let job = Job::Permute {
            seed: request.seed,
            first: first * TOGETHER,
            last: (last * TOGETHER).min(count),
        };
        nodes.push(node(job, vec![2], cost, "what chance alone would show"));
        needs.push(nodes.len() + 1);
    }
    let cost = n as f64 * 1e-3;
    nodes.push(node(
        Job::Neighbourhoods { usual },
        needs,
        cost,
        "who lives there",
    ));
    Ok(nodes)
}
=======
>>>>>>> main
