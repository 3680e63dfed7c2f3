//! Comparison of the current file with the file of a stored session: which quantities changed significantly, and whether
//! the stored recalibrations still improve the predictions.

mod plan;
mod request;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::PresentClusters;
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::subgroup::Subgroup;
use crate::data::{OpenOptions, Predictions, Role, View};
use crate::error::{Error, Result, message, phrases};
use crate::hypothesis::multiplicity::holm;
use crate::metric::clinical::{INTERCEPT_LARGE, SLOPE};
use crate::metric::gap::Gap;
use crate::metric::registry::metric;
use crate::num::cluster::influence_variance;
use crate::num::proportion::{LEAST_OF_OUTCOME, difference_of_shares, too_few_to_resample};
use crate::num::special::{NORMAL_975, normal_above, wald_p};
use crate::num::weight::{Sampling, total_weight, weight, weighted_mean};
use crate::plot::chart::Screen;
use crate::report::calibrator::Stored;
use crate::report::disclosure::Basis;
use crate::report::session::{
    ClassTally, EVERY_GROUP, Ends, GroupTally, LEAST, OmittedGroups, RunNumbers, Tally, compared_metrics, run_numbers,
};
use crate::report::sheet::{Block, Sheet};
use crate::report::verdict::{Evidence, LEVEL, Verdict};
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};
use crate::request::message::read;
use crate::words::text::{capitalized, quoted, uncapitalized};

pub use plan::CompareFiles;
pub use request::ChangedRequest;

/// Response of `data.analyse("changed")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedOutcome {
    /// scored rows of the earlier and the current file
    pub rows: [usize; 2],
    /// all quantities compared
    pub changes: Vec<Change>,
    /// groups and metrics that were not compared, and why
    pub not_compared: Vec<NotCompared>,
    /// columns with predictions, outcomes or groups of the session that the current file does not have
    pub missing_columns: Vec<String>,
    /// significant errors of groups of which the session has no numbers, in one sentence; null if there are none
    pub new_errors: Option<String>,
    /// recalibrations of the session, applied to the current file
    #[serde(rename = "repairs")]
    pub recalibrations: Vec<StoredRecalibration>,
    /// why there are none; null if there are
    #[serde(rename = "no_repairs")]
    pub no_recalibrations: Option<String>,
    /// verdict on the change that the headline begins with: if calibration changed significantly, that with the smallest adjusted
    /// p-value of calibration in the large and slope (confidence − accuracy and the errors of classes in the top-label view); otherwise that with the
    /// smallest of all
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type ChangedWithoutCharts = WithoutCharts<ChangedOutcome>;
/// The step that draws its charts.
pub type ShowChanged = Show<ChangedOutcome>;

impl HasCharts for ChangedOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Kind of quantity that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Changing {
    /// proportion of rows with the event, or of correct predictions
    Share,
    /// predicted − observed over all rows
    Gap,
    /// a metric
    Metric,
    /// predicted − observed in a group
    GroupGap,
    /// mean probability of a class − observed proportion of the class
    ClassGap,
}

/// A quantity in the earlier and the current file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// kind of quantity
    pub of: Changing,
    /// metric id, the group ("ward = ICU"), or the class; empty for all rows
    pub name: String,
    /// rows in the earlier and the current file
    pub rows: [usize; 2],
    /// value in the earlier file
    pub last: f64,
    /// value in the current file
    pub now: f64,
    /// current − earlier
    pub change: f64,
    /// lower limit of its 95% CI, unadjusted
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// two-sided p-value of no change, unadjusted
    pub p: f64,
    /// p-value adjusted (Holm) for all quantities compared and all errors of groups without numbers in the session
    pub p_holm: f64,
}

/// A group, or a metric, that was not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotCompared {
    /// "ward = ICU", or the name of the metric
    pub name: String,
    /// why
    pub reason: WhyNotCompared,
    /// rows in the current file; 0: none
    pub n: usize,
    /// mean score in the current file; null unless the session has no numbers of the group and the file has enough rows
    pub predicted: Option<f64>,
    /// observed proportion of events there
    pub observed: Option<f64>,
    /// two-sided p-value of the error there, adjusted together with those of the changes (Holm)
    pub p_holm: Option<f64>,
}

