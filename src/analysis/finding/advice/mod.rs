//! Recommendation: recalibration methods evaluated on rows that were not used to fit them, by a loss and by the
//! calibration error in the listed subgroups.
//!
//! Each candidate is fitted to calibration rows and scores the others, as the run divides them; the original predictions
//! are one candidate. The recommendation is the simplest candidate whose loss is within one standard error of the
//! smallest, and that leaves no listed subgroup significantly miscalibrated, nor any other one with a larger error than
//! before ([`choose`]).

mod candidate;
mod choose;
mod ended;
mod evaluate;
mod evaluated_rows;
mod gaps;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod words;
mod worsened;

use serde::{Deserialize, Serialize};

use super::{Estimate, FindingPart, FindingRequest, LEAST, Rank};
use crate::analysis::LastRun;
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::evaluation::method::MethodSpec;
use crate::report::RunOutcome;
use crate::report::sheet::Block;
use crate::report::view::method_rows;
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::scan::{ScanInput, Scanned, scanned_columns};
use crate::words::number::count;
use crate::words::text::counted;

use candidate::{Candidate, candidates};
pub use evaluate::Evaluated;
use evaluate::evaluate;
use evaluated_rows::EvaluationInput;
pub(super) use words::OF_METHODS;
use words::UNCHANGED;

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
    /// the statements of which `rest` consists, in its order
    pub statements: Vec<Statement>,
    /// rows whose predicted probability it changes, and by how much
    pub moves: Moves,
    /// the listed subgroups before and after recalibration
    #[serde(rename = "whom")]
    pub subgroups: Vec<RecalibratedSubgroup>,
    /// all recalibrations that were evaluated, the simplest first
    pub candidates: Vec<Considered>,
    /// subgroups that remain significantly miscalibrated after recalibration
    pub stays_wrong: Vec<RecalibratedSubgroup>,
}

/// One or more sentences of a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// what it is about
    pub about: Topic,
    /// in words
    pub text: String,
}

/// What a statement of a recommendation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// why the original predictions are kept, or why nothing is recommended
    Reason,
    /// change of the log loss
    Loss,
    /// rows whose predicted probability changes
    Moves,
    /// a listed subgroup that is no longer significantly miscalibrated
    Subgroup,
    /// subgroups that remain, or become, significantly miscalibrated, or that there are none
    Remaining,
    /// the overall error that remains
    Overall,
    /// a listed subgroup that no longer occurs
    Ended,
}

impl Topic {
    fn says(self, text: impl Into<String>) -> Statement {
        Statement { about: self, text: text.into() }
    }
}

/// Rows whose predicted probability a recalibration changes, among the rows on which it is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moves {
    /// number of rows whose predicted probability increases
    pub up: usize,
    /// number of rows whose predicted probability decreases
    pub down: usize,
    /// mean change of the score in the rows outside all listed subgroups, as a probability; null if there are no such
    /// rows
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
    /// predicted − observed before recalibration; for a listed subgroup, corrected for selection, and the error that it is
    /// listed for: if that is the error after recalibration overall, this one
    pub before: f64,
    /// predicted − observed after recalibration, corrected likewise
    pub after: f64,
    /// lower limit of the CI of `after`; simultaneous 95% coverage over the listed subgroups
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// for a listed subgroup: whether more than half of the error that it is listed for, uncorrected, remains
    #[serde(default)]
    pub mostly_remains: bool,
}

impl Moves {
    /// "Predicted probabilities increase in 412 rows and decrease in 0"
    fn words(self, view: View) -> String {
        let (increase, decrease) = match view {
            View::Positive => ("Predicted probabilities increase", "decrease"),
            View::TopLabel => ("Confidence increases", "decreases"),
        };
        format!("{increase} in {} and {decrease} in {}", counted(self.up, "row"), count(self.down as u64))
    }
}

impl Advice {
    /// Its sentence without the numbers of rows that change.
    pub fn without_moves(&self) -> String {
        let others = self.statements.iter().filter(|one| one.about != Topic::Moves);
        let others = others.map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
        if self.short == UNCHANGED { others } else { recommended(&self.title, &others) }
    }
}

/// "Recommended: Platt scaling. Log loss decreases …"
fn recommended(title: &str, rest: &str) -> String {
    format!("Recommended: {title}. {rest}")
}

impl RecalibratedSubgroup {
    /// Of a listed subgroup, whether it is significantly miscalibrated, or most of the error remains that it was listed for, or more than half of it is there
    /// to the other side: a wider interval, which then includes 0, is no repair.
    pub fn is_miscalibrated(&self) -> bool {
        self.is_significant() || self.mostly_remains || self.is_overshot()
    }

