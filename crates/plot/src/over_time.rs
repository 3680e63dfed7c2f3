//! Lines over time, each with a band, and ticks at days, months or years that a person would choose.

use serde::{Deserialize, Serialize};

use super::course::course;
use super::figure::{At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol};
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::words::calendar::{Exactness, MONTHS, civil, days, written};
use crate::words::number;

/// Lines over time; times are days since 1970-01-01.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeChart {
    /// drawn in this order
    pub lines: Vec<TimeLine>,
    /// a level line, and what it means
    pub level: Option<(f64, String)>,
    /// title of the vertical axis
    pub y_name: String,
    /// whether values are shares, written in percent
    pub shares: bool,
    /// title of the time axis
    pub x_name: String,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// A line with its band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeLine {
    /// what it is of
    pub name: String,
    /// by rising time
    pub points: Vec<TimePoint>,
    /// color
    pub ink: Ink,
    /// solid or broken
    pub dash: Dash,
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimePoint {
    /// days since 1970-01-01
    pub day: f64,
    /// value
    pub value: f64,
    /// lower end of the band
    pub low: Option<f64>,
    /// upper end of the band
    pub high: Option<f64>,
}

/// Lines of the text twin, and places that a pointer can visit on each line.
const LISTED: usize = 24;
/// Pixels between two ticks, at least.
const APART: f64 = 64.0;

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn over_time(chart: &TimeChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let line_entry = |line: &TimeLine| Entry::new(Sign::Line { ink: line.ink, dash: line.dash }, &*line.name);
    let mut entries: Vec<Entry> = chart.lines.iter().map(line_entry).collect();
    if let Some((_, words)) = &chart.level {
        entries.push(Entry::new(Sign::Line { ink: Ink::Axis, dash: Dash::Dashed }, &**words));
    }
    let (key, taken) = key(&entries, 8.0, 4.0, width - 16.0);
    let height = (0.5 * width).clamp(160.0, 280.0).round();
    let all = || chart.lines.iter().flat_map(|line| &line.points);
    let least = |values: &mut dyn Iterator<Item = f64>| values.filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min);
    let most =
        |values: &mut dyn Iterator<Item = f64>| values.filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let x = Scale::linear(least(&mut all().map(|p| p.day)), most(&mut all().map(|p| p.day)));
    let level = chart.level.iter().map(|(level, _)| *level);
    let (low, high) = (
        least(&mut all().map(|p| p.low.unwrap_or(p.value)).chain(level.clone())),
        most(&mut all().map(|p| p.high.unwrap_or(p.value)).chain(level)),
    );
    let room = 0.05 * (high - low);
    let from =
        if chart.shares { (low - room).max(if low < 0.0 { f64::NEG_INFINITY } else { 0.0 }) } else { low - room };
    let y = Scale::linear(from, high + room);
    let mut y_ticks = y.ticks_up(height);
    if chart.shares {
        y_ticks.iter_mut().for_each(|tick| tick.label = format!("{}%", number::plain(rounded(100.0 * tick.value))));
    }
    let y = Axis::titled(y, chart.y_name.clone(), y_ticks);
    let left = y.room_left(height, 62.0);
    let rect = Rect::new(left, 12.0 + taken, width - left - 16.0, height);
    let mut panel =
        Panel { rect, x: Axis::titled(x, chart.x_name.clone(), date_ticks(&x, rect.width)), y, marks: Vec::new() };
    for line in &chart.lines {
        let lower = line.points.iter().filter_map(|p| Some((p.day, p.low?)));
        let mut around: Vec<(f64, f64)> = line.points.iter().filter_map(|p| Some((p.day, p.high?))).collect();
        around.extend(lower.collect::<Vec<_>>().into_iter().rev());
        if around.len() > 3 {
            panel.marks.push(Mark::Area { points: around, ink: line.ink, opacity: 0.16 });
        }
    }
    if let Some((level, _)) = &chart.level {
        panel.marks.push(Mark::Rule { at: At::Y(*level), ink: Ink::Axis, width: 1.0, dash: Dash::Dashed });
    }
    for line in &chart.lines {
        let points = line.points.iter().map(|p| (p.day, p.value)).collect();
        panel.marks.push(Mark::Line { points, ink: line.ink, width: 2.0, dash: line.dash });
    }
    let visited = chart.lines.iter().flat_map(|line| thinned(&line.points).map(move |point| (line, point)));
    let points = visited.enumerate().map(|(i, (line, point))| Point {
        x: point.day,
        y: point.value,
        radius: 0.0,
        symbol: Symbol::Circle,
        ink: line.ink,
        filled: true,
        index: i as u32,
        hover: vec![
            line.name.clone(),
            format!("around {}", written(point.day, Exactness::Day)),
            format!("{}: {}", chart.y_name, chart.words(point)),
        ],
    });
    panel.marks.push(Mark::Points { points: points.collect() });
    let height = rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: chart.alt(),
        panels: vec![Panel::overlay(width, height, key), panel],
        table: chart.table(),
    }
    .with_whole_titles()
}

/// Without the dust of binary fractions.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Some of the points, the last among them.
fn thinned(points: &[TimePoint]) -> impl Iterator<Item = &TimePoint> {
    let every = points.len().div_ceil(LISTED).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(move |(i, _)| i % every == 0 || *i == last).map(|(_, point)| point)
}

impl TimeChart {
    fn value(&self, value: f64) -> String {
        if self.shares { number::percent(value) } else { number::significant(value) }
    }

