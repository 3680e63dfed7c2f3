//! A session: how a file was read, what was chosen, recalibrations and the numbers of the last run, for another month's file. It
//! holds no rows and nothing that names one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::calibrator::calibrator_value;
use super::calibrator::withheld::{Withheld, withhold};
use super::small_cells::{ColumnCounts, enough};
use super::view::method_rows;
use super::{MethodRows, RunOutcome};
use crate::data::folds::Split;
use crate::data::grouping::{Grouping, QUANTILES, grouping};
use crate::data::{
    ColumnRole, OpenOptions, Predictions, PresentClusters, Reading, Role, SESSION_SCHEMA, SplitOption, View, pair,
};
use crate::error::{Error, Result};
use crate::evaluation::request::RunRequest;
use crate::metric::clinical::{INTERCEPT_LARGE, SLOPE, WaldEstimate, clustered_intercept_slope};
use crate::num::cluster::{RowClusters, cluster_variance, design_effect};
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::weight::Sampling;

/// Numbers of groups of fewer rows are not written, and not compared: they say little.
pub const LEAST: usize = 30;
/// Field of the numbers of a file at hand, which are compared at once and are no saved session.
pub const EVERY_GROUP: &str = "every_group";
/// Numbers of groups of fewer rows than this cannot be worked out from those of the others, either, and recalibrations have none of
/// their own.
const HIDDEN: u64 = 10;
/// Columns of groups that are written.
const MOST_COLUMNS: usize = 12;

/// The numbers of a run that another month's are held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunNumbers {
    /// every scored row
    pub overall: Tally,
    /// of the original predictions, by metric id
    pub metrics: BTreeMap<String, Ends>,
    /// of the columns with the role group
    pub groups: Vec<GroupTally>,
    /// of the probability of each class, in the top-label view; not in sessions of earlier versions, of suppressed counts, and where
    /// the file has no class probabilities
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassTally>,
    /// of each of these columns how many groups are not among `groups`; not in sessions of earlier versions
    #[serde(default)]
    pub omitted: Option<BTreeMap<String, OmittedGroups>>,
}

/// How many groups of a column have no numbers in a session, which does not name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OmittedGroups {
    /// of fewer than [`LEAST`] rows
    pub few: usize,
    /// of more rows, left out so that small groups cannot be worked out
    pub protecting: usize,
}

/// Scores against outcomes of some rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// n
    pub rows: usize,
    /// mean score
    #[serde(rename = "says")]
    pub predicted: f64,
    /// observed share of events
    #[serde(rename = "happened")]
    pub observed: f64,
    /// variance of the mean of s − t, given the scores: the larger of Σ (r − r̄)² / n² and Σ s (1 − s) / n²
    pub variance: f64,
    /// variance of the observed share of events
    pub share_variance: f64,
}

/// A value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// value
    pub value: f64,
    /// lower end
    pub low: f64,
    /// upper end
    pub high: f64,
}

/// Scores against outcomes of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupTally {
    /// the column
    pub column: String,
    /// its value
    pub value: String,
    /// of its rows
    #[serde(flatten)]
    pub tally: Tally,
}

/// The probability of a class against whether it occurred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassTally {
    /// the class
    pub class: String,
    /// of every scored row
    #[serde(flatten)]
    pub tally: Tally,
}

impl Tally {
    /// Of pairs (s, t) with weights w; `None` where there is no row. Variances are cluster-robust where the rows belong
    /// together, and not smaller than those of independent rows. Two passes.
    pub fn of(rows: impl Iterator<Item = (f64, u8, f64)> + Clone, clusters: Option<RowClusters>) -> Option<Self> {
        let (mut n, mut mass, mut predicted, mut observed) = (0, 0.0, 0.0, 0.0);
        for (s, t, w) in rows.clone().filter(|row| row.2 > 0.0) {
            n += 1;
            mass += w;
            predicted += w * s;
            observed += w * f64::from(t);
        }
        if n == 0 {
            return None;
        }
        let (predicted, observed) = (predicted / mass, observed / mass);
        let (mut seen, mut promised, mut share) = (0.0, 0.0, 0.0);
        for (s, t, w) in rows.clone().filter(|row| row.2 > 0.0) {
            let t = f64::from(t);
            seen += (w * (s - t - (predicted - observed))).powi(2);
            promised += w * w * s * (1.0 - s);
            share += (w * (t - observed)).powi(2);
        }
        if let Some(RowClusters { of, count }) = clusters {
            // rows of weight 0 add nothing
            let each = || rows.clone().map(|(s, t, w)| (s, f64::from(t), w));
            seen = cluster_variance(each().map(|(s, t, w)| w * (s - t - (predicted - observed))), of, count).max(seen);
            share = cluster_variance(each().map(|(_, t, w)| w * (t - observed)), of, count).max(share);
        }
        let square = mass * mass;
        Some(Self {
            rows: n,
            predicted,
            observed,
            variance: seen.max(promised) / square,
            share_variance: share / square,
        })
    }