/// Why a group, or a metric, was not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WhyNotCompared {
    /// a metric: fewer than 10 rows of one outcome in the session or in the current file; a class: fewer than 10 rows expected
    /// and observed
    FewEvents,
    /// fewer than 30 rows in the session or in the current file
    FewRows,
    /// not in the session, however many rows it has in the current file
    New,
    /// the session has no numbers of it: it is new, had fewer than 30 rows, or was left out to protect small groups
    NotInSession,
    /// not in the current file
    Absent,
}

/// A stored recalibration, applied to the current file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoredRecalibration {
    /// name of the method in the session
    pub method: String,
    /// predicted − observed, original predictions
    pub gap_before: f64,
    /// predicted − observed, recalibrated
    pub gap_after: f64,
    /// 95% CI of `gap_after`
    pub gap_after_interval: [f64; 2],
    /// 95% CI of `gap_after`, simultaneous over the recalibrations (Bonferroni)
    pub gap_after_simultaneous: [f64; 2],
    /// mean (s − t)², original predictions
    pub brier_before: f64,
    /// mean (s − t)², recalibrated
    pub brier_after: f64,
    /// recalibrated − original Brier score, paired by row; negative: improved
    pub difference: f64,
    /// 95% CI of `difference`, simultaneous over the recalibrations (Bonferroni); null if fewer than 10 rows have the rarer
    /// outcome
    pub interval: Option<[f64; 2]>,
}

/// Quantities of the current file compared with those of a session.
///
/// The two files are independent samples. The change of the event rate has the interval of [`difference_of_shares`], and the
/// p-value that belongs to it. Otherwise the variance of a difference is the sum of both variances: of mean errors from the
/// rows, of a metric from its interval, ((high − low) / 2 z)², if both files have [`LEAST_OF_OUTCOME`] rows of either outcome;
/// p = 2 Φ(−|z|). All p-values are adjusted together, with those of the errors of groups without numbers in the session (Holm). Stored recalibrations were fitted to
/// other rows, so they are evaluated on every row of the current file.
///
/// * `suppress`: the smallest count that may be told of the result; none: any. Groups are then not compared: they may reveal few
///   rows, and so may p-values that are adjusted together with theirs
///
/// # Errors
/// `invalid_option` without a session, with one that cannot be understood, or with one of another view or event; those of
/// [`run_numbers`].
///
/// # Cost
/// O(n) per group column and recalibration.
pub fn changed(
    data: &Predictions,
    run: &RunOutcome,
    request: &ChangedRequest,
    suppress: Option<u64>,
) -> Result<ChangedOutcome> {
    let session = request.session.as_ref().or(data.opened.session.as_ref());
    let session =
        session.ok_or_else(|| Error::new("invalid_option", "No saved session is open.", phrases::SESSION_NEEDED))?;
    let unread = |part: &str, error| {
        let told = message![format!("session: {part} is invalid: "), phrases::unread(&error), "."];
        Error::new("invalid_option", told, phrases::SESSION_NEEDED)
    };
    let numbers = session.get("numbers").cloned().unwrap_or_default();
    let last: RunNumbers = read(numbers).map_err(|error| unread("numbers", error))?;
    let open = session.get("open").cloned().unwrap_or_default();
    let open: OpenOptions = read(open).map_err(|error| unread("part `open`", error))?;
    let earlier = match session.get(EVERY_GROUP) {
        Some(serde_json::Value::Bool(true)) => Earlier::Reference,
        _ => Earlier::Session,
    };
    comparable(data, &open, earlier)?;
    let now = run_numbers(data, run)?;
    let both = [&last.overall, &now.overall];
    let share_and_gap = [Change::of_shares(both), Change::of_gaps(Changing::Gap, String::new(), both)];
    let mut changes = Vec::new();
    let rows = both.map(|tally| tally.rows);
    let few = both.map(Tally::outcomes).into_iter().any(too_few_to_resample);
    let mut not_compared = Vec::new();
    for id in compared_metrics(data.view) {
        match (last.metrics.get(*id), now.metrics.get(*id)) {
            (Some(_), Some(_)) if few => {
                let name = metric(id).map_or(*id, |metric| metric.name).to_owned();
                not_compared.push(NotCompared::without(name, WhyNotCompared::FewEvents, now.overall.rows));
            }
            (Some(then), Some(here)) => changes.push(Change::of_intervals(id, rows, [then, here])),
            _ => {}
        }
    }
    // what case mix changes least leads the table
    let leading = changes.iter().take_while(|change| change.is_calibration(data.view)).count();
    changes.splice(leading..leading, share_and_gap);
    let classes = if suppress.is_none() { compare_classes(&last, &now, &mut changes) } else { Vec::new() };
    not_compared.extend(classes);
    let (groups, errors) = match suppress {
        None => compare_groups(data, (&last, &open), (&now, method_rows(run, None)?), &mut changes),
        Some(_) => Default::default(),
    };
    not_compared.extend(groups);
    changes.retain(|change| !change.p.is_nan());
    not_compared.extend(adjust(&mut changes, errors));
    let verdict = match leading_change(data.view, &changes) {
        Some(change) => Verdict::new(change.subject(data.view), Some(change.change), Evidence::P(change.p_holm)),
        None => Verdict::untested("", None, format!("No value of the {} can be compared", earlier.noun())),
    };
    let (recalibrations, no_recalibrations) =
        match recalibrations(data, method_rows(run, None)?, session.get("calibrators"), earlier) {
            Ok(found) => (found, None),
            Err(why) => (Vec::new(), Some(why)),
        };
    let mut outcome = ChangedOutcome {
        rows,
        changes,
        new_errors: words::errors_of_new(data.view, earlier, &not_compared),
        not_compared,
        missing_columns: missing_columns(data, &open),
        recalibrations,
        no_recalibrations,
        verdict,
        sheet: Sheet::default(),
    };
    outcome.sheet = words::sheet(data, &outcome, earlier, &basis_of_session(data, &last.overall));
    if suppress.is_some() && !now.groups.is_empty() {
        let note = "Groups are not compared while small counts are suppressed.".to_owned();
        outcome.sheet.insert(1, Block::Text(note).of(Basis::Setting));
    }
    if let Some(others) = others(data, &open, earlier) {
        outcome.sheet.insert(0, Block::Text(others).of(Basis::Unknown));
    }
    Ok(outcome)
}

