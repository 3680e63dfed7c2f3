//! The reliability diagram, beside it the measures.

use super::{DIAGRAM, Shown, groups};
use crate::analysis::finding::{self, Estimate, PartName};
use crate::data::View;
use crate::document::Piece;
use crate::error::Result;
use crate::metric::Metric;
use crate::metric::registry;
use crate::num::proportion::wilson_interval;
use crate::num::weight::{weighted_mean, weighted_share};
use crate::plot::figure::{Figure, Mark};
use crate::plot::reliability::{Histogram, ReliabilityChart, reliability};
use crate::report::MetricValue;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::small_cells::left_out;
use crate::report::view::reliability::{Shown as Diagram, diagram};
use crate::report::view::request::ReliabilityRequest;
use crate::words::number::{count, percent, significant};

/// What is told beside the numbers of the finding, as far as it was computed.
const BESIDE: &[&str] = &["nll", "ece"];
/// By which repairs are compared.
const OF_REPAIRS: &[&str] = &["nll", "brier"];

pub(super) fn pieces(shown: &Shown) -> Result<Vec<Piece>> {
    let mut beside = Vec::new();
    // the summary has said it where there is one
    let summary = shown.request.sections.as_ref().is_none_or(|parts| parts.contains(&crate::document::Part::Summary));
    let heading = shown.finding.and_then(|found| found.parts.iter().find(|part| part.id == PartName::Overall));
    if let Some(heading) = heading.map(|part| &part.heading).filter(|heading| !summary && !heading.is_empty()) {
        beside.push(Piece::Text(heading.clone()));
    }
    beside.push(Piece::Table(measures(shown)?));
    if shown.least().is_some() {
        beside
            .push(Piece::Note("Groups of few rows are left out of the diagram, and its curve is smoothed.".to_owned()));
    }
    beside.extend(repairs(shown).map(Piece::Table));
    Ok(vec![Piece::Beside(Box::new(figure(shown)?), beside)])
}

/// A measure of the predictions as they are.
pub(super) struct Measure {
    /// as people write it
    pub name: String,
    /// who defined it
    pub source: &'static str,
    /// what right scores would show says something beside it
    floor: bool,
    /// with its interval
    pub value: MetricValue,
}

/// Measures of the predictions as they are, in the order in which they are told: those of the finding, and what the run
/// has besides.
pub(super) fn told(shown: &Shown) -> Vec<Measure> {
    let names = finding::told(shown.data.view);
    let more = BESIDE.iter().copied().filter(|id| names.iter().all(|(known, _)| known != id));
    let found = shown.finding.map(|found| &found.overall);
    let base = shown.run.report.methods.iter().find(|method| method.id == "none");
    let measure = |id: &str, name: &str| {
        let metric = registry::metric(id);
        let ran = base.and_then(|base| base.metrics.get(id));
        let value = match found.and_then(|found| found.get(id)) {
            Some(Estimate { value, corrected, low, high, interval }) => MetricValue {
                interval: *interval,
                value: *value,
                corrected: *corrected,
                low: *low,
                high: *high,
                ..ran.cloned().unwrap_or_default()
            },
            None => ran?.clone(),
        };
        value.value?;
        Some(Measure {
            name: name.to_owned(),
            source: metric.map_or("", |metric| metric.source),
            floor: metric.is_some_and(|metric| metric.floor),
            value,
        })
    };
    let named = |id| registry::metric(id).map_or(id, |metric| metric.name);
    names.iter().copied().chain(more.map(|id| (id, named(id)))).filter_map(|(id, name)| measure(id, name)).collect()
}

/// The diagram of the finding; where bins of few rows are left out, or there is no finding, one made here.
fn figure(shown: &Shown) -> Result<Figure> {
    let found = shown.finding.filter(|_| shown.least().is_none());
    match found.and_then(|found| groups::figure(found, PartName::Overall, DIAGRAM)) {
        Some(figure) => Ok(Figure { caption: chart(shown)?.caption, ..figure }),
        None => Ok(reliability(&chart(shown)?, DIAGRAM)),
    }
}

