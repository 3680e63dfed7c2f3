//! What was read.

use super::{DocumentInput, StatedPiece};
use crate::data::dates::Dates;
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{AttemptCounts, ColumnRole, Predictions, Reading, Role, RowPolicy, View};
use crate::error::Result;
use crate::markup::Piece;
use crate::num::weight::weighted_share;
use crate::report::disclosure::Basis;
use crate::report::small_cells::{ColumnCounts, is_small};
use crate::report::view::Fact;
use crate::table::NamedColumn;
use crate::words::number::{count, percent, significant};
use crate::words::text::{counted, first_of};

pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    let (data, report) = (shown.data, &shown.run.report);
    let mut facts = vec![fact("Scores", scores(shown)), outcome(shown)?];
    facts.extend(rows_read(shown));
    let mut basis = vec![Basis::AllRows; facts.len()];
    let dates = dates(data);
    // the first day is that of one row
    basis.extend(dates.iter().map(|_| Basis::Statistic(1)));
    facts.extend(dates);
    if let Some(clusters) = &data.clusters {
        let icc = shown.finding.and_then(|found| found.clusters.as_ref()).map_or_else(String::new, |of| {
            format!("; correlation of their outcomes beyond the scores: {}", significant(of.icc))
        });
        let number = count_or_small(shown, clusters.count);
        facts.push(fact(
            "Clusters",
            format!("{number}: rows with the same {} are treated as dependent{icc}", clusters.column),
        ));
    }
    if report.data.calibration_rows != report.data.evaluation_rows {
        facts.push(fact("Recalibration fitted on", counted(report.data.calibration_rows, "row")));
    }
    if let Some(column) = &report.data.weights {
        facts.push(fact("Weights", column.clone()));
    }
    facts.extend(columns(data));
    facts.push(fact("Missing values", missing(shown)));
    basis.resize(facts.len(), Basis::AllRows);
    Ok(vec![StatedPiece::new(Piece::Facts(facts), Basis::Lines(basis))])
}

fn fact(name: &str, value: String) -> Fact {
    Fact { name: name.to_owned(), value }
}

/// What was predicted, and in how many of the scored rows it occurred.
fn outcome(shown: &DocumentInput) -> Result<Fact> {
    let (data, rows) = (shown.data, shown.base()?);
    let share = percent(weighted_share(&rows.target, rows.weights()));
    let share = if rows.weights().is_some() { format!("weighted: {share}") } else { share };
    let observed = rows.target.iter().filter(|target| **target == 1).count() as u64;
    let observed = format!("{} of {} scored rows ({share})", count(observed), count(rows.target.len() as u64));
    let outcome = match (shown.event(), data.view) {
        (Some(event), _) => format!("{event}: {observed}"),
        (None, View::TopLabel) if data.y.is_none() => format!("correct or incorrect; correct in {observed}"),
        (None, View::TopLabel) => {
            format!("one of {} classes; the predicted class is correct in {observed}", data_classes(shown))
        }
        (None, View::Positive) => observed,
    };
    Ok(fact("Outcome", outcome))
}

/// The rows that were read and those that were not, and the attempts of a log that are excluded.
fn rows_read(shown: &DocumentInput) -> Vec<Fact> {
    let data = shown.data;
    // attempts are counted in a fact of their own, unless it would state a small count
    let attempts = data.attempts.as_ref();
    let attempts =
        attempts.filter(|counts| shown.least().is_none_or(|least| !is_small(counts.smallest() as u64, least)));
    let left_out = match data.dropped.saturating_sub(attempts.map_or(0, AttemptCounts::excluded)) {
        0 => String::new(),
        dropped => format!(", {} more excluded on reading", count_or_small(shown, dropped)),
    };
    let read = match data.selection() {
        Some(selection) => format!(
            "{} selected ({selection}); rows of the file outside this selection are not in this report",
            count(data.rows as u64)
        ),
        None => format!("{} used", count(data.rows as u64)),
    };
    let mut facts = vec![fact("Rows", format!("{read}{left_out}; scored: {}", shown.run.report.data.split))];
    facts.extend(attempts.map(|counts| fact("Attempts", counts.summary())));
    facts
}

