//! A quantity against the bandwidth γ, drawn behind the slider that moves it.
//!
//! Both limits stand at the ends of the axis: γ → 0, where every row is its own neighborhood, and γ → ∞, where
//! all rows of a bin are one.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{self, Entry, Sign};
use super::palette::Ink;
use super::place::text_box;
use super::scale::{Scale, Tick};
use super::text;
use crate::words::number;

mod words;

use words::{alt, table};

/// Values over a range of bandwidths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepChart {
    /// one line each
    pub series: Vec<SweepSeries>,
    /// the bandwidth in use
    pub gamma: Option<f64>,
    /// a bandwidth to try
    pub suggested: Option<f64>,
    /// title of the vertical axis, such as "MLCE, percentage points"
    pub value_name: String,
    /// values are shares and shown in percentage points
    pub in_points: bool,
    /// the finding, in one line
    pub title: String,
    /// the method
    pub caption: String,
    /// of the plotted area in CSS pixels, at least 80; none: what suits the width
    pub height: Option<f64>,
}

/// One line of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepSeries {
    /// such as "before" or the name of a method
    pub name: String,
    /// color
    pub ink: Ink,
    /// solid or broken
    pub dash: Dash,
    /// (γ, value), by rising γ > 0
    pub values: Vec<(f64, f64)>,
    /// as γ → 0
    pub at_zero: Option<f64>,
    /// as γ → ∞
    pub at_infinity: Option<f64>,
    /// (γ, low, high) of a band around the line
    pub band: Vec<(f64, f64, f64)>,
    /// (γ, low, high) of what a calibrated model would show
    pub floor: Vec<(f64, f64, f64)>,
    /// makes every value a mark that can be pointed at; index of the first
    pub first_mark: Option<u32>,
}

/// Room for the limits beyond each end of the axis.
const ENDS: f64 = 38.0;

/// The horizontal pixels between which γ runs: (left, right).
fn track(width: f64) -> (f64, f64) {
    let width = width.max(240.0);
    (58.0 + ENDS, width - 12.0 - ENDS)
}

/// The chart as a figure of `width` CSS pixels, at least 240.
pub fn sweep(chart: &SweepChart, width: f64) -> Figure {
    let height = chart.height.unwrap_or((0.42 * width).clamp(170.0, 260.0).round());
    let width = width.max(240.0);
    let (left, right) = track(width);
    // Few names stand at their lines; many in a key.
    let (key, key_height) = if chart.series.len() > AT_LINES {
        key::key(&entries(chart), 8.0, 4.0, width - 16.0)
    } else {
        (Vec::new(), 0.0)
    };
    let top = 10.0 + key_height;
    let rect = Rect::new(left, top, right - left, height.max(80.0));
    let unit = if chart.in_points { 100.0 } else { 1.0 };
    let (x, y) = scales(chart, unit);
    let y_ticks = y.ticks_up(rect.height);

    let mut marks = Vec::new();
    for series in &chart.series {
        marks.extend(area(&series.floor, Ink::Band, 0.9, unit));
    }
    for series in &chart.series {
        marks.extend(area(&series.band, series.ink, 0.15, unit));
    }
    marks.extend(suggestion(chart, (x, y), rect.width));
    if let Some(gamma) = chart.gamma {
        marks.push(Mark::Rule { at: At::X(gamma), ink: Ink::Accent, width: 2.0, dash: Dash::Solid });
    }
    marks.extend(lines(chart, unit));
    let mut main = Panel {
        rect,
        x: Axis { line: false, ..Axis::titled(x, "bandwidth γ", x.ticks_across(rect.width)) },
        y: Axis {
            grid: false,
            line: false,
            title: String::new(),
            ticks: y_ticks.iter().map(|t| Tick::new(t.value, "")).collect(),
            scale: y,
        },
        marks,
    };
    name_lines(chart, &mut main, unit);

    // The frame reaches over both ends; each limit stands in the middle of its end.
    let frame = Rect::new(rect.x - ENDS, rect.y, rect.width + 2.0 * ENDS, rect.height);
    let ends = Panel {
        rect: frame,
        x: Axis {
            grid: false,
            ..Axis::titled(
                Scale::linear(0.0, frame.width),
                "",
                vec![Tick::new(9.0, "0"), Tick::new(frame.width - 9.0, "∞")],
            )
        },
        y: Axis { line: false, ..Axis::titled(y, chart.value_name.clone(), y_ticks) },
        marks: limits(chart, frame.width, unit),
    };
    let height = rect.bottom() + 46.0;
    let mut panels = vec![ends, main];
    if !key.is_empty() {
        panels.push(Panel::overlay(width, height, key));
    }
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels,
        table: table(chart),
    }
    .with_whole_titles()
}

