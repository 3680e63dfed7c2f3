//! The jobs behind the worst neighbourhoods: places first, then permutations in parts, then the list.

use super::analysis::node;
use super::cost::{neighbourhoods_cost, parts, ranges};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::features::width_of;
use crate::job::request::NeighbourhoodsRequest;
use crate::job::{Job, Node};
use crate::local::TOGETHER;
use crate::report::RunOutcome;
use crate::report::ground::feature_choice;
use crate::report::neighbourhoods::most_places;
use crate::report::view::method_rows;

/// Permutations behind the worst neighbourhoods.
const RESAMPLES: usize = 200;
/// And how many there are at least.
const LEAST: usize = 40;
/// And at most.
const MOST: usize = 10_000;
/// Milliseconds that they may take.
const RESAMPLES_MS: f64 = 4000.0;

/// The jobs, ending in the list.
///
/// # Errors
/// `invalid_option` for a number of permutations that makes no sense; those of the map.
pub(super) fn plan(data: &Predictions, run: &RunOutcome, request: &NeighbourhoodsRequest) -> Result<Vec<Node>> {
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
    let look = Job::Look { request: request.clone() };
    let mut nodes = vec![node(look, vec![0, 1], 3.0 * pass, "looking everywhere")];
    let passes = count.div_ceil(TOGETHER);
    let (parts, cost) = parts(passes, pass);
    let mut needs = vec![0, 2];
    for (first, last) in ranges(passes, parts) {
        let job = Job::Permute { seed: request.seed, first: first * TOGETHER, last: (last * TOGETHER).min(count) };
        nodes.push(node(job, vec![2], cost, "what a calibrated model would show"));
        needs.push(nodes.len() + 1);
    }
    let cost = n as f64 * 1e-3;
    nodes.push(node(Job::Neighbourhoods { usual }, needs, cost, "who lives there"));
    Ok(nodes)
}
