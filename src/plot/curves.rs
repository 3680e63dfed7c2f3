//! Lines over one axis, each named at its end.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::palette::Ink;
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::num::order::sort_short;
use crate::words::number;

/// Values that a keyboard or a pointer can visit on each line.
const VISITED: usize = 25;
/// Lines of the text twin.
const LISTED: usize = 20;

/// A chart of lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveChart {
    /// drawn in this order
    pub curves: Vec<Curve>,
    /// the horizontal axis counts in powers of ten
    pub log_x: bool,
    /// ends of the vertical axis; what lies outside is cut off. None: what the lines need
    pub y_range: Option<(f64, f64)>,
    /// title of the horizontal axis
    pub x_name: String,
    /// title of the vertical axis
    pub y_name: String,
    /// an upright line, with its name
    pub marked: Option<(f64, String)>,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// what it is of
    pub name: String,
    /// by rising x
    pub points: Vec<(f64, f64)>,
    /// colour
    pub ink: Ink,
    /// solid or broken
    pub dash: Dash,
    /// where the name stands; none: beside the end of the line
    pub name_at: Option<(f64, f64)>,
}

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn curves(chart: &CurveChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let beside = chart.curves.iter().filter(|c| c.name_at.is_none());
    let names = beside.map(|c| text::width(&c.name, text::BODY));
    let right = (names.fold(0.0, f64::max) + 14.0).min(0.32 * width).ceil();
    let rect = Rect::new(62.0, 12.0, width - 62.0 - right, (0.52 * width).clamp(180.0, 300.0).round());
    let all = || chart.curves.iter().flat_map(|c| &c.points);
    let ends = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let values = || all().map(of).filter(|v| v.is_finite());
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let (x0, x1) = ends(&|point| point.0);
    let x = if chart.log_x { Scale::log(x0, x1) } else { Scale::linear(x0, x1) };
    let (low, high) = chart.y_range.unwrap_or_else(|| {
        let (low, high) = ends(&|point| point.1);
        let (low, high) = (low.min(0.0), high.max(0.0));
        let room = 0.05 * (high - low);
        (if low < 0.0 { low - room } else { 0.0 }, high + room)
    });
    let y = Scale::linear(low, high);
    let x_ticks = x.ticks_across(rect.width);
    let y_ticks = y.ticks_up(rect.height);
    let mut panel = Panel {
        rect,
        x: Axis::titled(x, chart.x_name.clone(), x_ticks),
        y: Axis::titled(y, chart.y_name.clone(), y_ticks),
        marks: Vec::new(),
    };
    if low < 0.0 {
        panel.marks.push(Mark::Rule { at: At::Y(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid });
    }
    if let Some((at, name)) = &chart.marked {
        panel.marks.push(Mark::Rule { at: At::X(*at), ink: Ink::Accent, width: 1.5, dash: Dash::Solid });
        let beyond = panel.place(*at, low).0 + text::width(name, text::SMALL) + 8.0 > rect.right();
        let (anchor, dx) = if beyond { (Anchor::End, -5.0) } else { (Anchor::Start, 5.0) };
        let name = Text::new(*at, low, name.clone()).anchor(anchor).shifted(dx, -8.0);
        panel.marks.push(Mark::Text(name.with_halo()));
    }
    for curve in &chart.curves {
        panel.marks.push(Mark::Line { points: curve.points.clone(), ink: curve.ink, width: 2.0, dash: curve.dash });
    }
    let points = chart.curves.iter().flat_map(|curve| visited(chart, curve));
    let points = points.enumerate().map(|(i, point)| Point { index: i as u32, ..point });
    panel.marks.push(Mark::Points { points: points.collect() });
    for curve in &chart.curves {
        if let Some((x, y)) = curve.name_at {
            let name = Text::new(x, y, curve.name.clone()).ink(curve.ink);
            panel.marks.push(Mark::Text(name.shifted(6.0, -9.0).with_halo()));
        }
    }
    let overlay = names_at_ends(chart, &panel, width);
    let height = rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![Panel::overlay(width, height, overlay), panel],
        table: table(chart),
    }
}