/// What holds the earlier values: a saved session, or the numbers of a plain file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Earlier {
    Session,
    Reference,
}

impl Earlier {
    /// Within a sentence.
    fn noun(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Reference => "reference",
        }
    }
}

/// The change that the headline begins with, see [`ChangedOutcome::verdict`].
fn leading_change(view: View, changes: &[Change]) -> Option<&Change> {
    let of_calibration = most_significant(changes.iter().filter(|change| change.is_calibration(view)));
    of_calibration.filter(|change| change.p_holm <= LEVEL).or_else(|| most_significant(changes.iter()))
}

/// That with the smallest adjusted p-value; where these are equal, with the smallest unadjusted one.
fn most_significant<'a>(changes: impl Iterator<Item = &'a Change>) -> Option<&'a Change> {
    changes.min_by(|a, b| a.p_holm.total_cmp(&b.p_holm).then(a.p.total_cmp(&b.p)))
}

/// Adds the changes of the errors of classes with enough rows in both files; returns the other classes.
fn compare_classes(last: &RunNumbers, now: &RunNumbers, changes: &mut Vec<Change>) -> Vec<NotCompared> {
    let few = |tally: &Tally| tally.rows as f64 * tally.predicted.max(tally.observed) < LEAST_OF_OUTCOME as f64;
    let mut not_compared = Vec::new();
    for then in &last.classes {
        let name = words::class_name(&then.class);
        let Some(here) = now.classes.iter().find(|here| here.class == then.class) else {
            not_compared.push(NotCompared::without(name, WhyNotCompared::Absent, 0));
            continue;
        };
        if few(&then.tally) || few(&here.tally) {
            not_compared.push(NotCompared::without(name, WhyNotCompared::FewEvents, here.tally.rows));
        } else {
            changes.push(Change::of_gaps(Changing::ClassGap, then.class.clone(), [&then.tally, &here.tally]));
        }
    }
    // sessions of earlier versions, and of suppressed counts, have no classes
    let is_new =
        |here: &&ClassTally| !last.classes.is_empty() && last.classes.iter().all(|then| then.class != here.class);
    let new = now.classes.iter().filter(is_new);
    not_compared.extend(
        new.map(|here| NotCompared::without(words::class_name(&here.class), WhyNotCompared::New, here.tally.rows)),
    );
    not_compared
}

