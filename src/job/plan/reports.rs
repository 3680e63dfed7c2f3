//! The reports of a run: one after each method, as soon as its outcomes are there, each on top of the one before.
//!
//! What is done is shown as it comes, and what only one method needed is free when it is reported. A report takes the
//! outcomes of the new methods, and again those of the first method and of `none`, with which others are compared.

use super::MethodInputs;
use super::growing::Plan;
use crate::evaluation::method::{Method, MethodKind};
use crate::job::Job;
use crate::job::request::RunRequest;

/// A method with the nodes that hold its outcomes.
type Part = (MethodInputs, Vec<usize>);

/// Methods that wait for their report, and those that every report needs.
pub(super) struct Reports {
    request: RunRequest,
    /// data, split, split of `none`
    ground: [usize; 3],
    /// expected milliseconds of a report
    cost: f64,
    /// whether `none` is among the methods that are still to come
    none_to_come: bool,
    /// methods that are reported, and needed again
    known: Vec<Part>,
    /// methods that are not reported
    waiting: Vec<Part>,
    /// the last report
    so_far: Option<usize>,
}

impl Reports {
    pub(super) fn new(request: &RunRequest, methods: &[Method], ground: [usize; 3], cost: f64) -> Self {
        let none = |method: &Method| method.kind == MethodKind::NONE && method.kind.missing().is_none();
        Self {
            request: request.clone(),
            ground,
            cost,
            none_to_come: methods.iter().any(none),
            known: Vec::new(),
            waiting: Vec::new(),
            so_far: None,
        }
    }

    /// Takes a method whose nodes are in the plan, and reports what can be reported.
    pub(super) fn add(&mut self, plan: &mut Plan, input: MethodInputs, needs: Vec<usize>) {
        if input.method.kind == MethodKind::NONE {
            self.none_to_come = false;
        }
        self.waiting.push((input, needs));
        let usable = |(input, _): &Part| input.reason.is_none();
        if !self.none_to_come && self.known.iter().chain(&self.waiting).any(usable) {
            self.report(plan);
        }
    }

    /// Reports what is left.
    pub(super) fn last(mut self, plan: &mut Plan) {
        if !self.waiting.is_empty() || self.so_far.is_none() {
            self.report(plan);
        }
    }

    fn report(&mut self, plan: &mut Plan) {
        let parts = || self.known.iter().chain(&self.waiting);
        let mut needs = self.ground.to_vec();
        needs.extend(self.so_far);
        needs.extend(parts().flat_map(|(_, nodes)| nodes));
        let job = Job::Report {
            request: self.request.clone(),
            inputs: parts().map(|(input, _)| input.clone()).collect(),
            known: self.known.len(),
        };
        self.so_far = Some(plan.push(job, &needs, self.cost, "writing the report"));
        for (input, nodes) in self.waiting.drain(..) {
            let first = self.known.is_empty();
            if input.reason.is_none() && (first || input.method.kind == MethodKind::NONE) {
                self.known.push((input, nodes));
            }
        }
    }
}
