//! The reliability diagram, beside it the measures.

use super::{DIAGRAM, DocumentInput, StatedPiece, groups};
use crate::analysis::finding::{self, Estimate, PartName};
use crate::data::{PresentClusters, View};
use crate::error::Result;
use crate::evaluation::method::MethodKind;
use crate::markup::Piece;
use crate::metric::Metric;
use crate::metric::registry;
use crate::num::cluster::{RowClusters, design_effect, within_cluster_correlation};
use crate::num::proportion::wilson_interval;
use crate::num::weight::{weighted_mean, weighted_share};
use crate::plot::figure::{Figure, Mark};
use crate::plot::reliability::{ReliabilityChart, reliability};
use crate::report::disclosure::{Audit, Basis, Stated};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::view::reliability::{DiagramScores as Diagram, diagram, without_few};
use crate::report::view::request::ReliabilityRequest;
use crate::report::{MethodRows, MetricValue};
use crate::words::number::{count, percent, percent_interval, significant};
use crate::words::text::counted;

/// What is told beside the numbers of the finding, as far as it was computed.
const BESIDE: &[&str] = &["nll", "ece"];
/// Metrics by which recalibrations are compared.
const COMPARED_BY: &[&str] = &["nll", "brier"];

pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    let mut beside = Vec::new();
    // the summary has said it where there is one
    let summary =
        shown.request.sections.as_ref().is_none_or(|parts| parts.contains(&crate::markup::ReportPart::Summary));
    let heading = shown.finding.and_then(|found| found.parts.iter().find(|part| part.id == PartName::Overall));
    if let Some(heading) = heading.map(|part| &part.heading).filter(|heading| !summary && !heading.is_empty()) {
        beside.push(StatedPiece::all_rows(Piece::Text(heading.clone())));
    }
    if let Some(time) = shown.finding.and_then(|found| found.time.as_ref()) {
        beside.push(StatedPiece::all_rows(Piece::Text(time.sentence.clone())));
    }
    let Stated { what, basis } = measures(shown)?;
    beside.push(StatedPiece::new(Piece::Table(what), basis));
    if shown.least().is_some() {
        let note = "Bins with few rows are withheld from the diagram, and its smoothed curve is truncated there.";
        beside.push(StatedPiece::setting(Piece::Note(note.to_owned())));
    }
    if let Some(table) = recalibrations(shown) {
        beside.push(StatedPiece::all_rows(Piece::Table(table)));
        let recommended =
            (shown.recommended()).filter(|_| shown.least().is_none() && shown.recommended_rows().is_none());
        beside.extend(recommended.map(|advice| {
            let note =
                format!("Not included: the recommended method, {}, which was not run for this report.", advice.title);
            StatedPiece::setting(Piece::Note(note))
        }));
    }
    Ok(vec![StatedPiece::Beside(Box::new(figure(shown)?), beside)])
}

/// A measure of the original predictions.
pub(super) struct Measure {
    /// of the metric
    id: String,
    /// as people write it
    pub name: String,
    /// who defined it
    pub source: &'static str,
    /// what right scores would show says something beside it
    floor: bool,
    /// with its interval
    pub value: MetricValue,
}

/// Measures of the original predictions, in the order in which they are told: those of the finding, and what the run
/// has besides.
pub(super) fn performance_measures(shown: &DocumentInput) -> Vec<Measure> {
    let names = finding::reported_metrics(shown.data.view);
    let more = BESIDE.iter().copied().filter(|id| names.iter().all(|(known, _)| known != id));
    let found = shown.finding.map(|found| &found.overall);
    let base = shown.run.report.methods.iter().find(|method| method.id == "none");
    let bins = shown.run.report.settings.bins.count;
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
            id: id.to_owned(),
            name: metric.map_or_else(|| name.to_owned(), |metric| metric.with_bins(name, bins)),
            source: metric.map_or("", |metric| metric.source),
            floor: metric.is_some_and(|metric| metric.floor),
            value,
        })
    };
    let named = |id| registry::metric(id).map_or(id, |metric| metric.name);
    names.iter().copied().chain(more.map(|id| (id, named(id)))).filter_map(|(id, name)| measure(id, name)).collect()
}

/// The diagram of the finding; where bins of few rows are left out, or there is no finding, one made here.
fn figure(shown: &DocumentInput) -> Result<Stated<Figure>> {
    let found = shown.finding.filter(|_| shown.least().is_none());
    let (chart, withheld) = chart(shown)?;
    let drawn = reliability(&chart, DIAGRAM);
    let figure = match found.and_then(|found| groups::figure(found, PartName::Overall, DIAGRAM)) {
        Some(figure) => Figure { caption: drawn.caption, ..figure },
        None => drawn,
    };
    Ok(Stated::new(figure, withheld.map_or(Basis::Unknown, Basis::Thinned)))
}

/// The curve in the diagram, by its name in the key.
pub(super) fn curve(shown: &DocumentInput) -> Result<&'static str> {
    let figure = figure(shown)?.what;
    let marks = || figure.panels.iter().flat_map(|panel| &panel.marks);
    let named = |name: &str| marks().any(|mark| matches!(mark, Mark::Text(text) if text.text.contains(name)));
    Ok(["isotonic", "kernel-smoothed", "loess", "spline"].into_iter().find(|name| named(name)).unwrap_or("smoothed"))
}

