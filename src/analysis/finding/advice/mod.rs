//! What to do: repairs judged on rows that no fit saw, by a loss and by the slices that were named.
//!
//! Each candidate is fitted on calibration rows and scores the others, as the run divides them; leaving the scores alone is
//! one of them. Recommended is the simplest of those whose loss is within one standard error of the smallest and that
//! leave no named slice off and break no other ([`choose`]).

mod broken;
mod candidate;
mod choose;
mod gaps;
mod judge;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod words;

use serde::{Deserialize, Serialize};

use super::{Estimate, FindingPart, FindingRequest, LEAST};
use crate::analysis::LastRun;
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::method::MethodSpec;
use crate::report::RunOutcome;
use crate::report::view::method_rows;
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::scan::{Ground, Scanned, columns_looked_at};

use candidate::{Candidate, candidates};
pub use judge::Judged;
use judge::{JudgedData, judge};
pub(super) use words::{OF_METHODS, UNCHANGED};

/// The recommended recalibration, or the recommendation to keep the original predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// method as `run` takes it: an id, or `{ id, name, parameters }`; `none`: keep the original predictions
    pub method: MethodSpec,
    /// name of the method, for display
    pub title: String,
    /// effect overall and in the listed subgroups, and subgroups that remain significantly miscalibrated
    pub sentence: String,
    /// the recommendation in a few words
    pub short: String,
    /// the sentence without the recommendation itself
    pub rest: String,
    /// rows whose predicted probability it changes, and by how much
    pub moves: Moves,
    /// the listed subgroups before and after recalibration
    pub whom: Vec<RecalibratedSubgroup>,
    /// all recalibrations that were evaluated, the simplest first
    pub candidates: Vec<Considered>,
    /// subgroups that remain significantly miscalibrated after recalibration
    pub stays_wrong: Vec<RecalibratedSubgroup>,
}

/// Whom a recalibration moves, among the rows that it is judged on.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moves {
    /// rows whose score rises
    pub up: usize,
    /// rows whose score falls
    pub down: usize,
    /// mean change of the score of the rows that are in no listed subgroup, in probability; null where there are none
    pub rest_mean: Option<f64>,
}

/// A subgroup before and after recalibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalibratedSubgroup {
    /// description of the subgroup
    pub description: String,
    /// number of rows evaluated
    pub rows: usize,
    /// predicted − observed before recalibration; for a listed subgroup, corrected for selection
    pub before: f64,
    /// predicted − observed after recalibration: `before` plus the mean change of the predicted probability
    pub after: f64,
    /// lower limit of the CI of `after`; simultaneous 95% coverage over the listed subgroups
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
}

impl RecalibratedSubgroup {
    /// Whether it is off by more than chance.
    pub fn is_miscalibrated(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether the interval of `before`, that of `after` moved back by what scores were moved by, includes 0.
    fn was_of_uncertain_size(&self) -> bool {
        let moved = self.after - self.before;
        self.low - moved <= 0.0 && self.high - moved >= 0.0
    }
}

/// A recalibration that was evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Considered {
    /// method as `run` takes it
    pub method: MethodSpec,
    /// name of the method, for display
    pub title: String,
    /// why it was not evaluated; null if it was
    pub reason: Option<String>,
    /// mean negative log-likelihood (log loss); with several classes, that of the observed class
    pub nll: Option<f64>,
    /// log loss minus that of the original predictions, with a paired interval
    pub nll_change: Estimate,
    /// mean squared error (Brier score); with several classes, summed over the classes
    pub brier: Option<f64>,
    /// Brier score minus that of the original predictions, with a paired interval
    pub brier_change: Estimate,
    /// rows whose predicted probability it changes; null if it was not evaluated
    pub moves: Option<Moves>,
    /// why it cannot be recommended: too few events for its number of parameters; null if it can
    pub too_few_events: Option<String>,
    /// the listed subgroups before and after recalibration
    pub whom: Vec<RecalibratedSubgroup>,
    /// subgroups that are significantly miscalibrated after recalibration, with a larger error than before
    pub broken: Vec<RecalibratedSubgroup>,
    /// whether its loss is within one standard error of the smallest
    pub among_best: bool,
    /// whether it is the recommendation
    pub recommended: bool,
}

/// The advice, with what the page shows of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advised {
    pub(super) advice: Advice,
    pub(super) part: FindingPart,
}

/// Pushes a step for each candidate, and the one that chooses; nothing where no method may be recommended.
///
/// * `ground`: who the rows are; `scanned`: the slices that were named
///
/// # Errors
/// `unknown_method`, `invalid_option`; `unknown_column`.
pub(super) fn plan(
    plan: &mut Plan,
    of: &LastRun,
    request: &FindingRequest,
    (ground, scanned): (Handle<Ground>, Handle<Scanned>),
) -> Result<Option<Handle<Advised>>> {
    if request.methods.as_ref().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let columns = columns_looked_at(of.data, request.groups.as_deref(), request.features.as_deref())?;
    let n = method_rows(of.run, None)?.rows.len();
    let candidates = candidates(of.data, of.run, request.methods.as_deref(), n)?;
    let judged = candidates.into_iter().map(|(candidate, cost)| {
        let label = format!("evaluating: {}", candidate.plain());
        let (least, seed) = (request.least.unwrap_or(LEAST), request.seed);
        let step = Judge { data: DATA, run: REPORT, ground, scanned, candidate, columns: columns.clone(), least, seed };
        plan.push(step, cost + n as f64 * columns.len() as f64 * 3e-5, &label)
    });
    let judged = judged.collect();
    Ok(Some(plan.push(Advise { data: DATA, run: REPORT, scanned, judged }, n as f64 * 1e-4, "recommendation")))
}

/// Fits one candidate, and judges it on the rows that its fits did not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    ground: Handle<Ground>,
    scanned: Handle<Scanned>,
    candidate: Candidate,
    columns: Vec<String>,
    least: usize,
    seed: u64,
}

impl Step for Judge {
    type Output = Judged;

    fn run(&self, at: &Outcomes, tell: &mut dyn FnMut(f64)) -> Result<Judged> {
        let asked = JudgedData {
            data: at.the(&self.data)?,
            run: at.the(&self.run)?,
            ground: at.the(&self.ground)?,
            scanned: at.the(&self.scanned)?,
            columns: &self.columns,
            least: self.least,
            seed: self.seed,
        };
        judge(&asked, &self.candidate, tell)
    }
}

/// Chooses among the candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advise {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    scanned: Handle<Scanned>,
    judged: Vec<Handle<Judged>>,
}

impl Step for Advise {
    type Output = Advised;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Advised> {
        let (data, scanned) = (at.the(&self.data)?, at.the(&self.scanned)?);
        Ok(words::advised(data, at.the(&self.run)?, scanned, &at.each(&self.judged)?))
    }
}
