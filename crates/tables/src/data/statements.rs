//! Statements about an open file: the page puts beside each what corrects it.

use serde::Serialize;

use super::clusters::choice::ClusterSummary;
use super::dates::{Dates, Exactness, day_of, is_of_birth};
use super::roles::{ColumnRole, Reading, Role};
use super::sentinels::Sentinel;
use super::weights::Weights;
use crate::num::order::sort_short;
use crate::table::Table;
use crate::words::calendar::written;
use crate::words::number::percent;
use crate::words::text::{bounded, counted, thousands};

/// Columns with gaps that are listed one by one.
const LISTED_ALONE: usize = 3;
/// Spans of more days than this are told in months.
const MONTHS_FROM: f64 = 92.0;

/// A statement about an open file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// topic
    pub about: About,
    /// the sentence: "2,500 rows", "risk in percent", "died = Y is the event, 12.6%"
    pub text: String,
    /// the column concerned; null if it concerns no single column
    pub column: Option<String>,
}

/// Topic of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// number of rows
    Rows,
    /// which evaluation log was recognized, and how its fields were interpreted
    Log,
    /// attempts of a log without a confidence or a judgment, and how they are counted
    Unanswered,
    /// rows excluded because they cannot be used, or because the model was fitted to them
    Dropped,
    /// how predicted probabilities are read
    Score,
    /// observed outcome and its frequency
    Outcome,
    /// clusters of dependent rows
    Clusters,
    /// range of dates
    Dates,
    /// columns with missing values
    Gaps,
    /// a value that may represent a missing one, or is treated as missing
    Missing,
    /// a separator between digits that may mark decimals or thousands
    Marks,
    /// a last row that contains totals
    Totals,
    /// several models that predict the same rows
    Models,
}

/// Only some rows of the files are open.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cohort {
    /// description: "ward = ICU and age ≥ 70"
    pub description: String,
    /// rows of the files
    pub of: usize,
    /// rows that do not meet the conditions
    pub left_out: usize,
}

/// The outcome that counts as 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// label as in the file
    pub label: String,
    /// column of the label; null if there is none
    pub column: Option<String>,
    /// rows with it
    pub rows: usize,
    /// share of the rows with it, by their weights where there are some
    pub share: f64,
}

/// From when to when a column of dates goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DateRange {
    /// name of the column
    pub column: String,
    /// the first date, as the column has it: `2023-01-02`
    pub from: String,
    /// the last date
    pub to: String,
    /// days from the first to the last
    pub days: f64,
}

/// What there is to tell of an open file.
pub(super) struct Facts<'a> {
    pub table: &'a Table,
    /// how many rows it is; of counts as many as were counted
    pub rows: usize,
    pub roles: &'a [ColumnRole],
    pub cohort: Option<&'a Cohort>,
    pub dropped: usize,
    /// training rows that are left out
    pub trained_on: usize,
    pub totals: Option<bool>,
    pub event: Option<&'a Event>,
    pub classes: usize,
    /// share of the rows whose prediction was right, where that is all that is known
    pub right: Option<f64>,
    pub dates: &'a [DateRange],
    pub clusters: Option<&'a ClusterSummary>,
    /// the column that would define clusters if the user had not declined
    pub declined: Option<&'a str>,
    pub models: &'a [String],
    /// what evaluation logs say of themselves
    pub logs: &'a [String],
    /// what becomes of their attempts: counts in words, and the column that says why
    pub attempts: Option<(&'a str, &'a str)>,
}

/// Columns of dates with their ends: the one that says when rows were predicted first, dates of birth last.
pub(super) fn date_ranges(table: &Table, roles: &[ColumnRole]) -> Vec<DateRange> {
    let named = table.columns.iter().zip(roles).filter(|(_, role)| role.role == Role::Date);
    let mut found: Vec<(bool, DateRange)> = named
        .filter_map(|(column, _)| {
            let dates = Dates::of(column)?;
            let (first, last) = dates.ends()?;
            let range = DateRange {
                column: column.name.clone(),
                from: dates.text(first),
                to: dates.text(last),
                days: last - first,
            };
            Some((is_of_birth(&column.name), range))
        })
        .collect();
    sort_short(&mut found, |a, b| !a.0 && b.0);
    found.into_iter().map(|(_, range)| range).collect()
}