/// The first and the last day of every column of dates.
fn dates(data: &Predictions) -> Vec<Fact> {
    let columns = data.roles.iter().zip(&data.table.columns).filter(|(column, _)| column.role == Role::Date);
    let of_column = |(column, values): (&ColumnRole, &NamedColumn)| {
        let dates = Dates::of(values)?;
        let (first, last) = dates.ends()?;
        Some(fact("Dates", format!("{}: {} to {}", column.name, dates.text(first), dates.text(last))))
    };
    columns.filter_map(of_column).collect()
}

/// The columns that form groups, or by which rows are similar.
fn columns(data: &Predictions) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (role, name) in [(Role::Group, "Groups"), (Role::Feature, "Features"), (Role::Features, "Arrays of features")] {
        let columns = data.roles.iter().filter(|column| column.role == role);
        let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        if !names.is_empty() {
            facts.push(fact(name, first_of(&names, LISTED)));
        }
    }
    facts
}

/// Rows that were excluded for a value that is needed, and cells without a value in the columns that are looked at.
fn missing(shown: &DocumentInput) -> String {
    let unanswered = shown.data.attempts.as_ref().map_or(0, AttemptCounts::excluded);
    let excluded = match (shown.data.opened.rows, shown.data.dropped.saturating_sub(unanswered)) {
        (RowPolicy::Error, _) | (_, 0) => String::new(),
        (RowPolicy::Drop, _) => {
            "rows with a missing or unusable score or outcome were excluded on reading; other columns: ".to_owned()
        }
    };
    let looked_at = |role: Role| matches!(role, Role::Group | Role::Feature | Role::Features | Role::Date);
    let columns = shown.data.roles.iter().filter(|column| looked_at(column.role) && column.missing > 0);
    let each: Vec<String> = columns
        .map(|column| match protects(shown, &column.name) {
            true => format!("{} withheld", column.name),
            false => format!("{} {}", column.name, count_or_small(shown, column.missing)),
        })
        .collect();
    match each.as_slice() {
        [] => format!("{excluded}none in the columns used"),
        each => format!(
            "{excluded}{}; missing values form a subgroup, and rows without a coordinate have no neighbors",
            each.join(", ")
        ),
    }
}

/// Whether the rows without a value of a column are withheld in its tables, and are not too few themselves.
fn protects(shown: &DocumentInput, column: &str) -> bool {
    let Some(least) = shown.least() else { return false };
    let Ok(by) = grouping(shown.data, &[column.to_owned()], QUANTILES) else { return false };
    let counts = ColumnCounts::of(shown.run, &by);
    let rows = counts.of_rows_alone();
    counts.left_out(least).last() == Some(&true) && !rows.is_small(rows.missing(), least)
}

/// A number of rows, or that it is small.
fn count_or_small(shown: &DocumentInput, rows: usize) -> String {
    crate::report::small_cells::count_or_small(rows as u64, shown.least())
}

/// Names that are listed; of more, the first.
const LISTED: usize = 12;

fn data_classes(shown: &DocumentInput) -> usize {
    shown.run.report.data.classes
}

fn scores(shown: &DocumentInput) -> String {
    let percent = shown.run.report.data.readings.iter().filter(|(_, reading)| **reading == Reading::Percent);
    let read: Vec<&str> = percent.map(|(column, _)| column.as_str()).collect();
    let how = match read.as_slice() {
        [] => String::new(),
        names => format!("; read as percent: {}", names.join(", ")),
    };
    let what = match shown.data.view {
        View::Positive => "probability of the outcome",
        View::TopLabel if shown.data.y.is_none() => "probability of being correct",
        View::TopLabel => "confidence of the predicted class",
    };
    format!("{}, {what}{how}", shown.scores())
}
