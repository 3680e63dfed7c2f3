//! Plans without a pool.

use crate::error::{Error, Result};
use crate::job::{JobInputs, Node, Outcome, run};

/// Runs a whole plan on this thread; what a pool does, without one.
///
/// # Errors
/// The first error of any node.
pub fn execute(nodes: &[Node], data: &Outcome) -> Result<Outcome> {
    execute_after(nodes, &[data])
}

/// As [`execute`] for a plan before whose first node is what is `given`: the data set and the report, for an analysis.
///
/// # Errors
/// The first error of any node; `internal` if a node needs what no earlier one finds.
pub fn execute_after<'a>(nodes: &[Node], given: impl Into<JobInputs<'a>>) -> Result<Outcome> {
    every_outcome(nodes, given)?.pop().ok_or_else(|| Error::internal("A plan has no node."))
}

/// As [`execute_after`], with what every node finds, in their order.
///
/// # Errors
/// As [`execute_after`].
pub fn every_outcome<'a>(nodes: &[Node], given: impl Into<JobInputs<'a>>) -> Result<Vec<Outcome>> {
    let given = given.into();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let needs: Vec<&Outcome> = node
            .needs
            .iter()
            .map(|&need| {
                let found = match given.needs.get(need) {
                    Some(given) => Some(*given),
                    None => need.checked_sub(given.needs.len()).and_then(|place| outcomes.get(place)),
                };
                found.ok_or_else(|| {
                    Error::internal(format!("`{}` needs outcome {need}, which nothing finds.", node.job.name()))
                })
            })
            .collect::<Result<_>>()?;
        let outcome = run(&node.job, JobInputs { needs: &needs, maps: given.maps }, Vec::new(), &mut |_| ())?;
        outcomes.push(outcome);
    }
    Ok(outcomes)
}