/// The curve in the diagram, by its name in the key.
pub(super) fn curve(shown: &Shown) -> Result<&'static str> {
    let figure = figure(shown)?;
    let marks = || figure.panels.iter().flat_map(|panel| &panel.marks);
    let says = |name: &str| marks().any(|mark| matches!(mark, Mark::Text(text) if text.text.contains(name)));
    Ok(["isotonic", "kernel-smoothed", "loess", "spline"].into_iter().find(|name| says(name)).unwrap_or("smoothed"))
}

fn measures(shown: &Shown) -> Result<SheetTable> {
    let mut table = SheetTable::new("The scores as they are", &["Measure", "#Estimate", "#95 % interval"]);
    let rows = shown.base()?;
    let (says, happened) = (weighted_mean(&rows.score, rows.weights()), weighted_share(&rows.target, rows.weights()));
    let mean = |name: &str, share: f64| vec![Cell::from(name), Cell::number(percent(share), share), Cell::default()];
    match shown.data.view {
        View::Positive => {
            table.rows.push(mean("Mean predicted probability", says));
            let mut share = mean("Share that happened", happened);
            let n = rows.target.len() as f64;
            if let (None, Some(ends)) = (rows.weights(), share.last_mut()) {
                let (low, high) = wilson_interval(happened * n, n);
                *ends = Cell::from(format!("{} … {}", percent(low), percent(high)));
            }
            table.rows.push(share);
        }
        // the accuracy follows
        View::TopLabel => table.rows.push(mean("Mean confidence", says)),
    }
    for Measure { name, floor, value, .. } in told(shown) {
        // beside what noise pushes upwards stands where a calibrated model would be
        let beneath = match (value.corrected, value.floor_high.filter(|_| floor)) {
            (Some(corrected), Some(high)) => format!("corrected {}; if calibrated ≤ {}", tidy(corrected), tidy(high)),
            (Some(corrected), None) => format!("corrected {}", tidy(corrected)),
            _ => String::new(),
        };
        table.rows.push(vec![Cell::from(name).with_beneath(beneath), bare(&value), interval(&value)]);
    }
    Ok(table)
}

/// Three significant digits; what only rounding keeps from 0 is 0.
fn tidy(v: f64) -> String {
    significant(if v.abs() < 5e-6 { 0.0 } else { v })
}

fn bare(value: &MetricValue) -> Cell {
    value.value.map_or_else(Cell::default, |v| Cell::number(tidy(v), v))
}

fn estimate(value: &MetricValue) -> Cell {
    let Some(v) = value.value else {
        return Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() };
    };
    let corrected = value.corrected.map_or_else(String::new, |v| format!("corrected: {}", tidy(v)));
    Cell::number(tidy(v), v).with_beneath(corrected)
}

fn interval(value: &MetricValue) -> Cell {
    match (value.low, value.high) {
        (Some(low), Some(high)) => Cell::from(format!("{} … {}", tidy(low), tidy(high))),
        _ => Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() },
    }
}

/// Losses of the scores as they are, and of every repair less those; nothing where no repair was run.
fn repairs(shown: &Shown) -> Option<SheetTable> {
    let report = &shown.run.report;
    shown.repairs().next()?;
    let metrics: Vec<&Metric> = OF_REPAIRS.iter().filter_map(|id| registry::metric(id)).collect();
    let heads: Vec<String> = metrics.iter().map(|metric| format!("#{}", metric.name)).collect();
    let heads: Vec<&str> = std::iter::once("Scores").chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new("Repairs, on rows that no fit saw: difference, 95 % interval", &heads);
    for method in &report.methods {
        let mut row = vec![Cell::from(super::methods::title(&method.id, &method.name))];
        for metric in &metrics {
            row.push(match method.differences.get(metric.id) {
                Some(value) => signed(value),
                None => method.metrics.get(metric.id).map_or_else(Cell::default, estimate),
            });
        }
        table.rows.push(row);
    }
    Some(table)
}

