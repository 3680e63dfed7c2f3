//! Correlations as a sheet.

use std::fmt::Write;

use super::{Correlation, CorrelationOutcome, Observation};
use crate::analysis::CorrelationRequest;
use crate::analysis::entry::{Described, number_field};
use crate::data::Predictions;
use crate::data::grouping::group_columns;
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::title;
use crate::metric::entry::MetricRequirement;
use crate::metric::local_error::MLCE;
use crate::metric::registry::{self, metric};
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::palette::Ink;
use crate::plot::scatter::{ScatterAxis, ScatterChart, ScatterPoint, ScatterSeries};
use crate::report::RunOutcome;
use crate::report::csv::guarded;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::view::Fact;
use crate::words::number::{count, fixed};

/// Methods that a chart can tell apart by form and color.
const MOST_SERIES: usize = 6;

/// The metric's name, or its id.
fn name(id: &str) -> &str {
    metric(id).map_or(id, |metric| metric.name)
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    outcome: &CorrelationOutcome,
    parts: &[Vec<&Drawn>],
) -> Sheet {
    let charts: Vec<Chart> = outcome.pooled.iter().filter(|one| one.n > 1).map(|one| chart(outcome, one)).collect();
    // r is of all rows that are scored; each value that it is of, of what its metric is of
    let fewest = parts.iter().flatten().map(|part| part.rows as u64).min().unwrap_or(0);
    let of_r = Basis::Statistic(fewest);
    let metrics = outcome.pooled.iter().map(|one| one.metric.as_str()).chain([against(outcome)]);
    let of_values = Basis::all_of(metrics.map(|id| Basis::of_metric_of(id, run)).chain([of_r.clone()]));
    let said = if strongest(outcome).is_some() { of_r.clone() } else { Basis::Unknown };
    let mut blocks =
        vec![Block::Reading(reading(outcome)).of(said), Block::Facts(facts(outcome, parts)).of(Basis::Count(fewest))];
    if !charts.is_empty() {
        blocks.push(Block::Charts(charts).of(of_values.clone()));
    }
    // why a metric has no value anywhere may count rows
    let known = |k: usize, pooled: &Correlation| {
        let own = outcome.per_method.iter().filter_map(|one| one.metrics.get(k));
        own.chain([pooled]).all(|one| one.r.is_some() || one.n > 0)
    };
    let lines = outcome.pooled.iter().enumerate();
    let lines = lines.map(|(k, pooled)| if known(k, pooled) { of_r.clone() } else { Basis::Unknown });
    blocks.push(Block::Table(table(outcome)).of(Basis::Lines(lines.collect())));
    let told = outcome.warnings.iter();
    blocks.extend(told.map(|warning| Block::Note(warning.message.clone()).of(Basis::Setting)));
    blocks.push(
        Block::Note(
            "r: Pearson correlation, with one observation per method and split of the rows, or per method and file. \
         Splits share rows and methods share scores, so observations are not independent and r has no interval. A \
         method that does not change the scores has the same values whenever the same rows are evaluated; its r is \
         then undefined. The largest error of a group is noisy in small groups."
                .to_owned(),
        )
        .of(Basis::Setting),
    );
    blocks.push(Block::Download { name: "correlation.csv".to_owned(), text: csv(outcome) }.of(of_values));
    Sheet::new(fields(data, run, outcome), blocks)
}

fn against(outcome: &CorrelationOutcome) -> &str {
    outcome.settings.against.as_deref().unwrap_or_default()
}

/// The metric with the largest r; a maximum that the place with the fewest rows decides is not among them.
fn strongest(outcome: &CorrelationOutcome) -> Option<(&Correlation, f64)> {
    let known = outcome.pooled.iter().filter(|one| registry::supported(&one.metric).is_none());
    known.filter_map(|one| Some((one, one.r?))).max_by(|a, b| a.1.total_cmp(&b.1))
}