    /// predicted − observed.
    pub fn gap(&self) -> f64 {
        self.predicted - self.observed
    }

    /// Number of rows, and of those with the event, as the share says.
    pub fn outcomes(&self) -> (usize, usize) {
        (self.rows, (self.observed * self.rows as f64).round() as usize)
    }

    /// Number of independent rows of equal weight whose share of events has the same variance; all rows if all have the same outcome.
    pub fn effective_rows(&self) -> f64 {
        let rows = self.rows as f64;
        match self.share_variance > 0.0 {
            true => (self.observed * (1.0 - self.observed) / self.share_variance).min(rows),
            false => rows,
        }
    }
}

/// The metrics of a view that are compared: means and what behaves like one, so that intervals tell their spread.
pub fn compared_metrics(view: View) -> &'static [&'static str] {
    match view {
        View::Positive => &["intercept_large", "slope", "auroc", "brier"],
        View::TopLabel => &["nll", "brier_top", "auroc"],
    }
}

/// The numbers of the original predictions, with those of every group.
///
/// # Errors
/// `unknown_method` where the run has no `none`; `too_few_rows`.
pub fn run_numbers(data: &Predictions, run: &RunOutcome) -> Result<RunNumbers> {
    let rows = method_rows(run, None)?;
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let overall = Tally::of((0..rows.rows.len()).filter_map(triple(rows)), clusters)
        .ok_or_else(|| Error::new("too_few_rows", "0 rows are scored.", "Include rows to score."))?;
    let of_method = run.report.methods.iter().find(|method| method.name == rows.method.name);
    let known = compared_metrics(data.view).iter().filter_map(|id| {
        let metric = of_method?.metrics.get(*id)?;
        Some(((*id).to_owned(), Ends { value: metric.value?, low: metric.low?, high: metric.high? }))
    });
    let mut metrics: BTreeMap<String, Ends> = known.collect();
    let lacks = |id: &str| !metrics.contains_key(id);
    if data.view == View::Positive && [INTERCEPT_LARGE.id, SLOPE.id].into_iter().any(lacks) {
        for (id, found) in calibration_metrics(rows, Sampling { clusters, counted: rows.counted })? {
            metrics.entry(id.to_owned()).or_insert(found);
        }
    }
    let classes = match data.view {
        View::TopLabel => class_tallies(data, rows, clusters),
        View::Positive => Vec::new(),
    };
    let columns = group_tallies(data, rows);
    let omitted = columns.iter().map(|(column, _)| (column.clone(), OmittedGroups::default())).collect();
    let groups = columns.into_iter().flat_map(|(_, groups)| groups).collect();
    Ok(RunNumbers { overall, metrics, groups, classes, omitted: Some(omitted) })
}

/// Calibration in the large and slope, also of a run whose metrics they are not: case mix alone changes them least.
fn calibration_metrics(rows: &MethodRows, sampling: Sampling) -> Result<Vec<(&'static str, Ends)>> {
    let fit = clustered_intercept_slope(&rows.score, &rows.target, rows.weights(), sampling)?;
    let each = [(INTERCEPT_LARGE.id, fit.intercept_large), (SLOPE.id, fit.slope)];
    let ends = |found: WaldEstimate| Ends { value: found.value, low: found.low, high: found.high };
    let known = each.into_iter().filter_map(|(id, found)| Some((id, ends(found?))));
    Ok(known.filter(|(_, ends)| [ends.value, ends.low, ends.high].into_iter().all(f64::is_finite)).collect())
}

/// Of the probability of every class ([`pair::class_columns`]).
fn class_tallies(data: &Predictions, rows: &MethodRows, clusters: Option<RowClusters>) -> Vec<ClassTally> {
    let Some(y) = &data.y else { return Vec::new() };
    let one = |(class, p): (usize, Vec<f64>)| {
        let each = rows.rows.iter().zip(&p).enumerate().filter_map(|(at, (&row, &p))| {
            let event = *y.get(row as usize)? as usize == class;
            Some((p, u8::from(event), rows.weight.get(at).copied().unwrap_or(1.0)))
        });
        Some(ClassTally { class: data.labels.get(class)?.clone(), tally: Tally::of(each, clusters)? })
    };
    pair::class_columns(data, &rows.rows).into_iter().filter_map(one).collect()
}

