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

/// The repair that is recommended, or to leave the predictions alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// what `run` takes: an id, or `{ id, name, parameters }`; `none`: leave them alone
    pub method: MethodSpec,
    /// as people write it
    pub title: String,
    /// what it changes overall and for those who were named, and who stays wrong
    pub sentence: String,
    /// the recommendation in a few words
    pub short: String,
    /// what the sentence says beside it
    pub rest: String,
    /// whom it moves, and by how much
    pub moves: Moves,
    /// the named slices before and after it
    pub whom: Vec<RecalibratedSubgroup>,
    /// every repair that was judged, the simplest first
    pub candidates: Vec<Considered>,
    /// who is off by more than chance after it
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
    /// who, in words
    pub description: String,
    /// judged rows
    pub rows: usize,
    /// predicted − observed without it; of a named slice corrected for having been picked because it is large
    pub before: f64,
    /// predicted − observed with it: `before` and what its scores are moved by
    pub after: f64,
    /// lower end of the interval of `after`; those of all named slices hold together in 95 of 100 cases
    pub low: f64,
    /// upper end
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

/// A repair that was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Considered {
    /// what `run` takes
    pub method: MethodSpec,
    /// as people write it
    pub title: String,
    /// why it was not judged; null where it was
    pub reason: Option<String>,
    /// mean −ln of the probability of the observed outcome; with several classes, of the class that it was
    pub nll: Option<f64>,
    /// the same less that of the scores as they are, with a paired interval
    pub nll_change: Estimate,
    /// mean squared error; with several classes, summed over them
    pub brier: Option<f64>,
    /// the same less that of the scores as they are, with a paired interval
    pub brier_change: Estimate,
    /// whom it moves; null where it was not judged
    pub moves: Option<Moves>,
    /// why it is not recommended, whatever its loss: it learns more than the events can tell; null where it may be
    pub too_few_events: Option<String>,
    /// the named slices before and after it
    pub whom: Vec<RecalibratedSubgroup>,
    /// slices that are off by more than chance with it, and further off than without it
    pub broken: Vec<RecalibratedSubgroup>,
    /// its loss is within one standard error of the smallest
    pub among_best: bool,
    /// it is the advice
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