fn reading(outcome: &CorrelationOutcome) -> String {
    let worst = name(against(outcome));
    let Some((most, r)) = strongest(outcome) else {
        let why = outcome.pooled.iter().find_map(|one| one.reason.clone());
        return format!(
            "No correlation with {worst} can be computed: {}.",
            why.unwrap_or_else(|| "no metric was requested".to_owned())
        );
    };
    let observations = count(most.n as u64);
    if r <= 0.0 {
        return format!("No metric correlates positively with {worst} ({observations} observations).");
    }
    let least = outcome.pooled.iter().filter_map(|one| Some((one, one.r?)));
    let least = least.min_by(|a, b| a.1.total_cmp(&b.1));
    let beside = match least.filter(|(one, _)| one.metric != most.metric) {
        Some((one, r)) => format!("; lowest: {}, r = {}", name(&one.metric), fixed(r, 2)),
        None => String::new(),
    };
    // of the metrics that are not compared
    let excluded = outcome.pooled.iter().filter(|one| registry::supported(&one.metric).is_some());
    let above = excluded.filter_map(|one| Some((one, one.r?))).filter(|(_, other)| *other > r);
    let above = above.max_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(String::new, |(one, other)| {
        format!(
            " Not compared: {} (r = {}), which the place with the fewest rows decides.",
            name(&one.metric),
            fixed(other, 2)
        )
    });
    format!(
        "{} has the highest correlation with {worst} (r = {}, {observations} observations{beside}).{above} Observations share \
         rows, so significance is not assessed.",
        name(&most.metric),
        fixed(r, 2),
    )
}

fn facts(outcome: &CorrelationOutcome, parts: &[Vec<&Drawn>]) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let settings = &outcome.settings;
    let repeats = settings.repeats.unwrap_or(1);
    let seed = settings.seed.unwrap_or(0);
    let divided = match (&settings.by, repeats) {
        _ if settings.names.is_some() => format!("{repeats} files, each split once"),
        (Some(column), _) => format!("{repeats} times, by column {column}"),
        (None, 1) => "once".to_owned(),
        (None, _) => format!("{repeats} times, seeds {seed} to {}", seed.wrapping_add(repeats as u64 - 1)),
    };
    let mut facts = vec![
        fact("splits", divided),
        fact("methods", count(outcome.per_method.len() as u64)),
        fact("observations", count(outcome.observations.len() as u64)),
    ];
    if let Some(part) = parts.first().and_then(|methods| methods.first()) {
        facts.push(fact("rows evaluated", count(part.rows as u64)));
    }
    if let Some(groups) = &settings.groups {
        facts.push(fact("group by", groups.join(" × ")));
    }
    facts
}

/// Metrics × (all methods, every method).
fn table(outcome: &CorrelationOutcome) -> SheetTable {
    let heads: Vec<String> = outcome.per_method.iter().map(|one| format!("#{}", title(&one.method))).collect();
    let mut titles = vec!["Metric", "#All methods"];
    titles.extend(heads.iter().map(String::as_str));
    let caption = format!("Correlation with {}", name(against(outcome)));
    let mut table = SheetTable::new(caption, &titles);
    let best = strongest(outcome).map(|(one, _)| one.metric.as_str());
    for (k, pooled) in outcome.pooled.iter().enumerate() {
        let own = outcome.per_method.iter().filter_map(|one| one.metrics.get(k));
        let tone = if best == Some(pooled.metric.as_str()) { Tone::Best } else { Tone::Plain };
        let mut row = vec![Cell::from(name(&pooled.metric)), cell(pooled).toned(tone)];
        row.extend(own.map(cell));
        table.rows.push(row);
    }
    table
}

/// r, and how many observations it is of.
fn cell(one: &Correlation) -> Cell {
    let n = format!("n = {}", count(one.n as u64));
    match (one.r, &one.reason) {
        (Some(r), _) => Cell::number(fixed(r, 2), r).with_beneath(n),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("undefined");
            Cell::from("–").with_beneath(format!("{n}: {reason}")).toned(Tone::Muted)
        }
    }
}