/// Of every column with the role group the numbers of its groups; rows without a value are in none.
fn group_tallies(data: &Predictions, rows: &MethodRows) -> Vec<(String, Vec<GroupTally>)> {
    let columns = data.roles.iter().filter(|column| column.role == Role::Group);
    let of = |name: &String| {
        let by = grouping(data, std::slice::from_ref(name), QUANTILES).ok()?;
        Some((name.clone(), tallies(name, &by, rows)))
    };
    columns.take(MOST_COLUMNS).filter_map(|column| of(&column.name)).collect()
}

/// The numbers without those of groups that may not be told: no group of fewer than ten rows can be worked out by taking the
/// others from all. Which groups these are is decided by [`ColumnCounts`], with the rows without a value as a group of the column,
/// as for every table of the report.
fn releasable(data: &Predictions, run: &RunOutcome, numbers: RunNumbers, suppress: Option<u64>) -> RunNumbers {
    let mut omitted = numbers.omitted.unwrap_or_default();
    let mut groups = Vec::new();
    for (column, without) in &mut omitted {
        let shown = shown_values(data, run, column, suppress);
        for group in numbers.groups.iter().filter(|group| group.column == *column) {
            match (group.tally.rows < LEAST, shown.contains(&group.value)) {
                (true, _) => without.few += 1,
                (false, false) => without.protecting += 1,
                (false, true) => groups.push(group.clone()),
            }
        }
    }
    // as they were
    let place = |group: &GroupTally| numbers.groups.iter().position(|known| known.column == group.column);
    groups.sort_by_key(place);
    // how many rows are of a class could be worked out
    let classes = if suppress.is_some() { Vec::new() } else { numbers.classes };
    RunNumbers { groups, omitted: Some(omitted), classes, ..numbers }
}

/// That of the tables, and [`HIDDEN`] where it is larger.
fn leasts(suppress: u64) -> Vec<u64> {
    if suppress < HIDDEN { vec![suppress, HIDDEN] } else { vec![suppress] }
}

/// Values of a column that may be told of. With `suppress` they are those of the tables, too, and as if counts below ten were
/// suppressed; without it shares of few are told.
fn shown_values(data: &Predictions, run: &RunOutcome, column: &str, suppress: Option<u64>) -> BTreeSet<String> {
    let Ok(by) = grouping(data, &[column.to_owned()], QUANTILES) else { return BTreeSet::new() };
    let counts = ColumnCounts::of(run, &by);
    let out = match suppress {
        Some(least) => counts.left_out_for_each(&leasts(least)),
        None => counts.of_rows_alone().left_out(HIDDEN),
    };
    by.names.into_iter().zip(out).filter(|(_, out)| !out).map(|(value, _)| value).collect()
}

/// The scored row at a position as (s, t, w).
fn triple(rows: &MethodRows) -> impl Fn(usize) -> Option<(f64, u8, f64)> + Clone + '_ {
    |i| Some((*rows.score.get(i)?, *rows.target.get(i)?, rows.weight.get(i).copied().unwrap_or(1.0)))
}

/// Of each group. Its own clusters, where they are few, often make its variance too small: it is at least that of independent rows
/// times the design effect that the correlation within the clusters of all rows implies.
fn tallies(column: &str, by: &Grouping, rows: &MethodRows) -> Vec<GroupTally> {
    let all = rows.clusters.present();
    let correlation =
        all.as_ref().map_or(0.0, |all| outcome_correlation(&rows.score, &rows.target, &all.of, all.count));
    let one = |(value, positions): (&String, Vec<u32>)| {
        let each = positions.iter().map(|&i| i as usize).filter_map(triple(rows));
        let independent = Tally::of(each.clone(), None)?;
        let tally = match rows.clusters.at(&positions).present() {
            None => independent,
            Some(present) => {
                let robust = Tally::of(each, Some(present.rows()))?;
                let effect = design_effect(correlation, &present.of, present.count);
                Tally {
                    variance: robust.variance.max(effect * independent.variance),
                    share_variance: robust.share_variance.max(effect * independent.share_variance),
                    ..robust
                }
            }
        };
        Some(GroupTally { column: column.to_owned(), value: value.clone(), tally })
    };
    by.names.iter().zip(by.positions(&rows.rows)).filter_map(one).collect()
}

