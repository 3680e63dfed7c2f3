//! Bias against a covariate: rows as points, a smooth line and standard errors for each of a few groups.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::place::{Obstacles, text_box};
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::words::number;
use crate::words::text::counted;

/// Everything the chart shows; biases are score − outcome: positive where scores are too high.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BiasChart {
    /// one line each
    pub series: Vec<BiasSeries>,
    /// the covariate
    pub x_name: String,
    /// ends of the covariate
    pub x: (f64, f64),
    /// the difference that is drawn, such as "predicted − observed"
    pub value_name: String,
    /// largest bias on the axis, such as 0.1
    pub limit: f64,
    /// the subgroup
    pub title: String,
    /// the method
    pub caption: String,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BiasSeries {
    /// its name
    pub name: String,
    /// rows
    pub n: usize,
    /// (x, bias) of some rows
    pub points: Vec<(f64, f64)>,
    /// (x, bias) of the line
    pub line: Vec<(f64, f64)>,
    /// (x, bias, standard error) by bin of the covariate
    pub bins: Vec<(f64, f64, f64)>,
}

/// Form and dash besides color: no group is told by its color alone.
const SYMBOLS: [Symbol; 4] = [Symbol::Circle, Symbol::Diamond, Symbol::TriangleUp, Symbol::TriangleDown];
const DASHES: [Dash; 3] = [Dash::Solid, Dash::Dashed, Dash::Dotted];

/// Pixels above and below the largest bias on the axis, for the words of its two directions.
const MARGIN: f64 = 20.0;

/// The chart as a figure of `width` CSS pixels, at least 240.
pub fn bias(chart: &BiasChart, width: f64) -> Figure {
    let width = width.max(240.0);
    let ink = |k: usize| Ink::Category(k as u8);
    let entries: Vec<Entry> = chart
        .series
        .iter()
        .enumerate()
        .map(|(k, series)| {
            let sign = Sign::Line { ink: ink(k), dash: DASHES[k % DASHES.len()] };
            let words = format!("{} ({} rows)", series.name, number::count(series.n as u64));
            Entry::new(sign, words)
        })
        .collect();
    let (key, taken) = key(&entries, 8.0, 4.0, width - 16.0);
    let height = (0.62 * width).clamp(150.0, 300.0).round();
    let limit = 100.0 * chart.limit * height / (height - 2.0 * MARGIN);
    let (x, y) = (Scale::linear(chart.x.0, chart.x.1), Scale::linear(-limit, limit));
    let y = Axis::titled(y, format!("{}, pp", chart.value_name), y.ticks_up(height));
    let left = y.room_left(height, 58.0);
    let rect = Rect::new(left, 10.0 + taken, width - left - 12.0, height);
    let mut marks = vec![Mark::Rule { at: At::Y(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid }];
    for (k, series) in chart.series.iter().enumerate() {
        let point = |&(x, bias): &(f64, f64)| Point {
            x,
            y: 100.0 * bias,
            radius: 1.4,
            symbol: SYMBOLS[k % SYMBOLS.len()],
            ink: ink(k),
            filled: true,
            index: k as u32,
            hover: Vec::new(),
        };
        marks.push(Mark::Points { points: series.points.iter().map(point).collect() });
    }
    for (k, series) in chart.series.iter().enumerate() {
        let bar = |&(x, bias, se): &(f64, f64, f64)| (x, 100.0 * (bias - se), 100.0 * (bias + se));
        marks.push(Mark::Errorbars { bars: series.bins.iter().map(bar).collect(), ink: ink(k) });
        marks.push(Mark::Line {
            points: series.line.iter().map(|p| (p.0, 100.0 * p.1)).collect(),
            ink: ink(k),
            width: 2.5,
            dash: DASHES[k % DASHES.len()],
        });
    }
    let mut panel = Panel { rect, x: Axis::titled(x, chart.x_name.clone(), x.ticks_across(rect.width)), y, marks };
    name_directions(chart, &mut panel, limit);
    let height = rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: format!(
            "Local error ({}) by {} in {}; {}.",
            chart.value_name,
            chart.x_name,
            counted(chart.series.len(), "group"),
            chart.title
        ),
        table: table(chart),
        panels: vec![panel, Panel::overlay(width, height, key)],
    }
    .with_whole_titles()
}

/// Which direction is which, at the end of the axis where fewer lines are: biases beyond the largest are drawn, too.
fn name_directions(chart: &BiasChart, panel: &mut Panel, limit: f64) {
    let mut taken = Obstacles::default();
    for series in &chart.series {
        let line: Vec<_> = series.line.iter().map(|&(x, bias)| panel.place(x, 100.0 * bias)).collect();
        taken.add_line(&line);
        for &(x, bias, se) in &series.bins {
            taken.add_line(&[bias - se, bias + se].map(|end| panel.place(x, 100.0 * end)));
        }
    }
    let half = MARGIN / 2.0;
    for (words, at, ink, down) in
        [("▲ overestimated", limit, Ink::Over, half), ("▼ underestimated", -limit, Ink::Under, -half)]
    {
        let candidates = [(chart.x.1, Anchor::End, -4.0), (chart.x.0, Anchor::Start, 4.0)].map(|place| {
            let (x, y) = panel.place(place.0, at);
            (text_box(words, text::SMALL, (x + place.2, y + down), place.1), place)
        });
        let Some((x, anchor, aside)) = taken.settle(&candidates, &panel.rect) else { continue };
        panel.marks.push(Mark::Text(Text::new(x, at, words).ink(ink).anchor(anchor).shifted(aside, down).with_halo()));
    }
}

fn table(chart: &BiasChart) -> TextTable {
    let mut table =
        TextTable::new(&["group", &chart.x_name, &format!("#{}, local", chart.value_name), "#standard error"]);
    for series in &chart.series {
        table.rows.extend(series.bins.iter().map(|&(x, bias, se)| {
            vec![series.name.clone(), number::significant(x), number::points(bias), number::points_size(se)]
        }));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::{collisions, crossings};

    /// A line from one bias to another over ages, in percentage points.
    fn sloped(from: f64, to: f64) -> BiasChart {
        let at = |k: u32| (20.0 + f64::from(k), 0.01 * (from + (to - from) * f64::from(k) / 60.0));
        let line: Vec<_> = (0..=60).map(at).collect();
        let bins = line.iter().step_by(10).map(|&(x, bias)| (x, bias, 0.004)).collect();
        let series = BiasSeries { name: "ward = ICU".into(), n: 400, points: line.clone(), line, bins };
        BiasChart {
            series: vec![series],
            x_name: "age".into(),
            x: (19.0, 81.0),
            value_name: "predicted − observed".into(),
            limit: 0.05,
            title: "hospital = A".into(),
            caption: String::new(),
        }
    }

    #[test]
    fn names_of_the_directions_lie_over_no_line() {
        // as large as the axis says at either end, flat, and beyond it where a few rows are
        for (from, to) in [(-4.9, -4.9), (4.9, 4.9), (-4.9, 4.9), (4.9, -4.9), (0.0, -6.4), (-6.4, 0.0), (1.0, 6.4)] {
            for width in [240.0, 420.0, 900.0] {
                let figure = bias(&sloped(from, to), width);
                assert_eq!(collisions(&figure), Vec::<String>::new(), "{from} to {to} at {width}");
                assert_eq!(crossings(&figure), Vec::<String>::new(), "{from} to {to} at {width}");
            }
        }
    }
}