/// The scales of γ and of the values.
fn scales(chart: &SweepChart, unit: f64) -> (Scale, Scale) {
    let gammas = || {
        let values = chart.series.iter().flat_map(|s| &s.values).map(|v| v.0);
        values.filter(|g| g.is_finite() && *g > 0.0)
    };
    let x = Scale::log(gammas().fold(f64::INFINITY, f64::min), gammas().fold(0.0, f64::max));
    let numbers = chart.series.iter().flat_map(|s| {
        let ends = s.at_zero.iter().chain(&s.at_infinity).copied();
        let tops = s.band.iter().chain(&s.floor).map(|v| v.2);
        s.values.iter().map(|v| v.1).chain(ends).chain(tops)
    });
    let top = numbers.filter(|v| v.is_finite()).fold(0.0, f64::max) * unit;
    (x, Scale::linear(0.0, if top > 0.0 { top * 1.08 } else { 1.0 }))
}

/// The bandwidth to try, where it is not the one in use.
fn suggestion(chart: &SweepChart, (x, y): (Scale, Scale), width: f64) -> Vec<Mark> {
    let Some(suggested) = chart.suggested.filter(|g| chart.gamma != Some(*g)) else { return Vec::new() };
    let mut marks = vec![Mark::Rule { at: At::X(suggested), ink: Ink::Muted, width: 1.5, dash: Dash::Dotted }];
    let room = text::width("suggested", text::SMALL) + 5.0;
    let place = x.position(suggested) * width;
    // On the side where there is room and the bandwidth in use does not stand; else the line says it alone.
    let in_use = chart.gamma.map(|gamma| x.position(gamma) * width - place);
    let free = |from: f64, to: f64| !in_use.is_some_and(|at| (from..to).contains(&at));
    let side = if place + room < width && free(0.0, room) {
        Some((Anchor::Start, 5.0))
    } else if place > room && free(-room, 0.0) {
        Some((Anchor::End, -5.0))
    } else {
        None
    };
    if let Some((anchor, side)) = side {
        let words = Text::new(suggested, y.value(1.0), "suggested").anchor(anchor).shifted(side, 8.0).with_halo();
        marks.push(Mark::Text(words));
    }
    marks
}

/// The lines, with what can be pointed at on them.
fn lines(chart: &SweepChart, unit: f64) -> Vec<Mark> {
    let line = |series: &SweepSeries| Mark::Line {
        points: series.values.iter().map(|v| (v.0, v.1 * unit)).collect(),
        ink: series.ink,
        width: 2.0,
        dash: series.dash,
    };
    let mut marks: Vec<Mark> = chart.series.iter().map(line).collect();
    marks.push(Mark::Points { points: clickable(chart, unit) });
    if let Some(gamma) = chart.gamma {
        let points = chart.series.iter().filter_map(|series| point_at(series, gamma, unit)).collect();
        marks.push(Mark::Points { points });
    }
    marks
}

/// Names up to this many stand at their lines.
const AT_LINES: usize = 3;

fn entries(chart: &SweepChart) -> Vec<Entry> {
    let line = |series: &SweepSeries| {
        let sign = Sign::Line { ink: series.ink, dash: series.dash };
        Entry::new(sign, series.name.clone())
    };
    let mut entries: Vec<Entry> = chart.series.iter().map(line).collect();
    if chart.series.iter().any(|series| !series.floor.is_empty()) {
        entries.push(Entry::new(Sign::Patch(Ink::Band), FLOOR));
    }
    entries
}

/// What the floor is called.
const FLOOR: &str = "expected if calibrated";

/// A band from (γ, low, high).
fn area(band: &[(f64, f64, f64)], ink: Ink, opacity: f64, unit: f64) -> Option<Mark> {
    let upper = band.iter().map(|&(gamma, _, high)| (gamma, high * unit));
    let lower = band.iter().rev().map(|&(gamma, low, _)| (gamma, low * unit));
    let points: Vec<(f64, f64)> = upper.chain(lower).filter(|p| p.1.is_finite()).collect();
    (points.len() > 2).then_some(Mark::Area { points, ink, opacity })
}