/// Adjusts all p-values together (Holm): of the changes, and of the errors of groups without numbers in the session.
///
/// * `errors`: these groups, each with its unadjusted p-value; NaN: not tested
fn adjust(changes: &mut [Change], errors: Vec<(NotCompared, f64)>) -> Vec<NotCompared> {
    let of_errors = errors.iter().map(|(_, p)| *p).filter(|p| !p.is_nan());
    let p: Vec<f64> = changes.iter().map(|change| change.p).chain(of_errors).collect();
    let mut adjusted = holm(&p).into_iter();
    for (change, p) in changes.iter_mut().zip(adjusted.by_ref()) {
        change.p_holm = p;
    }
    let each = errors.into_iter();
    each.map(|(group, p)| NotCompared { p_holm: if p.is_nan() { None } else { adjusted.next() }, ..group }).collect()
}

/// Adds the changes of all groups with enough rows in both files. Returns the groups that were not compared; those with
/// enough rows in the current file only, with the unadjusted p-value of their error, are returned apart.
fn compare_groups(
    data: &Predictions,
    (last, open): (&RunNumbers, &OpenOptions),
    (now, rows): (&RunNumbers, &MethodRows),
    changes: &mut Vec<Change>,
) -> (Vec<NotCompared>, Vec<(NotCompared, f64)>) {
    let mut not_compared = Vec::new();
    let key = |group: &GroupTally| (group.column.clone(), group.value.clone());
    let mut here: BTreeMap<_, &GroupTally> = now.groups.iter().map(|group| (key(group), group)).collect();
    let mut few_then = BTreeSet::new();
    for then in &last.groups {
        let name = format!("{} = {}", then.column, then.value);
        match here.get(&key(then)) {
            Some(now) if then.tally.rows.min(now.tally.rows) >= LEAST => {
                changes.push(Change::of_gaps(Changing::GroupGap, name, [&then.tally, &now.tally]));
            }
            // only its error in the current file can be tested
            Some(now) if now.tally.rows >= LEAST => {
                few_then.insert(key(then));
                continue;
            }
            Some(now) => not_compared.push(NotCompared::without(name, WhyNotCompared::FewRows, now.tally.rows)),
            None => not_compared.push(NotCompared::without(name, WhyNotCompared::Absent, 0)),
        }
        here.remove(&key(then));
    }
    // of a column that the session does not know, or of which it left out no group, every other group is new
    let complete = |column: &String| {
        let omitted = last.omitted.as_ref()?;
        Some(match omitted.get(column) {
            Some(omitted) => *omitted == OmittedGroups::default(),
            None => open.roles.get(column) != Some(&Role::Group),
        })
    };
    let mut groupings = BTreeMap::new();
    let mut unknown = Vec::new();
    for (of, GroupTally { tally, .. }) in here {
        let (column, value) = &of;
        let name = format!("{column} = {value}");
        let reason = match complete(column) {
            Some(true) if !few_then.contains(&of) => WhyNotCompared::New,
            _ if tally.rows < LEAST => WhyNotCompared::FewRows,
            _ => WhyNotCompared::NotInSession,
        };
        let group = NotCompared::without(name, reason, tally.rows);
        // an error of few rows is not tested
        if tally.rows < LEAST {
            not_compared.push(group);
            continue;
        }
        let by = groupings.entry(column.clone()).or_insert_with(|| {
            let testable = data.no_test_by(std::slice::from_ref(column)).is_none();
            let by = testable.then(|| grouping(data, std::slice::from_ref(column), QUANTILES).ok()).flatten();
            by.map_or_else(BTreeMap::new, |by| {
                let positions = by.positions(&rows.rows);
                by.names.into_iter().zip(positions).collect()
            })
        });
        let p = by.get(value).map_or(f64::NAN, |positions: &Vec<u32>| rows.at(positions).gap().p());
        unknown.push((NotCompared { predicted: Some(tally.predicted), observed: Some(tally.observed), ..group }, p));
    }
    (not_compared, unknown)
}

