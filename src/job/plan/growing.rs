//! A plan while it is written.

use super::Node;
use crate::job::Job;
use crate::job::request::LocalOptions;

/// A growing list of nodes.
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    /// outcomes that are there before the first node
    pub(super) given: usize,
}

impl Plan {
    pub(super) fn after(given: usize) -> Self {
        Self { nodes: Vec::new(), given }
    }

    /// Appends a node and returns the number by which later nodes need it.
    pub(super) fn push(&mut self, job: Job, needs: &[usize], cost: f64, label: &str) -> usize {
        self.nodes.push(Node { job, needs: needs.to_vec(), cost: cost.max(0.1), label: label.to_owned() });
        self.nodes.len() + self.given - 1
    }

    /// Appends a plan of its own about the data set with the number `data`; answers by which number here a node is
    /// needed that had another number there. Labels begin with `name`.
    pub(super) fn append(&mut self, data: usize, part: Plan, name: &str) -> impl Fn(usize) -> usize + use<> {
        let first = self.nodes.len() + self.given;
        let place = move |need: usize| if need == 0 { data } else { first + need - 1 };
        self.nodes.extend(part.nodes.into_iter().map(|node| Node {
            needs: node.needs.into_iter().map(place).collect(),
            label: format!("{name}: {}", node.label),
            ..node
        }));
        place
    }

    /// The parts of a local error; `needs`: data, split, scored.
    pub(super) fn local_error(
        &mut self,
        local: &LocalOptions,
        (parts, cost): (usize, f64),
        needs: &[usize],
        name: &str,
    ) -> Vec<usize> {
        let each = (0..parts).map(|part| {
            let job = Job::Local { local: local.clone(), part, parts };
            self.push(job, needs, cost, &format!("local error of {name}"))
        });
        each.collect()
    }
}
