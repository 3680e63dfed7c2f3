//! The jobs behind the witness: places first, then rows and field in parts, then map and words.

use super::analysis::node;
use super::cost::parts;
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::features::width_of;
use crate::hypothesis::witness::SCALED;
use crate::job::request::WitnessRequest;
use crate::job::{Job, Node};
use crate::kernel::{Engine, cost};
use crate::report::RunOutcome;
use crate::report::ground::feature_choice;
use crate::report::view::method_rows;
use crate::report::witness::{GRID, WitnessWork, sizes};

/// The jobs, ending in the sheet.
///
/// # Errors
/// Those of the map.
pub(super) fn plan(
    data: &Predictions,
    run: &RunOutcome,
    request: &WitnessRequest,
) -> Result<Vec<Node>> {
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let n = method_rows(run, request.method.as_deref())?.rows.len();
    let d = width_of(data, &choice);
    let (sources, queried) = sizes(n, d, request.leave_one_out);
    let first = Job::WitnessGround {
        request: request.clone(),
    };
    let mut nodes = vec![node(first, vec![0, 1], n as f64 * 1e-3, "who is alike")];
    let mut needs = vec![0, 1, 2];
    for (field, queries, d) in [(false, queried, d + 1), (true, GRID * GRID, 2)] {
        // Bias and standard error: two passes.
        let total = 2.0 * cost(Engine::Blocks, SCALED, queries, sources, d, false);
        let (of, cost) = parts(queries, total / queries.max(1) as f64);
        for index in 0..of {
            let part = WitnessWork { field, index, of };
            let label = if field {
                "bias of every place"
            } else {
                "bias around every row"
            };
            nodes.push(node(Job::WitnessPart { part }, vec![2], cost, label));
            needs.push(nodes.len() + 1);
        }
    }
    let last = Job::Witness {
        request: request.clone(),
    };
    nodes.push(node(last, needs, n as f64 * 5e-3, "for whom"));
    Ok(nodes)
}