    fn words(&self, point: &TimePoint) -> String {
        match (point.low, point.high) {
            (Some(low), Some(high)) => {
                format!("{} ({} to {})", self.value(point.value), self.value(low), self.value(high))
            }
            _ => self.value(point.value),
        }
    }

    fn alt(&self) -> String {
        let lines = self.lines.iter().filter_map(|line| {
            let points: Vec<(f64, f64)> = line.points.iter().map(|point| (point.day, point.value)).collect();
            let course = course(&points, |day| written(day, Exactness::Day), |value| self.value(value))?;
            Some(format!("{} {course}", line.name))
        });
        format!("{} over time: {}.", self.y_name, lines.collect::<Vec<_>>().join("; "))
    }

    fn table(&self) -> TextTable {
        let y = format!("#{}", self.y_name);
        let mut table = TextTable::new(&["line", "around", &y, "#from", "#to"]);
        for line in &self.lines {
            for point in thinned(&line.points) {
                let end = |end: Option<f64>| end.map_or_else(String::new, |end| self.value(end));
                table.rows.push(vec![
                    line.name.clone(),
                    written(point.day, Exactness::Day),
                    self.value(point.value),
                    end(point.low),
                    end(point.high),
                ]);
            }
        }
        table
    }
}

/// Steps between ticks: so many days, months or years.
#[derive(Debug, Clone, Copy)]
enum Every {
    Days(i64),
    Months(i64),
    Years(i64),
}

const STEPS: [Every; 16] = [
    Every::Days(1),
    Every::Days(2),
    Every::Days(7),
    Every::Days(14),
    Every::Months(1),
    Every::Months(2),
    Every::Months(3),
    Every::Months(6),
    Every::Years(1),
    Every::Years(2),
    Every::Years(5),
    Every::Years(10),
    Every::Years(20),
    Every::Years(50),
    Every::Years(100),
    Every::Years(500),
];

/// Ticks at the beginnings of days, months or years: the finest of which no labels touch. Months carry their year where it
/// begins, and at the first tick.
fn date_ticks(scale: &Scale, width: f64) -> Vec<Tick> {
    let (low, high) = (scale.value(0.0), scale.value(1.0));
    let mut fallback = Vec::new();
    for step in STEPS {
        // What is too fine is not even listed.
        let length = match step {
            Every::Days(n) => n as f64,
            Every::Months(n) => 30.4 * n as f64,
            Every::Years(n) => 365.2 * n as f64,
        };
        if (high - low) / length > 200.0 {
            continue;
        }
        let ticks = ticks_of(step, low, high);
        let gap = |pair: &[Tick]| {
            let half = |tick: &Tick| 0.5 * text::width(&tick.label, text::SMALL);
            let apart = (scale.position(pair[1].value) - scale.position(pair[0].value)) * width;
            apart >= (half(&pair[0]) + half(&pair[1]) + 8.0).max(APART * 0.6)
        };
        if ticks.len() >= 2 && ticks.windows(2).all(gap) {
            return ticks;
        }
        if !ticks.is_empty() {
            fallback = ticks;
            fallback.truncate(1);
        }
    }
    fallback
}

fn ticks_of(step: Every, low: f64, high: f64) -> Vec<Tick> {
    let (first, last) = (low.ceil() as i64, high.floor() as i64);
    let (year, month, _) = civil(first);
    let starts: Vec<i64> = match step {
        // weeks begin on Mondays: 1970-01-05 was one
        Every::Days(n) => {
            let from = first + (4 - first).rem_euclid(n);
            (0..).map(|k| from + k * n).take_while(|day| *day <= last).collect()
        }
        Every::Months(n) => {
            let from = year * 12 + (month - 1) / n * n;
            let day = |k: i64| days((from + k * n).div_euclid(12), (from + k * n).rem_euclid(12) + 1, 1);
            (0..).map(day).take_while(|day| *day <= last).collect()
        }
        Every::Years(n) => {
            let from = year.div_euclid(n) * n;
            (0..).map(|k| days(from + k * n, 1, 1)).take_while(|day| *day <= last).collect()
        }
    };
    let mut shown_year = None;
    let inside = starts.into_iter().filter(|day| *day >= first);
    inside
        .map(|day| {
            let (year, month, date) = civil(day);
            let name = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
            let new_year = shown_year != Some(year);
            shown_year = Some(year);
            let label = match step {
                Every::Days(_) if new_year => format!("{date} {name} {year}"),
                Every::Days(_) => format!("{date} {name}"),
                Every::Months(_) if new_year && month == 1 => format!("{year}"),
                Every::Months(_) if new_year => format!("{name} {year}"),
                Every::Months(_) => name.to_owned(),
                Every::Years(_) => format!("{year}"),
            };
            Tick::new(day as f64, label)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: (i64, i64, i64), to: (i64, i64, i64), width: f64) -> Vec<String> {
        let day = |(y, m, d)| days(y, m, d) as f64;
        let ticks = date_ticks(&Scale::linear(day(from), day(to)), width);
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_that_a_person_would_choose() {
        assert_eq!(labels((2023, 1, 2), (2024, 6, 29), 360.0), ["Apr 2023", "Jul", "Oct", "2024", "Apr"],);
        assert_eq!(labels((2024, 7, 1), (2024, 7, 31), 400.0), ["1 Jul 2024", "8 Jul", "15 Jul", "22 Jul", "29 Jul"]);
        assert_eq!(labels((2001, 5, 1), (2019, 3, 1), 200.0), ["2005", "2010", "2015"]);
        assert!(!labels((2024, 7, 1), (2024, 7, 1), 400.0).is_empty());
    }
}