/// How the open file was read, with every column's role: what `open` makes the same of another file.
fn recipe(data: &Predictions) -> OpenOptions {
    let alone = |name: &str| data.roles.iter().filter(|column| column.name == name).count() == 1;
    let of_file = data.columns_of_files();
    let columns = || data.roles.iter().take(of_file).filter(|column| alone(&column.name));
    OpenOptions {
        view: Some(data.view),
        roles: columns().filter_map(|column| Some((column.name.clone(), declared(data, column)?))).collect(),
        readings: columns().filter_map(|column| Some((column.name.clone(), column.reading?))).collect(),
        positive: data.positive.and_then(|positive| data.labels.get(positive).cloned()),
        split: Some(match data.opened.split() {
            // The first rows of one file are not those of another.
            SplitOption::First { .. } => SplitOption::default(),
            split => split,
        }),
        clusters: match &data.clusters {
            Some(clusters) => Some(Some(clusters.column.clone())),
            None => data.opened.clusters.clone(),
        },
        session: None,
        ..data.opened.clone()
    }
}

/// The role of a column; that of percentages where a person said so, which no values of another file outweigh. Scores of
/// a model that is not open are scores as those of the open one: another file is opened with either. Of several columns a
/// model they have no role (`None`), and are recognized again.
fn declared(data: &Predictions, column: &ColumnRole) -> Option<Role> {
    let of = |name: &String| *name == column.name || *name == format!("{}:{}", column.file, column.name);
    let given = data.opened.roles.iter().find(|(name, _)| of(name)).map(|(_, role)| *role);
    let in_percent = data.opened.readings.iter().any(|(name, reading)| of(name) && *reading == Reading::Percent);
    let percent = column.reading == Some(Reading::Percent) && (given == Some(Role::Percent) || in_percent);
    match (column.role, given) {
        (Role::Probability | Role::Probabilities, _) if percent => Some(Role::Percent),
        (Role::Ignore, Some(role @ (Role::Percent | Role::Probability))) if data.model.is_some() => Some(role),
        (Role::Ignore, _) if column.is_of_other_model() => {
            let one_column = data.roles.iter().filter(|column| column.role == Role::Probability).count() == 1;
            one_column.then_some(Role::Probability)
        }
        (role, _) => Some(role),
    }
}

/// The session as JSON: `schema`, `version`, `open` (how columns were read and which rows), `run` (settings of the last
/// run), `page` (what the page wants to find again, as it was given), `calibrators` (recalibrations, refitted on every
/// calibration row) and `numbers` of the last run.
///
/// Recalibrations that ask for near rows carry rows of the data: they stay out, and `left_out` names them. Groups of fewer than 30
/// rows have no numbers, and those of fewer than ten cannot be worked out from the others of their column; recalibrations by the values
/// of a column treat values of fewer than ten rows, and what would tell of them, as new, and `left_out` says so. What is not
/// protected: what several columns that say nearly the same tell together; a group of enough rows may have few with the outcome, a
/// class may have few rows, and recalibrations by bins keep what they learned of few rows. With `suppress`, a smallest count,
/// recalibrations that may have learned of fewer rows stay out, as do groups of fewer rows, and groups of which fewer have or lack
/// the outcome. With `every_group`, for a comparison on the spot, the numbers of all groups are there.
///
/// # Errors
/// As fitting does; `too_few_rows` where all rows are fewer than `suppress`.
pub fn session_json(
    data: &Predictions,
    run: &RunOutcome,
    page: Option<&Value>,
    suppress: Option<u64>,
    every_group: bool,
) -> Result<Vec<u8>> {
    if let Some(least) = suppress {
        enough(data.view, run, least)?;
    }
    let recalibrated = run.rows.iter().any(|rows| rows.method.name != "none");
    let mut calibrators = if recalibrated { calibrator_value(data, run)? } else { Value::Null };
    let mut left_out = Vec::new();
    if recalibrated {
        let split = Split::new(data, run.report.settings.seed)?;
        let withheld = match suppress {
            Some(least) => Withheld::All(leasts(least)),
            None => Withheld::Values(HIDDEN),
        };
        left_out = withhold((data, run), &split, &mut calibrators, &withheld)?;
    }
    let numbers = run_numbers(data, run)?;
    let numbers = if every_group { numbers } else { releasable(data, run, numbers, suppress) };
    let any = calibrators.get("methods").and_then(Value::as_array).is_some_and(|methods| !methods.is_empty());
    let settings: &RunRequest = &run.report.settings;
    let mut value = json!({
        "schema": SESSION_SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "open": recipe(data),
        "run": settings,
        "page": page,
        "calibrators": if any { calibrators } else { Value::Null },
        "left_out": left_out,
        "numbers": numbers,
    });
    if every_group && let Some(fields) = value.as_object_mut() {
        fields.insert(EVERY_GROUP.to_owned(), true.into());
    }
    serde_json::to_vec_pretty(&value)
        .map_err(|error| Error::internal(format!("The session cannot be written: {error}.")))
}