/// Columns that the comparison would need and the file does not have.
fn missing_columns(data: &Predictions, then: &OpenOptions) -> Vec<String> {
    let needed = |role: Role| {
        use Role::{Confidence, Correct, Group, Label, Logit, Logits, Predicted, Probabilities, Probability};
        matches!(role, Confidence | Correct | Group | Label | Logit | Logits | Predicted | Probabilities | Probability)
    };
    let there = |name: &String| data.table.columns.iter().any(|column| column.name == *name);
    then.roles.iter().filter(|(name, role)| needed(**role) && !there(name)).map(|(name, _)| name.clone()).collect()
}

/// What the values of the session were computed from: how many of its rows had the outcome is not known of weighted ones.
fn basis_of_session(data: &Predictions, last: &Tally) -> Basis {
    let weighted = data.weights.as_ref().is_some_and(|weights| !weights.counted);
    let (rows, events) = last.outcomes();
    if weighted { Basis::Unknown } else { Basis::share(rows, events) }
}

/// Refuses numbers of something else: of the predicted class, or of another event.
fn comparable(data: &Predictions, then: &OpenOptions, earlier: Earlier) -> Result<()> {
    let event = data.positive.and_then(|positive| data.labels.get(positive));
    let view = |view: View| match view {
        View::Positive => "the probability of the event",
        View::TopLabel => "the confidence in the predicted class",
    };
    let differs = match (then.view, &then.positive, event) {
        (Some(was), ..) if was != data.view => format!("{}, and this file about {}", view(was), view(data.view)),
        (_, Some(was), Some(is)) if data.view == View::Positive && was != is => {
            format!("the event {}, and this file about {}", quoted(was), quoted(is))
        }
        _ => return Ok(()),
    };
    Err(Error::new(
        "invalid_option",
        format!("The {} is about {differs}; they cannot be compared.", earlier.noun()),
        format!("Choose the view and the event of the {}.", earlier.noun()),
    ))
}

/// Which rows, or which model, were open then, where others are now.
fn others(data: &Predictions, then: &OpenOptions, earlier: Earlier) -> Option<String> {
    let rows = |only: &[crate::data::subgroup::Condition]| match only {
        [] => "all rows".to_owned(),
        some => Subgroup { conditions: some.to_vec() }.description(),
    };
    let mut differs = Vec::new();
    if then.only() != data.opened.only() {
        differs.push(format!(
            "{}: {}; this file: {}.",
            capitalized(earlier.noun()),
            rows(then.only()),
            rows(data.opened.only())
        ));
    }
    if let (Some(was), Some(is)) = (&then.model, &data.model)
        && was != is
    {
        differs.push(format!("The {} is of model {}; this file is of {}.", earlier.noun(), quoted(was), quoted(is)));
    }
    (!differs.is_empty()).then(|| format!("Settings differ. {}", differs.join(" ")))
}

impl NotCompared {
    fn without(name: String, reason: WhyNotCompared, n: usize) -> Self {
        Self { name, reason, n, predicted: None, observed: None, p_holm: None }
    }
}

impl Change {
    /// Of the observed shares: of few events a normal approximation says too much.
    fn of_shares(both: [&Tally; 2]) -> Self {
        let [last, now] = both.map(|tally| [tally.observed, tally.effective_rows()]);
        let ([low, high], p) = difference_of_shares(now, last);
        let error = f64::NAN;
        Self {
            low,
            high,
            p,
            ..Self::new(Changing::Share, String::new(), both.map(|t| t.rows), [last[0], now[0]], error)
        }
    }

    fn of_gaps(of: Changing, name: String, both: [&Tally; 2]) -> Self {
        let error = both.iter().map(|tally| tally.variance).sum::<f64>().sqrt();
        Self::new(of, name, both.map(|tally| tally.rows), both.map(Tally::gap), error)
    }

    fn of_intervals(id: &str, rows: [usize; 2], both: [&Ends; 2]) -> Self {
        let error = |ends: &Ends| (ends.high - ends.low) / (2.0 * NORMAL_975);
        let [a, b] = both.map(error);
        Self::new(Changing::Metric, id.to_owned(), rows, both.map(|ends| ends.value), a.hypot(b))
    }

    /// `error` is the standard error of the difference; without spread there is no p-value.
    fn new(of: Changing, name: String, rows: [usize; 2], [last, now]: [f64; 2], error: f64) -> Self {
        let change = now - last;
        let p = if error > 0.0 { wald_p(change, error) } else { f64::NAN };
        Self {
            of,
            name,
            rows,
            last,
            now,
            change,
            low: change - NORMAL_975 * error,
            high: change + NORMAL_975 * error,
            p,
            p_holm: f64::NAN,
        }
    }

