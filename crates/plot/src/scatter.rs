//! Points with names on two axes, joined to lines where they belong together.

use serde::{Deserialize, Serialize};

use super::figure::{Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol};
use super::key::{self, Entry, Sign};
use super::palette::Ink;
use super::scale::Scale;
use words::{alt, card, names, table};

mod words;

/// Points of several series.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScatterChart {
    /// drawn in this order
    pub series: Vec<ScatterSeries>,
    /// left to right
    pub x: ScatterAxis,
    /// bottom to top
    pub y: ScatterAxis,
    /// the line y = x
    pub diagonal: bool,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// One direction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScatterAxis {
    /// what is measured, in words with its unit
    pub title: String,
    /// equal steps are equal factors; every value is above 0
    pub log: bool,
    /// zero belongs to the axis
    pub zero: bool,
    /// the ends, where the values shall not choose them
    pub ends: Option<(f64, f64)>,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScatterSeries {
    /// what they are; in the key where there are several
    pub name: String,
    /// color
    pub ink: Ink,
    /// form
    pub symbol: Symbol,
    /// filled, or only their outline
    pub filled: bool,
    /// joined by a line, in their order
    pub line: Option<Dash>,
    /// in order
    pub points: Vec<ScatterPoint>,
}

/// One point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScatterPoint {
    /// written beside it; may be empty
    pub name: String,
    /// in units of x
    pub x: f64,
    /// in units of y
    pub y: f64,
    /// ends of an interval of y
    pub interval: Option<(f64, f64)>,
    /// more, for the hover card
    pub note: String,
}

impl ScatterSeries {
    /// Filled points of the k-th category, not joined.
    pub fn new(name: impl Into<String>, k: usize, points: Vec<ScatterPoint>) -> Self {
        const SYMBOLS: [Symbol; 4] = [Symbol::Circle, Symbol::Diamond, Symbol::TriangleUp, Symbol::TriangleDown];
        Self {
            name: name.into(),
            ink: Ink::Category((k % 8) as u8),
            symbol: SYMBOLS[k % SYMBOLS.len()],
            filled: k < 4,
            line: None,
            points,
        }
    }

    /// The same points joined.
    pub fn joined(self, dash: Dash) -> Self {
        Self { line: Some(dash), ..self }
    }
}

impl ScatterAxis {
    /// A linear axis whose ends the values choose.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    fn scale(&self, values: impl Iterator<Item = f64>) -> Scale {
        if let Some((low, high)) = self.ends {
            return if self.log { Scale::log(low, high) } else { Scale::linear(low, high) };
        }
        let start = if self.zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (low, high) = values.filter(|v| v.is_finite()).fold(start, |(low, high), v| (low.min(v), high.max(v)));
        if self.log {
            return Scale::log(low, high);
        }
        let room = 0.06 * (high - low);
        let below = if self.zero && low >= 0.0 { 0.0 } else { low - room };
        Scale::linear(below, high + room)
    }
}

/// The chart as a figure of `width` CSS pixels, at least 240.
pub fn scatter(chart: &ScatterChart, width: f64) -> Figure {
    let width = width.max(240.0);
    let entries: Vec<Entry> = chart.series.iter().map(entry).collect();
    let (key, key_height) =
        if entries.len() > 1 { key::key(&entries, 8.0, 4.0, width - 16.0) } else { (Vec::new(), 0.0) };
    let side = (0.62 * width).clamp(170.0, 300.0).round();
    let all = || chart.series.iter().flat_map(|series| &series.points);
    let x = chart.x.scale(all().map(|point| point.x));
    let y = chart.y.scale(all().flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    }));
    let y = Axis::titled(y, chart.y.title.clone(), y.ticks_up(side));
    let left = y.room_left(side, 62.0);
    let rect = Rect::new(left, 10.0 + key_height, width - left - 18.0, side);
    let x_ticks = x.ticks_across(rect.width);
    let mut panel = Panel { rect, x: Axis::titled(x, chart.x.title.clone(), x_ticks), y, marks: Vec::new() };
    if chart.diagonal {
        let from = x.value(0.0).max(panel.y.scale.value(0.0));
        let to = x.value(1.0).min(panel.y.scale.value(1.0));
        panel.marks.push(Mark::Line {
            points: vec![(from, from), (to, to)],
            ink: Ink::Axis,
            width: 1.0,
            dash: Dash::Dashed,
        });
    }
    let mut index = 0;
    for series in &chart.series {
        index = draw_series(chart, series, index, &mut panel.marks);
    }
    names(chart, &mut panel);
    let height = rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![Panel::overlay(width, height, key), panel],
        table: table(chart),
    }
    .with_whole_titles()
}

fn entry(series: &ScatterSeries) -> Entry {
    let sign = match series.line {
        Some(dash) => Sign::Line { ink: series.ink, dash },
        None => Sign::Point { symbol: series.symbol, ink: series.ink, filled: series.filled },
    };
    Entry::new(sign, series.name.clone())
}

