//! Values with intervals, one under the other: a row a name, a line at zero.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::palette::Ink;
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::words::number;

/// Height of a row in pixels.
const ROW: f64 = 24.0;

/// Signed shares with intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalChart {
    /// from top to bottom
    pub rows: Vec<IntervalRow>,
    /// title of the axis without its unit, such as "gap"
    pub value_name: String,
    /// above zero is too high: warm; else every row has one colour
    pub signed: bool,
    /// an upright line with its name, in the place of that at zero: values are shares, not differences
    pub marked: Option<(f64, String)>,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalRow {
    /// what it is of
    pub name: String,
    /// the value, as a share
    pub value: f64,
    /// lower end
    pub low: f64,
    /// upper end
    pub high: f64,
    /// whether it could be zero, or stands on few rows: drawn hollow
    pub faint: bool,
    /// more lines for the hover card
    pub more: Vec<String>,
}

/// The chart as a figure of `width` CSS pixels, at least 280; its axis counts in percentage points.
pub fn intervals(chart: &IntervalChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let longest = chart.rows.iter().map(|row| text::width(&row.name, text::BODY));
    let left = (longest.fold(0.0, f64::max) + 16.0).min(0.42 * width).ceil();
    let rect = Rect::new(left, 8.0, width - left - 16.0, ROW * chart.rows.len().max(1) as f64);
    let ends = || chart.rows.iter().flat_map(|row| [row.value, row.low, row.high]);
    let known = || ends().filter(|v| v.is_finite()).map(|v| 100.0 * v);
    let (low, high) = (known().fold(0.0, f64::min), known().fold(0.0, f64::max));
    let room = 0.04 * (high - low).max(1e-6);
    let x = Scale::linear(low - room, high + room);
    let y = Scale::linear(chart.rows.len().max(1) as f64, 0.0);
    let ticks = x.ticks_across(rect.width);
    let mut marks = vec![match &chart.marked {
        None => Mark::Rule { at: At::X(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid },
        Some((at, _)) => Mark::Rule { at: At::X(100.0 * at), ink: Ink::Accent, width: 1.5, dash: Dash::Dashed },
    }];
    let mut points = Vec::new();
    for (i, row) in chart.rows.iter().enumerate() {
        let (at, ink) = (i as f64 + 0.5, ink(chart, row));
        if row.low.is_finite() && row.high.is_finite() {
            marks.push(Mark::Line {
                points: vec![(100.0 * row.low, at), (100.0 * row.high, at)],
                ink,
                width: 2.0,
                dash: Dash::Solid,
            });
        }
        let mut hover = vec![row.name.clone(), words(chart, row)];
        hover.extend(row.more.iter().cloned());
        points.push(Point {
            x: 100.0 * row.value,
            y: at,
            radius: 5.0,
            symbol: match (chart.signed, row.value > 0.0) {
                (false, _) => Symbol::Circle,
                (_, true) => Symbol::TriangleUp,
                _ => Symbol::TriangleDown,
            },
            ink,
            filled: !row.faint,
            index: i as u32,
            hover,
        });
    }
    points.retain(|point| point.x.is_finite());
    marks.push(Mark::Points { points });
    let names = chart.rows.iter().enumerate().map(|(i, row)| {
        let name = text::fitted(&row.name, text::BODY, left - 14.0);
        let at = rect.y + ROW * (i as f64 + 0.5);
        let mut name = Text::new(left - 10.0, at, name).ink(Ink::Ink).anchor(Anchor::End);
        name.size = text::BODY;
        Mark::Text(name)
    });
    let height = rect.bottom() + 44.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![
            Panel::overlay(width, height, names.collect()),
            Panel { rect, x: Axis::titled(x, axis_name(chart), ticks), y: Axis::bare(y), marks },
        ],
        table: table(chart),
    }
}

fn ink(chart: &IntervalChart, row: &IntervalRow) -> Ink {
    match (chart.signed, row.value > 0.0) {
        (false, _) => Ink::Before,
        (_, true) => Ink::Over,
        _ => Ink::Under,
    }
}

fn axis_name(chart: &IntervalChart) -> String {
    match &chart.marked {
        None => format!("{}, percentage points", chart.value_name),
        Some((_, name)) => format!("{}, % (dashed: {name})", chart.value_name),
    }
}

fn words(chart: &IntervalChart, row: &IntervalRow) -> String {
    if chart.marked.is_some() {
        let [value, low, high] = [row.value, row.low, row.high].map(number::percent);
        return format!("{} {value} (95\u{a0}%: {low} … {high})", chart.value_name);
    }
    format!(
        "{} {} (95\u{a0}%: {} … {})",
        chart.value_name,
        number::points(row.value),
        number::points(row.low),
        number::points(row.high)
    )
}

fn alt(chart: &IntervalChart) -> String {
    let rows: Vec<String> =
        chart.rows.iter().take(5).map(|row| format!("{}: {}", row.name, words(chart, row))).collect();
    format!("{} of {} rows. {}.", chart.value_name, chart.rows.len(), rows.join("; "))
}

fn table(chart: &IntervalChart) -> TextTable {
    let value = format!("#{}", chart.value_name);
    let mut table = TextTable::new(&["", &value, "#95 % interval"]);
    table.rows = chart
        .rows
        .iter()
        .map(|row| {
            let text = if chart.marked.is_some() { number::percent } else { number::points };
            vec![row.name.clone(), text(row.value), format!("{} … {}", text(row.low), text(row.high))]
        })
        .collect();
    table
}