/// Every value as a place to point at and to click.
fn clickable(chart: &SweepChart, unit: f64) -> Vec<Point> {
    let mut points = Vec::new();
    for series in &chart.series {
        let Some(first) = series.first_mark else {
            continue;
        };
        for (index, &(gamma, value)) in (first..).zip(&series.values) {
            points.push(Point {
                x: gamma,
                y: value * unit,
                // Nothing to see: the line says it. The pointer finds it all the same.
                radius: 0.0,
                symbol: Symbol::Circle,
                ink: series.ink,
                filled: true,
                index,
                hover: card(series, gamma, value, unit),
            });
        }
    }
    points
}

fn card(series: &SweepSeries, gamma: f64, value: f64, unit: f64) -> Vec<String> {
    let at = format!("γ = {}: {}", number::significant(gamma), formatted(value, unit));
    vec![series.name.clone(), at]
}

fn limits(chart: &SweepChart, width: f64, unit: f64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for series in &chart.series {
        let ends = [(series.at_zero, 2.0, 16.0), (series.at_infinity, width - 16.0, width - 2.0)];
        for (value, x0, x1) in ends {
            if let Some(value) = value.filter(|v| v.is_finite()) {
                marks.push(Mark::Line {
                    points: vec![(x0, value * unit), (x1, value * unit)],
                    ink: series.ink,
                    width: 2.0,
                    dash: series.dash,
                });
            }
        }
    }
    marks
}

/// Value at γ, between the computed places on the log axis.
fn value_at(series: &SweepSeries, gamma: f64) -> Option<f64> {
    let after = series.values.iter().position(|v| v.0 >= gamma)?;
    let &(g1, v1) = series.values.get(after)?;
    if g1 == gamma {
        return Some(v1);
    }
    let &(g0, v0) = series.values.get(after.checked_sub(1)?)?;
    let t = (gamma / g0).ln() / (g1 / g0).ln();
    Some(v0 + t * (v1 - v0))
}

fn point_at(series: &SweepSeries, gamma: f64, unit: f64) -> Option<Point> {
    let value = value_at(series, gamma)?;
    let next = series.values.iter().position(|v| v.0 >= gamma)?;
    Some(Point {
        x: gamma,
        y: value * unit,
        radius: 4.5,
        symbol: Symbol::Circle,
        ink: series.ink,
        filled: true,
        index: series.first_mark.unwrap_or(0) + next as u32,
        hover: card(series, gamma, value, unit),
    })
}

fn formatted(value: f64, unit: f64) -> String {
    if unit == 100.0 { number::points_size(value) } else { number::significant(value) }
}

/// Each name at the place on its own line where it covers least.
fn name_lines(chart: &SweepChart, panel: &mut Panel, unit: f64) {
    let mut taken = super::place::Obstacles::default();
    let place = |v: &(f64, f64)| panel.place(v.0, v.1 * unit);
    for series in &chart.series {
        let line: Vec<_> = series.values.iter().map(place).collect();
        taken.add_line(&line);
    }
    if let Some(gamma) = chart.gamma {
        let (x, _) = panel.place(gamma, 0.0);
        taken.add_line(&[(x, panel.rect.y), (x, panel.rect.bottom())]);
    }
    let mut names = Vec::new();
    let many = chart.series.len();
    for series in chart.series.iter().filter(|_| many > 1 && many <= AT_LINES) {
        let words = text::fitted(&series.name, text::SMALL, panel.rect.width / 2.0);
        let candidates: Vec<_> = series
            .values
            .iter()
            .flat_map(|&(x, y)| [-11.0, 12.0, -20.0, 21.0].map(|dy| (x, y, dy)))
            .map(|choice @ (x, y, dy)| {
                let (px, py) = panel.place(x, y * unit);
                let area = text_box(&words, text::SMALL, (px, py + dy), Anchor::Middle);
                (area, choice)
            })
            .collect();
        if let Some((x, y, dy)) = taken.settle(&candidates, &panel.rect) {
            names.push(Mark::Text(
                Text::new(x, y * unit, words)
                    .ink(match series.ink {
                        Ink::Category(_) => Ink::Ink,
                        ink => ink,
                    })
                    .anchor(Anchor::Middle)
                    .shifted(0.0, dy)
                    .with_halo(),
            ));
        }
    }
    panel.marks.extend(names);
}
