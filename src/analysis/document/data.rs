//! What was read.

use super::{DocumentInput, Ungated};
use crate::data::dates::Dates;
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{AttemptCounts, Reading, Role, RowPolicy, View};
use crate::document::Piece;
use crate::error::Result;
use crate::num::weight::weighted_share;
use crate::report::disclosure::Basis;
use crate::report::small_cells::{ColumnCounts, is_small};
use crate::report::view::Fact;
use crate::words::number::{count, percent};
use crate::words::text::{counted, first_of};

pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<Ungated>> {
    let (data, report) = (shown.data, &shown.run.report);
    let rows = shown.base()?;
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let mut facts = vec![fact("Scores", scores(shown))];
    let share = match rows.weights().filter(|_| !rows.counted) {
        Some(weights) => format!("weighted: {}", percent(weighted_share(&rows.target, Some(weights)))),
        None => percent(weighted_share(&rows.target, rows.weights())),
    };
    let observed = rows.target.iter().filter(|target| **target == 1).count() as u64;
    // where small counts are left out, this is none: the document is refused before
    let observed = count(observed);
    facts.push(match (shown.event(), data.view) {
        (Some(event), _) => {
            fact("Outcome", format!("{event}: {observed} of {} scored rows ({share})", count(rows.target.len() as u64)))
        }
        (None, View::TopLabel) if data.y.is_none() => fact(
            "Outcome",
            format!(
                "correct or incorrect; correct in {observed} of {} scored rows ({share})",
                count(rows.target.len() as u64)
            ),
        ),
        (None, View::TopLabel) => fact(
            "Outcome",
            format!(
                "one of {} classes; the predicted class is correct in {observed} of {} scored rows ({share})",
                data_classes(shown),
                count(rows.target.len() as u64)
            ),
        ),
        (None, View::Positive) => {
            fact("Outcome", format!("{observed} of {} scored rows ({share})", count(rows.target.len() as u64)))
        }
    });
    // attempts of a log that are excluded are counted in a fact of their own, unless it would state a small count
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
        None => format!("{} read", count(data.rows as u64)),
    };
    facts.push(fact("Rows", format!("{read}{left_out}; scored: {}", report.data.split)));
    facts.extend(attempts.map(|counts| fact("Attempts", counts.told())));
    let mut basis = vec![Basis::AllRows; facts.len()];
    for (column, values) in data.roles.iter().zip(&data.table.columns).filter(|(column, _)| column.role == Role::Date) {
        if let Some(dates) = Dates::of(values)
            && let Some((first, last)) = dates.ends()
        {
            facts.push(fact("Dates", format!("{}: {} to {}", column.name, dates.text(first), dates.text(last))));
            // the first day is that of one row
            basis.push(Basis::Statistic(1));
        }
    }
    if let Some(clusters) = &data.clusters {
        facts.push(fact("Clusters", format!("rows with the same {} are treated as dependent", clusters.column)));
    }
    if report.data.calibration_rows != report.data.evaluation_rows {
        facts.push(fact("Recalibration fitted on", counted(report.data.calibration_rows, "row")));
    }
    if let Some(column) = &report.data.weights {
        facts.push(fact("Weights", column.clone()));
    }
    let described = |role: Role| {
        let columns = data.roles.iter().filter(|column| column.role == role);
        columns.map(|column| column.name.as_str()).collect::<Vec<_>>()
    };
    for (role, name) in [(Role::Group, "Groups"), (Role::Feature, "Features"), (Role::Features, "Arrays of features")] {
        let names = described(role);
        if !names.is_empty() {
            facts.push(fact(name, first_of(&names, LISTED)));
        }
    }
    facts.push(fact("Missing values", missing(shown)));
    basis.resize(facts.len(), Basis::AllRows);
    Ok(vec![Ungated::new(Piece::Facts(facts), Basis::Lines(basis))])
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
            "{excluded}{}; missing values form a subgroup, and rows without a coordinate are not on the map",
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