    /// Whether it is about calibration of all rows, and as little about case mix as the view allows.
    fn is_calibration(&self, view: View) -> bool {
        match view {
            View::Positive => {
                self.of == Changing::Metric && [INTERCEPT_LARGE.id, SLOPE.id].contains(&self.name.as_str())
            }
            View::TopLabel => matches!(self.of, Changing::Gap | Changing::ClassGap),
        }
    }

    /// Within a sentence.
    fn subject(&self, view: View) -> String {
        match self.of {
            Changing::ClassGap => words::class_name(&self.name),
            Changing::Share => words::share(view).to_owned(),
            Changing::Gap => "the calibration error".to_owned(),
            Changing::Metric => {
                let name = metric(&self.name).map_or_else(|| self.name.clone(), |metric| metric.name.to_owned());
                // "Brier score" keeps its name
                if self.is_calibration(View::Positive) { uncapitalized(&name) } else { name }
            }
            Changing::GroupGap => self.name.clone(),
        }
    }
}

/// The stored recalibrations, evaluated on every scored row of the current file; or why there are none.
fn recalibrations(
    data: &Predictions,
    rows: &MethodRows,
    calibrators: Option<&serde_json::Value>,
    earlier: Earlier,
) -> std::result::Result<Vec<StoredRecalibration>, String> {
    let calibrators =
        calibrators.filter(|value| !value.is_null()).ok_or_else(|| format!("the {} contains none", earlier.noun()))?;
    let stored = Stored::read(calibrators).map_err(|error| error.to_string())?;
    let found = stored.scores(data, &rows.rows).map_err(|error| error.to_string())?;
    let z = NORMAL_975.max(normal_above(0.025 / found.len().max(1) as f64));
    let w = |i: usize| weight(rows.weights(), i);
    let few = too_few_to_resample(rows.tally());
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let sampling = Sampling { clusters, counted: rows.counted };
    let squares = |score: &[f64]| -> Vec<f64> {
        score.iter().zip(rows.target.iter()).map(|(s, t)| (s - f64::from(*t)).powi(2)).collect()
    };
    let mass = total_weight(rows.weights(), rows.score.len());
    let mean = |values: &[f64]| weighted_mean(values, rows.weights());
    let raw = squares(&rows.score);
    let one = |(method, score): (String, Vec<f64>)| {
        let gap = Gap::of_rows(&score, &rows.target, rows.weights(), sampling);
        let recalibrated = squares(&score);
        let less: Vec<f64> = recalibrated.iter().zip(&raw).map(|(a, b)| a - b).collect();
        let difference = mean(&less);
        let each = less.iter().enumerate().map(|(i, d)| w(i) * (d - difference));
        let spread = influence_variance(each, clusters);
        let half = z * spread.sqrt() / mass;
        StoredRecalibration {
            method,
            gap_before: rows.gap().gap(),
            gap_after: gap.gap(),
            gap_after_interval: gap.interval(),
            gap_after_simultaneous: gap.within(z),
            brier_before: mean(&raw),
            brier_after: mean(&recalibrated),
            difference,
            interval: (!few).then_some([difference - half, difference + half]),
        }
    };
    Ok(found.into_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holm's adjustment of 0.01, 0.04 and 0.02, computed by hand: 3 × 0.01, 2 × 0.02, and no less for 0.04.
    #[test]
    fn changes_and_errors_of_other_groups_are_one_family() {
        let change = |p: f64| Change { p, ..Change::new(Changing::Metric, String::new(), [50; 2], [0.1, 0.2], 0.1) };
        let group = || NotCompared {
            name: String::new(),
            reason: WhyNotCompared::New,
            n: 50,
            predicted: Some(0.1),
            observed: Some(0.2),
            p_holm: None,
        };
        let mut changes = [change(0.01), change(0.04)];
        let errors = adjust(&mut changes, vec![(group(), f64::NAN), (group(), 0.02)]);
        assert_eq!(changes.map(|change| change.p_holm), [0.03, 0.04]);
        assert_eq!(errors.iter().map(|group| group.p_holm).collect::<Vec<_>>(), [None, Some(0.04)]);
    }
}