fn signed(value: &MetricValue) -> Cell {
    let Some(v) = value.value else {
        return Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() };
    };
    let plus = if v > 0.0 { "+" } else { "" };
    let ends = match (value.low, value.high) {
        (Some(low), Some(high)) => format!("{} … {}", tidy(low), tidy(high)),
        _ => String::new(),
    };
    let better = value.high.is_some_and(|high| high < 0.0);
    let tone = if better { Tone::Best } else { Tone::Plain };
    Cell::number(format!("{plus}{}", tidy(v)), v).with_beneath(ends).toned(tone)
}

fn chart(shown: &Shown) -> Result<ReliabilityChart> {
    let rows = shown.base()?;
    // bins of few rows would show small cells
    let request = ReliabilityRequest { bins: Some(shown.least().is_none()), ..ReliabilityRequest::default() };
    let mut chart = diagram(shown.data.view, &[Diagram::of(rows, shown.run)], &request)?;
    if let Some(event) = shown.event() {
        chart.score_name = format!("predicted probability of {event}");
    }
    chart.caption = caption(shown, &chart)?;
    if let Some(least) = shown.least() {
        without_few(&mut chart, least);
    }
    Ok(chart)
}

/// What is drawn; how is told among the methods.
fn caption(shown: &Shown, chart: &ReliabilityChart) -> Result<String> {
    let rows = count(shown.rows()? as u64);
    Ok(match shown.least() {
        None => {
            let beyond = chart.beyond.words(&chart.events_name, &chart.others_name);
            let beyond = beyond.map_or_else(String::new, |words| format!(" {words}"));
            format!("{rows} rows; bins with 95\u{a0}% intervals; bars below on a square-root scale.{beyond}")
        }
        Some(_) => format!("{rows} rows; bars below on a square-root scale, without those of few."),
    })
}

/// Takes out bins and bars of few rows, and those from which they could be worked out.
fn without_few(chart: &mut ReliabilityChart, least: u64) {
    chart.consistency.clear();
    chart.pointwise.clear();
    for series in &mut chart.series {
        let counts = |n: u32, share: f64| {
            let events = (f64::from(n) * share).round() as u64;
            vec![u64::from(n), events, u64::from(n).saturating_sub(events)]
        };
        let lines: Vec<Vec<u64>> = series.bins.iter().map(|bin| counts(bin.n, bin.target)).collect();
        let out = left_out(&lines, least);
        let mut flags = out.unwrap_or_else(|| vec![true; lines.len()]).into_iter();
        series.bins.retain(|_| !flags.next().unwrap_or(true));
    }
    chart.histogram = coarser(&chart.histogram, least);
}

/// Bars of five each, without those of few rows.
fn coarser(histogram: &Histogram, least: u64) -> Histogram {
    const TOGETHER: usize = 5;
    let sums = |counts: &[u32]| counts.chunks(TOGETHER).map(|some| some.iter().sum::<u32>()).collect::<Vec<_>>();
    let (mut events, mut others) = (sums(&histogram.events), sums(&histogram.others));
    let both = events.iter().zip(&others);
    let lines: Vec<Vec<u64>> = both.map(|(a, b)| vec![u64::from(*a), u64::from(*b), u64::from(a + b)]).collect();
    let out = left_out(&lines, least).unwrap_or_else(|| vec![true; lines.len()]);
    for ((events, others), out) in events.iter_mut().zip(&mut others).zip(out) {
        if out {
            (*events, *others) = (0, 0);
        }
    }
    let last = histogram.edges.last().copied();
    let mut edges: Vec<f64> = histogram.edges.iter().step_by(TOGETHER).copied().collect();
    if edges.last().copied() != last {
        edges.extend(last);
    }
    Histogram { edges, events, others }
}