fn chart(outcome: &CorrelationOutcome, one: &Correlation) -> Chart {
    let to = against(outcome);
    let point = |observation: &Observation| {
        let value = |id: &str| observation.values.get(id).copied().flatten();
        Some(ScatterPoint {
            x: value(&one.metric)?,
            y: value(to)?,
            note: match &outcome.settings.names {
                Some(_) => format!("{}, {}", title(&observation.method), repeat(outcome, observation)),
                None => format!("{}, split {}", title(&observation.method), observation.repeat + 1),
            },
            ..ScatterPoint::default()
        })
    };
    let of = |method: Option<&str>| -> Vec<ScatterPoint> {
        let asked = |one: &&Observation| method.is_none_or(|name| one.method == name);
        outcome.observations.iter().filter(asked).filter_map(point).collect()
    };
    let series = if (2..=MOST_SERIES).contains(&outcome.per_method.len()) {
        let each = outcome.per_method.iter().enumerate();
        each.map(|(k, one)| ScatterSeries::new(title(&one.method), k, of(Some(&one.method)))).collect()
    } else {
        vec![ScatterSeries { ink: Ink::Before, ..ScatterSeries::new("", 0, of(None)) }]
    };
    let r = one.r.map_or_else(|| "undefined".to_owned(), |r| fixed(r, 2));
    let chart = ScatterChart {
        series,
        x: ScatterAxis::new(name(&one.metric)),
        y: ScatterAxis::new(name(to)),
        title: format!("{}: r = {r}", name(&one.metric)),
        caption: format!(
            "One point per method and {}, {} in total.",
            match &outcome.settings.names {
                Some(_) => "file",
                None => "split of the rows",
            },
            count(one.n as u64)
        ),
        ..ScatterChart::default()
    };
    Chart::new(chart, ChartWidth::Third)
}

/// The name of its file, where there are several; else its number.
fn repeat(outcome: &CorrelationOutcome, one: &Observation) -> String {
    let names = outcome.settings.names.as_ref();
    let name = names.and_then(|names| names.get(one.repeat));
    name.map_or_else(|| (one.repeat + 1).to_string(), |name| guarded(name))
}

/// Every observation.
fn csv(outcome: &CorrelationOutcome) -> String {
    let settings = &outcome.settings;
    let metrics = settings.metrics.iter().flatten();
    let ids: Vec<&str> = metrics.map(String::as_str).chain([against(outcome)]).collect();
    let mut text = format!("repeat,method,{}\n", ids.join(","));
    for one in &outcome.observations {
        let _ = write!(text, "{},{}", repeat(outcome, one), guarded(&one.method));
        for id in &ids {
            let value = one.values.get(*id).copied().flatten();
            let _ = write!(text, ",{}", value.map_or_else(String::new, |v| v.to_string()));
        }
        text.push('\n');
    }
    text
}

fn fields(data: &Predictions, run: &RunOutcome, outcome: &CorrelationOutcome) -> Vec<Field> {
    let settings = &outcome.settings;
    let field = CorrelationRequest::field;
    let asked = |value: &Option<Vec<String>>| value.clone().unwrap_or_default();
    let local = settings.metrics.iter().flatten().any(|id| id == MLCE.id);
    let local = local || run.report.settings.local.is_some();
    let metrics = registry::scorecard().filter(|metric| local || !metric.is_local());
    let of_groups = registry::requiring(MetricRequirement::Groups).into_iter().map(|metric| (metric.id, metric.name));
    let mut fields = vec![
        field("methods", FieldKind::Several { value: asked(&settings.methods), choices: run.method_choices() }),
        field("metrics", FieldKind::metrics(asked(&settings.metrics), metrics)),
        field("against", FieldKind::choice(against(outcome), of_groups)),
        field("groups", FieldKind::several_named(asked(&settings.groups), group_columns(data))),
    ];
    if settings.by.is_none() && settings.names.is_none() {
        let repeats = settings.repeats.map(|count| count as f64);
        fields.push(number_field::<CorrelationRequest>("repeats", repeats));
    }
    fields
}
