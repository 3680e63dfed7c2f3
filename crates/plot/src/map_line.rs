//! The map of one feature: a curve of the signed local error over it, with its band, and below it where the rows are.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Bar, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::map::MapChart;
use super::palette::Ink;
use super::scale::Scale;
use super::table::TextTable;
use crate::words::number;

/// Height of the rows below in pixels.
const BELOW: f64 = 44.0;
/// Bars of the rows below.
const BARS: usize = 60;
/// Lines of the text twin, and places that a keyboard visits.
const LISTED: usize = 25;

/// The local error at one value of the feature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinePlace {
    /// of the feature
    pub x: f64,
    /// signed local error, as a share
    pub error: f64,
    /// lower end of its 95 % interval
    pub low: f64,
    /// upper end
    pub high: f64,
    /// neighbors enough to say it
    pub known: bool,
}

impl LinePlace {
    /// What the interval bears: too high, too low, or neither.
    fn ink(&self) -> Ink {
        match (self.low > 0.0, self.high < 0.0) {
            (true, _) => Ink::Over,
            (_, true) => Ink::Under,
            _ => Ink::NotEnough,
        }
    }

    fn words(&self) -> String {
        format!("{} (95% CI {})", number::points(self.error), number::points_interval(self.low, self.high))
    }
}

/// Ends of the axis on which the errors of a line are drawn, as shares, with room for words above and below.
pub fn error_range(line: &[LinePlace]) -> [f64; 2] {
    let known = || line.iter().filter(|place| place.known);
    // An interval that is wide where rows are few does not flatten the rest.
    let most = known().map(|place| place.error.abs()).fold(0.01, f64::max);
    let within = |v: f64| v.clamp(-2.5 * most, 2.5 * most);
    let low = known().map(|place| within(place.low)).fold(-0.5 * most, f64::min);
    let high = known().map(|place| within(place.high)).fold(0.5 * most, f64::max);
    let room = 0.14 * (high - low);
    [low - room, high + room]
}

/// The chart of rows with `values` of the feature as a figure of `width` CSS pixels, at least 280.
pub fn map_line(chart: &MapChart, line: &[LinePlace], values: &[f64], width: f64) -> Figure {
    let width = width.max(280.0);
    let height = (0.5 * width).clamp(180.0, 320.0).round();
    let x = Scale::linear(chart.extent.x0, chart.extent.x1);
    let [low, high] = chart.error_range.unwrap_or_else(|| error_range(line));
    let y = Scale::linear(100.0 * low, 100.0 * high);
    let title = format!("{}, pp", chart.value_name);
    let title = if super::text::width(&title, super::text::BODY) > height { "local error, pp".into() } else { title };
    let y = Axis::titled(y, title, y.ticks_up(height));
    let counts = Counts::new(values, x);
    let left = y.room_left(height, 60.0).max(counts.axis().room_left(BELOW, 60.0));
    let rect = Rect::new(left, 10.0, width - left - 14.0, height);
    let below = Rect::new(rect.x, rect.bottom() + 10.0, rect.width, BELOW);
    let ticks = x.ticks_across(rect.width);
    let unlabeled = ticks.iter().map(|tick| super::Tick::new(tick.value, "")).collect();
    let mut main = Panel { rect, x: Axis::titled(x, "", unlabeled), y, marks: bands(line) };
    main.marks.push(Mark::Rule { at: At::Y(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid });
    for run in line.split(|place| !place.known) {
        let points = run.iter().map(|place| (place.x, 100.0 * place.error)).collect();
        main.marks.push(Mark::Line { points, ink: Ink::Ink, width: 2.0, dash: Dash::Solid });
    }
    main.marks.push(Mark::Points { points: visited(chart, line) });
    let (foot, top) = (100.0 * low, 100.0 * high);
    let corner = |words: &str, at: f64, ink: Ink, down: f64| {
        let words = Text::new(chart.extent.x1, at, words).ink(ink).anchor(Anchor::End);
        Mark::Text(words.shifted(-6.0, down).with_halo())
    };
    main.marks.push(corner("▲ overestimated", top, Ink::Over, 10.0));
    main.marks.push(corner("▼ underestimated", foot, Ink::Under, -10.0));
    let height = below.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart, line),
        panels: vec![main, rows(chart, &counts, x, below)],
        table: table(chart, line),
    }
    .with_whole_titles()
}

/// Warm where the whole interval is above 0, cool where it is below, gray where it holds 0.
fn bands(line: &[LinePlace]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for run in line.split(|place| !place.known) {
        for part in run.windows(2).collect::<Vec<_>>().chunk_by(|a, b| a[0].ink() == b[0].ink()) {
            let places: Vec<&LinePlace> =
                part.iter().map(|pair| &pair[0]).chain(part.last().map(|pair| &pair[1])).collect();
            let upper = places.iter().map(|place| (place.x, 100.0 * place.high));
            let lower = places.iter().rev().map(|place| (place.x, 100.0 * place.low));
            let ink = places.first().map_or(Ink::NotEnough, |place| place.ink());
            marks.push(Mark::Area { points: upper.chain(lower).collect(), ink, opacity: 0.35 });
        }
    }
    marks
}

fn listed(line: &[LinePlace]) -> impl Iterator<Item = &LinePlace> {
    line.iter().filter(|place| place.known).step_by(line.len().div_ceil(LISTED).max(1))
}

