//! The reports of a run: one after each method, as soon as its outcomes are there, each on top of the one before.
//!
//! What is done is shown as it comes, and what only one method needed is free when it is reported. A report takes the
//! outcomes of the new methods, and again those of the first method and of `none`, with which others are compared.

use crate::data::folds::Split;
use crate::evaluation::method::{Method, MethodKind};
use crate::evaluation::request::RunRequest;
use crate::report::RunOutcome;
use crate::run::graph::{DATA, Handle, Plan};
use crate::run::step::{MethodHandles, WriteReport};

/// Methods that wait for their report, and those that every report needs.
pub(super) struct Reports {
    request: RunRequest,
    /// the division of the rows
    split: Handle<Split>,
    /// expected milliseconds of a report
    cost: f64,
    /// whether `none` is among the methods that are still to come
    none_to_come: bool,
    /// `none` on the rows of the others, where it is scored on more
    common: Option<MethodHandles>,
    /// methods that are reported, and needed again
    known: Vec<MethodHandles>,
    /// methods that are not reported
    waiting: Vec<MethodHandles>,
    /// the last report
    so_far: Option<Handle<RunOutcome>>,
}

impl Reports {
    pub(super) fn new(request: &RunRequest, methods: &[Method], split: Handle<Split>, cost: f64) -> Self {
        let none = |method: &Method| method.kind == MethodKind::NONE && method.kind.missing().is_none();
        Self {
            request: request.clone(),
            split,
            cost,
            none_to_come: methods.iter().any(none),
            common: None,
            known: Vec::new(),
            waiting: Vec::new(),
            so_far: None,
        }
    }

    /// Takes `none` on the rows on which the others are scored.
    pub(super) fn common(&mut self, none: MethodHandles) {
        self.common = Some(none);
    }

    /// Takes a method whose nodes are in the plan, and reports what can be reported.
    pub(super) fn add(&mut self, plan: &mut Plan, method: MethodHandles) {
        if method.method.kind == MethodKind::NONE {
            self.none_to_come = false;
        }
        self.waiting.push(method);
        let usable = |method: &MethodHandles| method.reason.is_none();
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
        let step = WriteReport {
            data: DATA,
            split: self.split,
            so_far: self.so_far,
            common: self.common.clone(),
            known: self.known.clone(),
            new: self.waiting.clone(),
            request: self.request.clone(),
        };
        self.so_far = Some(plan.push(step, self.cost, "writing the report"));
        for method in self.waiting.drain(..) {
            let first = self.known.is_empty();
            if method.reason.is_none() && (first || method.method.kind == MethodKind::NONE) {
                self.known.push(method);
            }
        }
    }
}