fn measures(shown: &DocumentInput) -> Result<Stated<SheetTable>> {
    let rows = shown.base()?;
    let title = match &*rows.method.kind.id() {
        "none" => "Original predictions".to_owned(),
        id => super::method_title(id, &rows.method.name),
    };
    let mut table = SheetTable::new(title, &["Measure", "#Estimate", "#95% CI"]);
    let (predicted, observed) =
        (weighted_mean(&rows.score, rows.weights()), weighted_share(&rows.target, rows.weights()));
    let mean = |name: &str, share: f64| vec![Cell::from(name), Cell::number(percent(share), share), Cell::default()];
    match shown.data.view {
        View::Positive => {
            table.rows.push(mean("Mean predicted probability", predicted));
            let mut share = mean("Observed proportion", observed);
            if let (None, Some(ends)) = (rows.weights(), share.last_mut()) {
                let n = effective_rows(rows, observed);
                let (low, high) = wilson_interval(observed * n, n);
                *ends = Cell::from(percent_interval(low, high));
            }
            table.rows.push(share);
        }
        // the accuracy follows
        View::TopLabel => table.rows.push(mean("Mean confidence", predicted)),
    }
    let mut basis = vec![Basis::AllRows; table.rows.len()];
    for Measure { id, name, floor, value, .. } in performance_measures(shown) {
        basis.push(Basis::of_metric_of(&id, shown.run));
        // beside what noise pushes upwards stands where a calibrated model would be
        let beneath = match (value.corrected, value.floor_high.filter(|_| floor)) {
            (Some(corrected), Some(high)) => {
                format!("bias-corrected {}; at most {} in 97.5% of samples if calibrated", tidy(corrected), tidy(high))
            }
            (Some(corrected), None) => format!("bias-corrected {}", tidy(corrected)),
            _ => String::new(),
        };
        table.rows.push(vec![Cell::from(name).with_beneath(beneath), bare(&value), interval(&value)]);
    }
    Ok(Stated::new(table, Basis::Lines(basis)))
}

/// The number of independent rows that tell the share `observed` of events as exactly: fewer where rows of one cluster have
/// the same outcome more often than others.
fn effective_rows(rows: &MethodRows, observed: f64) -> f64 {
    let present = rows.clusters.present();
    let effect = present.as_ref().map(PresentClusters::rows).map_or(1.0, |RowClusters { of, count }| {
        let residual: Vec<f64> = rows.target.iter().map(|&t| f64::from(t) - observed).collect();
        let variance = vec![observed * (1.0 - observed); residual.len()];
        design_effect(within_cluster_correlation(&residual, &variance, of, count), of, count)
    });
    rows.target.len() as f64 / effect
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
    let corrected = value.corrected.map_or_else(String::new, |v| format!("bias-corrected: {}", tidy(v)));
    Cell::number(tidy(v), v).with_beneath(corrected)
}

fn interval(value: &MetricValue) -> Cell {
    match (value.low, value.high) {
        (Some(low), Some(high)) => Cell::from(format!("{} to {}", tidy(low), tidy(high))),
        _ => Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() },
    }
}

/// Losses of the original scores, and of every recalibration less those, all on the same rows; nothing where no recalibration
/// was run.
fn recalibrations(shown: &DocumentInput) -> Option<SheetTable> {
    let report = &shown.run.report;
    shown.recalibrations().next()?;
    let metrics: Vec<&Metric> = COMPARED_BY.iter().filter_map(|id| registry::metric(id)).collect();
    let heads: Vec<String> = metrics.iter().map(|metric| format!("#{}", metric.name)).collect();
    let heads: Vec<&str> = std::iter::once("Method").chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new("Recalibration methods, on rows not used to fit them: difference (95% CI)", &heads);
    for method in &report.methods {
        let title = super::method_title(&method.id, &method.name);
        let common = report.common.as_ref().filter(|_| method.id == MethodKind::NONE.id());
        let (title, values) = match common {
            Some(common) => (format!("{title} (n = {})", count(common.rows as u64)), &common.metrics),
            None => (title, &method.metrics),
        };
        let mut row = vec![Cell::from(title)];
        for metric in &metrics {
            row.push(match method.differences.get(metric.id) {
                Some(value) => signed(value),
                None => values.get(metric.id).map_or_else(Cell::default, estimate),
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
        (Some(low), Some(high)) => format!("{} to {}", tidy(low), tidy(high)),
        _ => String::new(),
    };
    let better = value.high.is_some_and(|high| high < 0.0);
    let tone = if better { Tone::Best } else { Tone::Plain };
    Cell::number(format!("{plus}{}", tidy(v)), v).with_beneath(ends).toned(tone)
}

/// The diagram, and what is withheld from it where small counts are.
fn chart(shown: &DocumentInput) -> Result<(ReliabilityChart, Option<Audit>)> {
    let rows = shown.base()?;
    // bins of few rows are left out below
    let request = ReliabilityRequest { bins: Some(true), ..ReliabilityRequest::default() };
    let mut chart = diagram(shown.data.view, &[Diagram::of(rows, shown.run)], &request)?;
    if let Some(event) = shown.event() {
        chart.score_name = format!("predicted probability of {event}");
    }
    chart.caption = caption(shown)?;
    let withheld = shown.least().map(|least| without_few(&mut chart, least));
    Ok((chart, withheld))
}

/// What is drawn; how is told among the methods.
fn caption(shown: &DocumentInput) -> Result<String> {
    let rows = counted(shown.rows()?, "row");
    Ok(match shown.least() {
        None => {
            format!("{rows}; bins with pointwise 95% intervals; score distribution below on a square-root scale.")
        }
        Some(_) => format!("{rows}; score distribution below on a square-root scale, without bars of few rows."),
    })
}