    /// Whether the interval of the error excludes 0.
    fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether its error has changed sign and is more than half as large.
    fn is_overshot(&self) -> bool {
        self.before * self.after < 0.0 && self.after.abs() > 0.5 * self.before.abs()
    }

    /// Whether it is miscalibrated by an error whose interval includes 0.
    fn is_of_uncertain_size(&self) -> bool {
        self.is_miscalibrated() && !self.is_significant()
    }

    /// Whether the interval of `before` includes 0: that of `after`, shifted back by the mean change of the score.
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
    /// why it cannot be recommended: rows with a probability of 0 or 1, which it makes certain; null if there are none
    pub certain: Option<String>,
    /// the listed subgroups before and after recalibration
    #[serde(rename = "whom")]
    pub subgroups: Vec<RecalibratedSubgroup>,
    /// subgroups that are significantly miscalibrated after recalibration, with a larger error than before
    pub broken: Vec<RecalibratedSubgroup>,
    /// whether its loss is within one standard error of the smallest
    pub among_best: bool,
    /// whether it is the recommendation
    pub recommended: bool,
}

/// The recommendation, with its part of the panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advised {
    pub(super) advice: Advice,
    pub(super) part: FindingPart,
}

impl Advised {
    /// The recommendation of nothing, for the reason that `sentence` states.
    pub(super) fn withheld(&self, sentence: String) -> Self {
        let advice = Advice {
            method: MethodSpec::Id("none".to_owned()),
            title: "None (original predictions)".to_owned(),
            short: UNCHANGED.to_owned(),
            statements: vec![Topic::Reason.says(sentence.clone())],
            rest: sentence.clone(),
            sentence: sentence.clone(),
            stays_wrong: Vec::new(),
            subgroups: Vec::new(),
            candidates: Vec::new(),
            ..self.advice.clone()
        };
        let part = FindingPart { heading: sentence.clone(), blocks: vec![Block::Text(sentence)], ..self.part.clone() };
        Self { advice, part }
    }
}

/// Pushes a step for each candidate, and the one that chooses; none if no method may be recommended.
///
/// * `input`: data of the scan; `scanned`: the detected subgroups
///
/// # Errors
/// `unknown_method`, `invalid_option`; `unknown_column`.
pub(super) fn plan(
    plan: &mut Plan,
    of: &LastRun,
    request: &FindingRequest,
    (input, scanned): (Handle<ScanInput>, Handle<Scanned>),
) -> Result<Option<Handle<Advised>>> {
    if request.methods.as_ref().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let columns = scanned_columns(of.data, request.groups.as_deref(), request.features.as_deref())?;
    let n = method_rows(of.run, None)?.rows.len();
    let candidates = candidates(of.data, of.run, request.methods.as_deref(), n)?;
    let evaluated = candidates.into_iter().map(|(candidate, cost)| {
        let label = format!("evaluating: {}", candidate.plain());
        let (least, seed) = (request.least.unwrap_or(LEAST), request.seed);
        let cost = cost + n as f64 * columns.len() as f64 * 3e-5;
        let (columns, rank) = (columns.clone(), request.rank.unwrap_or_default());
        let step = Evaluate { data: DATA, run: REPORT, input, scanned, candidate, columns, least, rank, seed };
        plan.push(step, cost, &label)
    });
    let evaluated = evaluated.collect();
    Ok(Some(plan.push(Advise { data: DATA, run: REPORT, scanned, evaluated }, n as f64 * 1e-4, "recommendation")))
}

/// Fits one candidate, and evaluates it on the rows that were not used to fit it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluate {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    input: Handle<ScanInput>,
    scanned: Handle<Scanned>,
    candidate: Candidate,
    columns: Vec<String>,
    least: usize,
    rank: Rank,
    seed: u64,
}

impl Step for Evaluate {
    type Output = Evaluated;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Evaluated> {
        let asked = EvaluationInput {
            data: at.the(&self.data)?,
            run: at.the(&self.run)?,
            input: at.the(&self.input)?,
            scanned: at.the(&self.scanned)?,
            columns: &self.columns,
            least: self.least,
            rank: self.rank,
            seed: self.seed,
        };
        evaluate(&asked, &self.candidate, progress)
    }
}

/// Chooses among the candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advise {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    scanned: Handle<Scanned>,
    evaluated: Vec<Handle<Evaluated>>,
}

impl Step for Advise {
    type Output = Advised;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Advised> {
        let (data, scanned) = (at.the(&self.data)?, at.the(&self.scanned)?);
        Ok(words::advised(data, at.the(&self.run)?, scanned, &at.each(&self.evaluated)?))
    }
}