/// The event of two classes, `positive` among them.
pub(super) fn event(
    labels: &[String],
    positive: Option<usize>,
    y: Option<&[u32]>,
    weights: Option<&Weights>,
    roles: &[ColumnRole],
) -> Option<Event> {
    let (positive, y) = (positive?, y?);
    let happened = |class: &u32| *class as usize == positive;
    let share = match weights {
        None => y.iter().filter(|class| happened(class)).count() as f64 / y.len().max(1) as f64,
        Some(weights) => {
            let both = y.iter().zip(weights.values.iter());
            let (of_event, all) = both.fold((0.0, 0.0), |(of_event, all), (class, w)| {
                (if happened(class) { of_event + w } else { of_event }, all + w)
            });
            if all > 0.0 { of_event / all } else { 0.0 }
        }
    };
    Some(Event {
        label: labels.get(positive)?.clone(),
        column: only_name(roles, Role::Label).map(str::to_owned),
        rows: match weights.filter(|weights| weights.counted) {
            Some(counts) => {
                let of_event = y.iter().zip(counts.values.iter()).filter(|(class, _)| happened(class));
                of_event.map(|(_, rows)| rows).sum::<f64>().round() as usize
            }
            None => y.iter().filter(|class| happened(class)).count(),
        },
        share,
    })
}

/// Rows of the file, at most five, a text for each column.
pub(super) fn first_rows(roles: &[ColumnRole]) -> Vec<Vec<String>> {
    let rows = roles.iter().map(|column| column.preview.len()).max().unwrap_or(0);
    let row = |i| roles.iter().map(|column| column.preview.get(i).cloned().unwrap_or_default()).collect();
    (0..rows).map(row).collect()
}

/// Statements about the file, in the order in which a person asks.
pub(super) fn statements(of: &Facts) -> Vec<Statement> {
    let part =
        |about, text, column: Option<&str>| Statement { about, text: bounded(text), column: column.map(str::to_owned) };
    let mut all = vec![part(About::Rows, rows(of), None)];
    all.extend(of.logs.iter().map(|log| part(About::Log, log.clone(), None)));
    all.extend(of.attempts.map(|(text, column)| part(About::Unanswered, text.to_owned(), Some(column))));
    if of.dropped > 0 {
        let text = format!("{} excluded: a value is missing or invalid", counted(of.dropped, "row"));
        all.push(part(About::Dropped, text, None));
    }
    if of.trained_on > 0 {
        let column = only_name(of.roles, Role::Split);
        let of_column = column.map_or_else(String::new, |column| format!(" in {column}"));
        let text = format!("{} excluded: training rows{of_column}", counted(of.trained_on, "row"));
        all.push(part(About::Dropped, text, column));
    }
    all.extend(score(of.roles).map(|(text, column)| part(About::Score, text, column)));
    all.extend(outcome(of).map(|(text, column)| part(About::Outcome, text, column)));
    if let Some(clusters) = of.clusters {
        all.push(part(About::Clusters, clusters.in_words(), Some(&clusters.column)));
    } else if let Some(column) = of.declined {
        let text = format!("rows are treated as independent, although {column} repeats");
        all.push(part(About::Clusters, text, Some(column)));
    }
    if let Some(range) = of.dates.first() {
        all.push(part(About::Dates, format!("{} {}", range.column, range.in_words()), Some(&range.column)));
    }
    all.extend(gaps(of).into_iter().map(|(text, column)| part(About::Gaps, text, column)));
    all.extend(sentinels(of).into_iter().map(|(text, column)| part(About::Missing, text, Some(column))));
    all.extend(marks(of.roles).into_iter().map(|(text, column)| part(About::Marks, text, Some(column))));
    if let Some(left_out) = of.totals {
        let text =
            if left_out { "the last row contains totals and is excluded" } else { "the last row is treated as data" };
        all.push(part(About::Totals, text.to_owned(), None));
    }
    if of.models.len() > 1 {
        let text = format!("{} scores found: {}", thousands(of.models.len()), of.models.join(", "));
        all.push(part(About::Models, text, None));
    }
    all
}

fn rows(of: &Facts) -> String {
    match of.cohort {
        Some(cohort) => {
            format!("{} of {}: {}", thousands(of.rows), counted(cohort.of, "row"), cohort.description)
        }
        None => counted(of.rows, "row"),
    }
}