fn visited(chart: &MapChart, line: &[LinePlace]) -> Vec<Point> {
    let point = |(i, place): (usize, &LinePlace)| Point {
        x: place.x,
        y: 100.0 * place.error,
        // Nothing to see: the line says it. The pointer finds it all the same.
        radius: 0.0,
        symbol: Symbol::Circle,
        ink: place.ink(),
        filled: true,
        index: i as u32,
        hover: vec![
            format!("{} {}", chart.x_name, number::significant(place.x)),
            format!("local error {}", place.words()),
        ],
    };
    listed(line).enumerate().map(point).collect()
}

/// How many rows have which value.
struct Counts {
    bars: [u32; BARS],
    most: u32,
}

impl Counts {
    fn new(values: &[f64], x: Scale) -> Self {
        let mut bars = [0u32; BARS];
        for value in values {
            let place = x.position(*value);
            if (0.0..=1.0).contains(&place)
                && let Some(count) = bars.get_mut(((place * BARS as f64) as usize).min(BARS - 1))
            {
                *count += 1;
            }
        }
        Self { bars, most: bars.iter().copied().max().unwrap_or(0).max(1) }
    }

    fn axis(&self) -> Axis {
        let top = super::Tick::new(f64::from(self.most), number::count(u64::from(self.most)));
        let ticks = vec![super::Tick::new(0.0, "0"), top];
        Axis { grid: false, ..Axis::titled(Scale::linear(0.0, f64::from(self.most)), "rows", ticks) }
    }
}

/// The rows below the line.
fn rows(chart: &MapChart, counts: &Counts, x: Scale, rect: Rect) -> Panel {
    let bars = counts.bars.iter().enumerate().filter(|(_, count)| **count > 0).map(|(k, count)| {
        let edge = |k: usize| x.value(k as f64 / BARS as f64);
        let ends = format!("{} {}–{}", chart.x_name, number::significant(edge(k)), number::significant(edge(k + 1)));
        Bar {
            x0: edge(k),
            x1: edge(k + 1),
            y0: 0.0,
            y1: f64::from(*count),
            ink: Ink::Muted,
            opacity: 0.6,
            index: k as u32,
            hover: vec![ends, format!("{} rows", number::count(u64::from(*count)))],
        }
    });
    Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(x, chart.x_name.clone(), x.ticks_across(rect.width)) },
        y: counts.axis(),
        marks: vec![Mark::Bars { bars: bars.collect() }],
    }
}

fn alt(chart: &MapChart, line: &[LinePlace]) -> String {
    let known = || line.iter().filter(|place| place.known);
    let by_error = |a: &&LinePlace, b: &&LinePlace| a.error.total_cmp(&b.error);
    let Some((least, most)) = known().min_by(by_error).zip(known().max_by(by_error)) else {
        return format!("Too few neighbors to estimate local error by {}.", chart.x_name);
    };
    let apart = known().filter(|place| place.ink() != Ink::NotEnough).count();
    format!(
        "Local error of {} rows by {}: from {} near {} to {} near {}; at {} of {} places the pointwise 95% interval excludes \
         0.",
        number::count(chart.n),
        chart.x_name,
        number::points(least.error),
        number::significant(least.x),
        number::points(most.error),
        number::significant(most.x),
        apart,
        known().count(),
    )
}

fn table(chart: &MapChart, line: &[LinePlace]) -> TextTable {
    let x = format!("#{}", chart.x_name);
    let mut table = TextTable::new(&[&x, "#local error", "#95% CI"]);
    table.rows = listed(line)
        .map(|place| {
            let interval = number::points_interval(place.low, place.high);
            vec![number::significant(place.x), number::points(place.error), interval]
        })
        .collect();
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;
    use crate::extent::Extent;

    #[test]
    fn warm_and_cool_only_where_the_interval_bears_it_and_nothing_where_rows_are_few() {
        let place = |k: i32| {
            let (x, error) = (f64::from(k), 0.02 * f64::from(k - 5));
            LinePlace { x, error, low: error - 0.03, high: error + 0.03, known: k != 10 }
        };
        let line: Vec<LinePlace> = (0..=10).map(place).collect();
        let chart = MapChart {
            extent: Extent { x0: -0.3, x1: 10.3, y0: 0.0, y1: 1.0 },
            x_name: "age".into(),
            y_name: "age".into(),
            color_limit: 0.2,
            value_name: "signed local error: predicted − observed".into(),
            n: 11,
            n_grey: 1,
            ..MapChart::default()
        };
        let values: Vec<f64> = line.iter().map(|place| place.x).collect();
        for width in [280.0, 360.0, 560.0, 1_200.0] {
            let figure = map_line(&chart, &line, &values, width);
            assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
        }
        let figure = map_line(&chart, &line, &values, 560.0);
        let areas = figure.panels[0].marks.iter().filter_map(|mark| match mark {
            Mark::Area { ink, points, .. } => Some((*ink, points.len())),
            _ => None,
        });
        assert_eq!(areas.collect::<Vec<_>>(), [(Ink::Under, 10), (Ink::NotEnough, 8), (Ink::Over, 6)]);
        assert!(figure.alt.ends_with("at 7 of 10 places the pointwise 95% interval excludes 0."), "{}", figure.alt);
        assert!(map_line(&chart, &[], &[], 0.0).alt.starts_with("Too few neighbors"));
    }
}