/// Line, intervals and points of one series; answers the index after its last point.
fn draw_series(chart: &ScatterChart, series: &ScatterSeries, first: u32, marks: &mut Vec<Mark>) -> u32 {
    let known = |point: &&ScatterPoint| point.x.is_finite() && point.y.is_finite();
    let points: Vec<&ScatterPoint> = series.points.iter().filter(known).collect();
    if let Some(dash) = series.line {
        marks.push(Mark::Line {
            points: points.iter().map(|point| (point.x, point.y)).collect(),
            ink: series.ink,
            width: 2.0,
            dash,
        });
    }
    let bars: Vec<(f64, f64, f64)> =
        points.iter().filter_map(|point| point.interval.map(|(low, high)| (point.x, low, high))).collect();
    if !bars.is_empty() {
        marks.push(Mark::Errorbars { bars, ink: series.ink });
    }
    let last = first + points.len() as u32;
    let symbols = (first..last).zip(points).map(|(index, point)| Point {
        x: point.x,
        y: point.y,
        radius: 4.5,
        symbol: series.symbol,
        ink: series.ink,
        filled: series.filled,
        index,
        hover: card(chart, series, point),
    });
    marks.push(Mark::Points { points: symbols.collect() });
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::text_box;

    fn chart(names: usize) -> ScatterChart {
        let point = |k: usize| ScatterPoint {
            name: format!("method {k}"),
            x: 80.0 + k as f64,
            y: 3.0 / (1.0 + k as f64),
            ..ScatterPoint::default()
        };
        let points = (0..names).map(point).collect();
        ScatterChart {
            series: vec![ScatterSeries::new("", 0, points)],
            x: ScatterAxis::new("accuracy, %"),
            y: ScatterAxis { zero: true, ..ScatterAxis::new("ECE, pp") },
            ..ScatterChart::default()
        }
    }

    fn words(figure: &Figure) -> Vec<String> {
        let marks = figure.panels.iter().flat_map(|panel| &panel.marks);
        let texts = marks.filter_map(|mark| match mark {
            Mark::Text(text) => Some(text.text.clone()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn points_have_names_and_a_twin_in_words() {
        let figure = scatter(&chart(3), 420.0);
        assert_eq!(words(&figure), ["method 0", "method 1", "method 2"]);
        assert_eq!(
            figure.table.to_text(),
            "          accuracy, %  ECE, pp\nmethod 0         80.0     3.00\nmethod 1         81.0     1.50\nmethod 2         82.0     1.00\n"
        );
        assert_eq!(
            figure.alt,
            "ECE, pp against accuracy, %, 3 points. accuracy, % 80.0 to 82.0, ECE, pp 1.00 to 3.00."
        );
        assert!(scatter(&chart(1), 420.0).alt.contains(", 1 point. "));
        // Too many to read: the pointer tells them.
        assert!(words(&scatter(&chart(17), 420.0)).is_empty());
    }

    /// Names of points in one place would be a blot: some stand further away, the rest is left to the pointer.
    #[test]
    fn names_never_cover_each_other() {
        let mut crowded = chart(12);
        for point in &mut crowded.series[0].points {
            (point.x, point.y) = (80.0 + point.x / 1e3, 1.0 + point.y / 1e3);
        }
        crowded.x.ends = Some((0.0, 100.0));
        crowded.y.ends = Some((0.0, 2.0));
        let figure = scatter(&crowded, 420.0);
        let panel = &figure.panels[1];
        let boxes: Vec<Rect> = panel
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Text(text) => {
                    let (x, y) = panel.place(text.x, text.y);
                    let at = (x + text.dx, y + text.dy);
                    Some(text_box(&text.text, text.size, at, text.anchor))
                }
                _ => None,
            })
            .collect();
        assert!((4..12).contains(&boxes.len()), "{}", boxes.len());
        for (i, a) in boxes.iter().enumerate() {
            assert!(boxes[..i].iter().all(|b| !a.overlaps(b)));
        }
    }

    /// On a phone, half of the width takes a name beyond the axis of a point near it.
    #[test]
    fn names_leave_the_numbers_of_the_axis_free() {
        let points = [("Original predictions", 11.8), ("Platt scaling", 4.9), ("Beta calibration", 4.3)];
        let mut near = chart(3);
        for (point, (name, x)) in near.series[0].points.iter_mut().zip(points) {
            (point.name, point.x, point.y) = (name.to_owned(), x, 15.2);
        }
        near.x.ends = Some((0.0, 16.7));
        near.y.ends = Some((0.0, 16.7));
        for width in [240.0, 270.0, 320.0] {
            let figure = scatter(&near, width);
            assert_eq!(crate::collisions::collisions(&figure), Vec::<String>::new());
            assert!(!words(&figure).is_empty());
        }
    }

    #[test]
    fn nothing_and_what_is_not_a_number_draw_nothing() {
        let empty = scatter(&ScatterChart::default(), 0.0);
        assert!(empty.table.rows.is_empty() && empty.width == 240.0);
        let mut odd = chart(2);
        odd.series[0].points[0].y = f64::NAN;
        odd.series[0].points[1].interval = Some((0.5, 2.0));
        odd.series.push(ScatterSeries::new("second", 5, Vec::new()).joined(Dash::Dotted));
        odd.diagonal = true;
        let figure = scatter(&odd, 420.0);
        let points = figure.panels[1].marks.iter().find_map(|mark| match mark {
            Mark::Points { points } => Some(points.len()),
            _ => None,
        });
        assert_eq!(points, Some(1));
        assert_eq!(figure.table.rows[1][3], "0.500 to 2.00");
    }
}