/// At most `most` places along the horizontal axis, the last among them: those of the line with the most points. Every
/// line is read at the same ones, so that lines can be compared place by place.
fn places(chart: &CurveChart, most: usize) -> Vec<f64> {
    let Some(longest) = chart.curves.iter().rev().max_by_key(|c| c.points.len()) else {
        return Vec::new();
    };
    let every = longest.points.len().div_ceil(most).max(1);
    let last = longest.points.len().saturating_sub(1);
    let points = longest.points.iter().enumerate();
    points.filter(|(i, _)| i % every == 0 || *i == last).map(|(_, point)| point.0).collect()
}

/// The height of a line at a place: of its own point there, else of the straight piece between its neighbours, as it is
/// drawn; none beyond its ends. O(log n).
fn height_at(curve: &Curve, x: f64) -> Option<f64> {
    let after = curve.points.partition_point(|point| point.0 < x);
    let next = curve.points.get(after)?;
    if next.0 <= x {
        return Some(next.1);
    }
    let before = curve.points.get(after.checked_sub(1)?)?;
    Some(before.1 + (next.1 - before.1) * (x - before.0) / (next.0 - before.0))
}

/// Places to point at, the same on every line.
fn visited<'a>(chart: &'a CurveChart, curve: &'a Curve) -> impl Iterator<Item = Point> + 'a {
    places(chart, VISITED)
        .into_iter()
        .filter_map(|x| Some((x, height_at(curve, x)?)))
        .filter(|(_, y)| y.is_finite())
        .map(|(x, y)| Point {
            x,
            y,
            radius: 0.0,
            symbol: Symbol::Circle,
            ink: curve.ink,
            filled: true,
            index: 0,
            hover: vec![
                curve.name.clone(),
                format!("{}: {}", chart.x_name, number::significant(x)),
                format!("{}: {}", chart.y_name, number::significant(y)),
            ],
        })
}

/// Each name beside the end of its line, moved apart where ends are close.
fn names_at_ends(chart: &CurveChart, panel: &Panel, width: f64) -> Vec<Mark> {
    let (top, bottom) = (panel.rect.y, panel.rect.bottom());
    let mut ends: Vec<(f64, &Curve)> = chart
        .curves
        .iter()
        .filter(|curve| curve.name_at.is_none())
        .filter_map(|curve| {
            let last = curve.points.iter().rfind(|point| point.1.is_finite())?;
            Some((panel.place(last.0, last.1).1.clamp(top + 6.0, bottom - 6.0), curve))
        })
        .collect();
    sort_short(&mut ends, |a, b| a.0 < b.0);
    let apart = 15.0;
    for i in 1..ends.len() {
        ends[i].0 = ends[i].0.max(ends[i - 1].0 + apart);
    }
    let mut limit = bottom + 4.0;
    for end in ends.iter_mut().rev() {
        end.0 = end.0.min(limit);
        limit = end.0 - apart;
    }
    let left = panel.rect.right() + 6.0;
    ends.iter()
        .map(|(at, curve)| {
            let name = text::fitted(&curve.name, text::BODY, width - left - 2.0);
            let mut name = Text::new(left, *at, name).ink(curve.ink);
            name.size = text::BODY;
            Mark::Text(name)
        })
        .collect()
}

fn alt(chart: &CurveChart) -> String {
    let ends = chart.curves.iter().filter_map(|curve| {
        let (first, last) = (curve.points.first()?, curve.points.last()?);
        let word = number::significant;
        Some(format!("{} goes from {} to {}", curve.name, word(first.1), word(last.1)))
    });
    let ends: Vec<String> = ends.collect();
    format!("{} against {}: {}.", chart.y_name, chart.x_name, ends.join("; "))
}

/// The lines, all at the same places; a line has no row beyond its ends.
fn table(chart: &CurveChart) -> TextTable {
    let y = format!("#{}", chart.y_name);
    let x = format!("#{}", chart.x_name);
    let mut table = TextTable::new(&["line", &x, &y]);
    let places = places(chart, LISTED);
    for curve in &chart.curves {
        for &x in &places {
            let Some(y) = height_at(curve, x) else {
                continue;
            };
            table.rows.push(vec![curve.name.clone(), number::significant(x), number::significant(y)]);
        }
    }
    table
}
