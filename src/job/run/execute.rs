//! Plans without a pool.

use super::needs::wrong;
use super::run;
use crate::error::Result;
use crate::job::{Node, Outcome};

/// Runs a whole plan on this thread; what a pool does, without one.
///
/// # Errors
/// The first error of any node.
pub fn execute(nodes: &[Node], data: &Outcome) -> Result<Outcome> {
    execute_after(nodes, &[data])
}

/// As [`execute`] for a plan whose first needs are `given`: the data set and the report, for an analysis.
///
/// # Errors
/// The first error of any node.
pub fn execute_after(nodes: &[Node], given: &[&Outcome]) -> Result<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let needs: Vec<&Outcome> = node
            .needs
            .iter()
            .filter_map(|&need| match given.get(need) {
                Some(given) => Some(*given),
                None => outcomes.get(need - given.len()),
            })
            .collect();
        let outcome = run(&node.job, &needs, Vec::new(), &mut |_| ())?;
        outcomes.push(outcome);
    }
    outcomes.pop().ok_or_else(|| wrong("a plan with at least one node"))
}