fn score(roles: &[ColumnRole]) -> Option<(String, Option<&str>)> {
    let kinds = [
        (Role::Probability, "is the probability", "columns of probabilities"),
        (Role::Probabilities, "contains the probabilities", "arrays of probabilities"),
        (Role::Logit, "is the logit", "columns of logits"),
        (Role::Logits, "contains the logits", "arrays of logits"),
        (Role::Confidence, "is the confidence of the prediction", "columns of confidence"),
    ];
    kinds.into_iter().find_map(|(role, is, many)| {
        let columns: Vec<&ColumnRole> = roles.iter().filter(|column| column.role == role).collect();
        let percent = columns.first()?.reading == Some(Reading::Percent);
        match columns.as_slice() {
            [one] if percent => Some((format!("{} in percent", one.name), Some(one.name.as_str()))),
            [one] => Some((format!("{} {is}", one.name), Some(one.name.as_str()))),
            several => {
                let percent = if percent { ", in percent" } else { "" };
                Some((format!("{} {many}{percent}", thousands(several.len())), None))
            }
        }
    })
}

fn outcome<'a>(of: &Facts<'a>) -> Option<(String, Option<&'a str>)> {
    let label = only_name(of.roles, Role::Label);
    if let Some(event) = of.event {
        let whose = event.column.as_ref().map_or_else(String::new, |column| format!("{column} = "));
        return Some((format!("{whose}{} is the event, {}", event.label, percent(event.share)), label));
    }
    if let Some(right) = of.right {
        let column = only_name(of.roles, Role::Correct);
        return Some((format!("correct in {}", percent(right)), column.or(label)));
    }
    let labeled = of.roles.iter().any(|column| column.role == Role::Label);
    (labeled && of.classes > 0).then(|| {
        let whose = label.map_or_else(String::new, |label| format!(" ({label})"));
        (format!("{} classes{whose}", thousands(of.classes)), label)
    })
}

/// "bmi empty in 18 %", for the columns that are used.
fn gaps<'a>(of: &Facts<'a>) -> Vec<(String, Option<&'a str>)> {
    let used = of.roles.iter().filter(|column| column.missing > 0 && column.role != Role::Ignore);
    let share = |column: &ColumnRole| percent(column.missing as f64 / of.table.rows.max(1) as f64);
    let mut used: Vec<&ColumnRole> = used.collect();
    if used.len() <= LISTED_ALONE {
        let each = |column: &&'a ColumnRole| {
            (format!("{} empty in {}", column.name, share(column)), Some(column.name.as_str()))
        };
        return used.iter().map(each).collect();
    }
    sort_short(&mut used, |a, b| a.missing > b.missing);
    let most = used.first().map_or_else(String::new, |most| format!(", most {} ({})", most.name, share(most)));
    vec![(format!("{} columns have missing values{most}", thousands(used.len())), None)]
}

/// "age is 999 in 5.0%: missing?" or "age 999 is treated as missing (5.0%)", a column each.
fn sentinels<'a>(of: &Facts<'a>) -> Vec<(String, &'a str)> {
    let share = |one: &Sentinel| percent(one.rows as f64 / of.table.rows.max(1) as f64);
    let columns = of.roles.iter().filter(|column| !column.sentinels.is_empty());
    columns
        .map(|column| {
            let each = column.sentinels.iter().map(|one| match one.missing {
                true => format!("{} is treated as missing ({})", one.value.text(), share(one)),
                false => format!("is {} in {}: missing?", one.value.text(), share(one)),
            });
            (format!("{} {}", column.name, each.collect::<Vec<_>>().join(", ")), column.name.as_str())
        })
        .collect()
}

/// "cost: 11,197 is read as thousands", of columns that are used.
fn marks(roles: &[ColumnRole]) -> Vec<(String, &str)> {
    let used = roles.iter().filter(|column| column.role != Role::Ignore);
    used.filter_map(|column| {
        let written = column.written.as_ref()?;
        let meant = match column.reading {
            Some(Reading::Thousands) => "thousands",
            Some(Reading::Decimal) => "a decimal",
            _ => return None,
        };
        Some((format!("{}: {written} is read as {meant}", column.name), column.name.as_str()))
    })
    .collect()
}

impl DateRange {
    /// "2023-01 to 2024-06"
    fn in_words(&self) -> String {
        let short = |text: &str| {
            let long = self.days > MONTHS_FROM && text.len() > 7;
            day_of(text).filter(|_| long).map_or_else(|| text.to_owned(), |day| written(day, Exactness::Month))
        };
        if self.from == self.to { self.from.clone() } else { format!("{} to {}", short(&self.from), short(&self.to)) }
    }
}

fn only_name(roles: &[ColumnRole], role: Role) -> Option<&str> {
    let mut named = roles.iter().filter(|column| column.role == role);
    match (named.next(), named.next()) {
        (Some(only), None) => Some(&only.name),
        _ => None,
    }
}
