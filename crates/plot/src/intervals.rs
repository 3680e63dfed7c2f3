//! Values with intervals, one under the other: a row a name, a line at zero.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::palette::Ink;
use super::row_labels::{common_column, wrapped};
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::words::number;
use crate::words::text::counted;

/// Height of a row in pixels.
const ROW: f64 = 24.0;
/// Height of a line of a name of several lines, and their number, at most.
const LINE: f64 = 15.0;
const LINES: usize = 4;
/// Names take at most this part of the width.
const NAMES: f64 = 0.42;
/// Height of a line of the heading of the names.
const HEAD: f64 = 16.0;
/// Ends of an axis of ratios reach so far beyond the marks: of the logarithms of both ends' ratio.
const AROUND: f64 = 0.04;

/// An axis of ratios shows at least this ratio.
const RATIO: f64 = 1.5;

/// Values with intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalChart {
    /// from top to bottom
    pub rows: Vec<IntervalRow>,
    /// title of the axis without its unit, such as "gap"; of values that are no shares with it
    pub value_name: String,
    /// what values are, and how they are written
    pub counted: Counted,
    /// above zero is too high: warm; else every row has one color
    pub signed: bool,
    /// filled marks, and what is said of a row behind the first, compare it with all others: without some of them it is left out
    #[serde(default)]
    pub compares: bool,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

impl IntervalChart {
    /// Without what compares a row with the others, some of which are not shown.
    pub(super) fn without_comparisons(&mut self) {
        for row in &mut self.rows {
            row.faint = true;
            row.more.truncate(1);
        }
        self.caption.push_str(" Comparisons with the other rows are withheld: no mark is filled.");
    }
}

/// What the values of a chart are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Counted {
    /// differences of shares, in percentage points, with a line at zero
    Points,
    /// shares, in percent, with an upright line at one of them
    Percent {
        /// where it stands
        at: f64,
        /// what it is
        name: String,
    },
    /// plain numbers, means whose ends are one standard deviation away; the axis is as long as they need
    Plain,
    /// plain numbers, with 95 % intervals and an upright line at one of them
    Against {
        /// where it stands
        at: f64,
        /// what it is
        name: String,
        /// they are ratios, of which equal ones take equal space: 0.5 is as far from 1 as 2
        ratios: bool,
    },
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalRow {
    /// what it is of
    pub name: String,
    /// the value
    pub value: f64,
    /// lower end
    pub low: f64,
    /// upper end
    pub high: f64,
    /// ends of the interval that holds the values of all rows together; drawn as a pale bar behind the other
    pub together: Option<[f64; 2]>,
    /// whether it could be zero, or stands on few rows: drawn hollow
    pub faint: bool,
    /// more lines for the hover card
    pub more: Vec<String>,
}

/// Whether names of rows stand whole and in one line each in a chart of `width` CSS pixels.
pub fn names_fit<'a>(mut names: impl Iterator<Item = &'a str>, width: f64) -> bool {
    names.all(|name| text::width(name, text::BODY) + 16.0 <= NAMES * width)
}

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn intervals(chart: &IntervalChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let whole: Vec<&str> = chart.rows.iter().map(|row| row.name.as_str()).collect();
    // A column that all rows share is written once.
    let (column, said) = common_column(&whole).filter(|(_, rows)| rows.len() > 1).unwrap_or(("", whole));
    let heading = text::lines(column, text::SMALL, width - 8.0, 2);
    let longest = said.iter().map(|name| text::width(name, text::BODY)).fold(0.0, f64::max);
    let left = (longest + 16.0).min(NAMES * width).ceil();
    let top = 8.0 + HEAD * heading.len() as f64;
    let rows = Rows::new(wrapped(&said, text::BODY, left - 14.0, LINES));
    let rect = Rect::new(left, top, width - left - 16.0, ROW * rows.end);
    let across = Across::of(chart);
    let x = across.scale;
    let ticks = match across.ratios {
        true => x.ratio_ticks_across(rect.width),
        false => x.ticks_across(rect.width),
    };
    let y = Scale::linear(rows.end, 0.0);
    let mut marks: Vec<Mark> = across.rule(chart).into_iter().collect();
    let mut points = Vec::new();
    for (i, (row, &at)) in chart.rows.iter().zip(&rows.middles).enumerate() {
        marks.extend(bars(chart, &across, at, row));
        points.extend(point(chart, &across, (i, at), row));
    }
    marks.push(Mark::Points { points });
    let heading = heading.into_iter().enumerate().map(|(i, line)| {
        let at = HEAD * (i as f64 + 0.5);
        // above the names, or from the edge where it is longer than they are
        let short = text::width(&line, text::SMALL) <= left - 14.0;
        let (x, anchor) = if short { (left - 10.0, Anchor::End) } else { (4.0, Anchor::Start) };
        Mark::Text(Text::new(x, at, line).anchor(anchor))
    });
    let names = rows.names.iter().zip(&rows.middles).flat_map(|(lines, middle)| {
        let first = rect.y + ROW * middle - LINE * lines.len().saturating_sub(1) as f64 / 2.0;
        lines.iter().enumerate().map(move |(k, line)| {
            let at = first + LINE * k as f64;
            let mut name = Text::new(left - 10.0, at, line.clone()).ink(Ink::Ink).anchor(Anchor::End);
            name.size = text::BODY;
            Mark::Text(name)
        })
    });
    let height = rect.bottom() + 44.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![
            Panel::overlay(width, height, heading.chain(names).collect()),
            Panel { rect, x: Axis::titled(x, axis_name(chart, rect.width), ticks), y: Axis::bare(y), marks },
        ],
        table: table(chart),
    }
    .with_whole_titles()
}

/// Rows one under the other, in heights of a row with a name of one line.
struct Rows {
    /// their names, in lines
    names: Vec<Vec<String>>,
    /// where their marks stand
    middles: Vec<f64>,
    /// where the last one ends
    end: f64,
}

impl Rows {
    fn new(names: Vec<Vec<String>>) -> Self {
        let (mut middles, mut end) = (Vec::with_capacity(names.len()), 0.0);
        for lines in &names {
            let height = 1.0 + LINE * lines.len().saturating_sub(1) as f64 / ROW;
            middles.push(end + height / 2.0);
            end += height;
        }
        Self { names, middles, end: if end > 0.0 { end } else { 1.0 } }
    }
}

/// The horizontal axis.
struct Across {
    scale: Scale,
    /// what values are multiplied by: shares are shown in percent
    unit: f64,
    /// the lowest and the highest end of what is shown
    ends: (f64, f64),
    /// equal ratios take equal space
    ratios: bool,
}

impl Across {
    fn of(chart: &IntervalChart) -> Self {
        let ends = || {
            let rows = chart.rows.iter();
            let all = rows
                .flat_map(|row| [row.value, row.low, row.high].into_iter().chain(row.together.into_iter().flatten()));
            let at = if let Counted::Against { at, .. } = chart.counted { Some(at) } else { None };
            all.chain(at)
        };
        let plain = matches!(chart.counted, Counted::Plain | Counted::Against { .. });
        let unit = if plain { 1.0 } else { 100.0 };
        let ratios = matches!(chart.counted, Counted::Against { ratios: true, .. });
        let known = || ends().filter(|v| v.is_finite() && !(ratios && *v <= 0.0)).map(|v| unit * v);
        let (low, high) = match plain {
            false => (known().fold(0.0, f64::min), known().fold(0.0, f64::max)),
            true => (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max)),
        };
        let room = 0.04 * (high - low).max(1e-6 * high.abs().max(if plain { 0.0 } else { 1.0 }));
        let scale = match ratios && low > 0.0 && low <= high {
            true => {
                let beyond = (high / low).max(RATIO).powf(AROUND);
                Scale::log(low / beyond, high * beyond)
            }
            false => Scale::linear(low - room, high + room),
        };
        Self { scale, unit, ends: (low, high), ratios }
    }

    /// A value on the axis. No logarithm is left of it: an interval that begins there begins with the axis.
    fn place(&self, value: f64) -> f64 {
        let (floor, _) = self.scale.ends();
        let v = self.unit * value;
        if matches!(self.scale, Scale::Log { .. }) { v.max(floor) } else { v }
    }

    /// The upright line that values are compared with.
    fn rule(&self, chart: &IntervalChart) -> Option<Mark> {
        let rule = |at: f64, ink, width, dash| Some(Mark::Rule { at: At::X(at), ink, width, dash });
        let (low, high) = self.ends;
        match &chart.counted {
            Counted::Percent { at, .. } => rule(100.0 * at, Ink::Accent, 1.5, Dash::Dashed),
            Counted::Against { at, .. } => rule(*at, Ink::Accent, 1.5, Dash::Dashed),
            Counted::Plain if low >= 0.0 || high <= 0.0 => None,
            Counted::Points | Counted::Plain => rule(0.0, Ink::Axis, 1.0, Dash::Solid),
        }
    }
}

/// The intervals of a row: of all rows together as a pale bar, its own as a line.
fn bars(chart: &IntervalChart, across: &Across, at: f64, row: &IntervalRow) -> Vec<Mark> {
    let ink = ink(chart, row);
    let mut marks = Vec::new();
    if let Some([low, high]) = row.together {
        let (low, high) = (across.place(low), across.place(high));
        let points = vec![(low, at - 0.22), (high, at - 0.22), (high, at + 0.22), (low, at + 0.22)];
        marks.push(Mark::Area { points, ink, opacity: 0.2 });
    }
    if row.low.is_finite() && row.high.is_finite() {
        marks.push(Mark::Line {
            points: vec![(across.place(row.low), at), (across.place(row.high), at)],
            ink,
            width: if row.together.is_some() { 1.0 } else { 2.0 },
            dash: Dash::Solid,
        });
    }
    marks
}

/// The value of a row, where it has a place on the axis.
fn point(chart: &IntervalChart, across: &Across, (i, at): (usize, f64), row: &IntervalRow) -> Option<Point> {
    let x = across.unit * row.value;
    if !x.is_finite() || across.place(row.value) != x {
        return None;
    }
    let mut hover = vec![row.name.clone(), words(chart, row)];
    hover.extend(row.more.iter().cloned());
    Some(Point {
        x,
        y: at,
        radius: 5.0,
        symbol: match (chart.signed, row.value > 0.0) {
            (false, _) => Symbol::Circle,
            (_, true) => Symbol::TriangleUp,
            _ => Symbol::TriangleDown,
        },
        ink: ink(chart, row),
        filled: !row.faint,
        index: i as u32,
        hover,
    })
}

fn ink(chart: &IntervalChart, row: &IntervalRow) -> Ink {
    match (chart.signed, row.value > 0.0) {
        (false, _) => Ink::Before,
        (_, true) => Ink::Over,
        _ => Ink::Under,
    }
}

/// With what the dashed line is, where that fits in `width` pixels; the caption and the hover card tell the rest.
fn axis_name(chart: &IntervalChart, width: f64) -> String {
    let plain = match &chart.counted {
        Counted::Points | Counted::Plain => None,
        Counted::Percent { .. } => Some(format!("{}, %", chart.value_name)),
        Counted::Against { .. } => Some(chart.value_name.clone()),
    };
    let whole = axis_words(chart);
    plain.filter(|_| text::width(&whole, text::BODY) > width).unwrap_or(whole)
}

fn axis_words(chart: &IntervalChart) -> String {
    match &chart.counted {
        Counted::Points => format!("{}, pp", chart.value_name),
        Counted::Percent { name, .. } => format!("{}, % (dashed: {name})", chart.value_name),
        Counted::Plain => chart.value_name.clone(),
        Counted::Against { name, .. } => format!("{} (dashed: {name})", chart.value_name),
    }
}

fn number_words(chart: &IntervalChart, value: f64) -> String {
    match chart.counted {
        Counted::Points => number::points(value),
        Counted::Percent { .. } => number::percent(value),
        Counted::Plain | Counted::Against { .. } => number::significant(value),
    }
}

/// The ends of an interval; of a mean its standard deviation, where it has one.
fn ends_words(chart: &IntervalChart, row: &IntervalRow) -> String {
    match chart.counted {
        Counted::Plain if !(row.low.is_finite() && row.high.is_finite()) => "–".to_owned(),
        Counted::Plain => number::plain(number::to_digits((row.high - row.low) / 2.0, 2)),
        Counted::Points => number::points_interval(row.low, row.high),
        _ => format!("{} to {}", number_words(chart, row.low), number_words(chart, row.high)),
    }
}

fn words(chart: &IntervalChart, row: &IntervalRow) -> String {
    let value = number_words(chart, row.value);
    match (&chart.counted, row.low.is_finite() && row.high.is_finite()) {
        (Counted::Against { .. }, false) => row.more.first().cloned().unwrap_or_else(|| "no estimate".to_owned()),
        (Counted::Against { .. }, true) => {
            format!("{} {value} (95% CI {})", chart.value_name, ends_words(chart, row))
        }
        (Counted::Points | Counted::Percent { .. }, _) => {
            format!("{} {value} (95% CI {})", chart.value_name, ends_words(chart, row))
        }
        // brackets around two ends are an interval everywhere else
        (Counted::Plain, true) => format!("{} {value} ± {}", chart.value_name, ends_words(chart, row)),
        (Counted::Plain, false) => format!("{} {value}", chart.value_name),
    }
}

/// Rows that the words tell of.
const TOLD: usize = 5;

fn alt(chart: &IntervalChart) -> String {
    // those that stand out first
    let (faint, out): (Vec<&IntervalRow>, Vec<&IntervalRow>) = chart.rows.iter().partition(|row| row.faint);
    let rows = out.into_iter().chain(faint).take(TOLD).map(|row| format!("{}: {}", row.name, words(chart, row)));
    let more = match chart.rows.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let rows = rows.collect::<Vec<_>>().join("; ");
    format!("{}: {}. {rows}{more}.", chart.value_name, counted(chart.rows.len(), "estimate"))
}

fn table(chart: &IntervalChart) -> TextTable {
    let value = format!("#{}", chart.value_name);
    let ends = if chart.counted == Counted::Plain { "#SD" } else { "#95% CI" };
    let mut table = TextTable::new(&["", &value, ends]);
    table.rows = chart
        .rows
        .iter()
        .map(|row| match row.value.is_finite() {
            true => vec![row.name.clone(), number_words(chart, row.value), ends_words(chart, row)],
            false => vec![row.name.clone(), "–".to_owned(), "–".to_owned()],
        })
        .collect();
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;

    fn chart(counted: Counted, rows: &[(&str, f64, f64, f64)]) -> IntervalChart {
        let row = |&(name, value, low, high): &(&str, f64, f64, f64)| IntervalRow {
            name: name.to_owned(),
            value,
            low,
            high,
            together: None,
            faint: false,
            more: Vec::new(),
        };
        IntervalChart {
            rows: rows.iter().map(row).collect(),
            value_name: "value".to_owned(),
            counted,
            signed: false,
            compares: false,
            title: String::new(),
            caption: String::new(),
        }
    }

    fn written(figure: &Figure) -> Vec<&str> {
        let marks = figure.panels.iter().flat_map(|panel| &panel.marks);
        marks.filter_map(|mark| if let Mark::Text(text) = mark { Some(text.text.as_str()) } else { None }).collect()
    }

    #[test]
    fn a_standard_deviation_is_not_written_as_an_interval() {
        let rows = [("a", 0.183, 0.174, 0.192), ("b", 0.2, f64::NAN, f64::NAN)];
        let figure = intervals(&chart(Counted::Plain, &rows), 560.0);
        assert!(figure.alt.contains("a: value 0.183 ± 0.009; b: value 0.200."), "{}", figure.alt);
        assert_eq!(figure.table.rows, [["a", "0.183", "0.009"], ["b", "0.200", "–"]]);
    }

    #[test]
    fn names_leave_most_of_the_width_to_the_marks_and_remain_distinct() {
        let names = ["Proximity-stratified isotonic regression", "Proximity-stratified Platt scaling", "Beta"];
        let rows = names.map(|name| (name, 0.02, -0.01, 0.05));
        assert_eq!(written(&intervals(&chart(Counted::Points, &rows), 720.0)), names);
        for width in [280.0, 320.0, 720.0, 1_200.0] {
            let figure = intervals(&chart(Counted::Points, &rows), width);
            assert!(figure.panels[1].rect.x <= (0.42 * width).ceil());
            // whole at any width, in as many lines as they need
            let spaceless = |words: &[&str]| words.concat().replace(' ', "");
            assert_eq!(spaceless(&written(&figure)), spaceless(&names), "at {width}");
            assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
        }
    }

    #[test]
    fn names_that_fit_are_written_whole() {
        for names in [["ICU", "recalibrated"], ["Hospital C", "Hospital F"], ["hospital = Hospital C", "recalibrated"]]
        {
            let figure = intervals(&chart(Counted::Points, &names.map(|name| (name, 0.02, -0.01, 0.05))), 280.0);
            assert_eq!(names_fit(names.into_iter(), 280.0), written(&figure) == names, "{names:?}");
        }
        assert!(names_fit(["Hospital C"].into_iter(), 280.0));
        assert!(!names_fit(["hospital = Hospital C"].into_iter(), 280.0));
    }

    #[test]
    fn a_column_of_all_rows_is_their_heading() {
        let rows = [("ward = ICU", 0.02, -0.01, 0.05), ("ward = ER", 0.01, -0.01, 0.03)];
        let figure = intervals(&chart(Counted::Points, &rows), 480.0);
        assert_eq!(written(&figure), ["ward", "ICU", "ER"]);
        assert_eq!(collisions(&figure), Vec::<String>::new());
        assert_eq!(figure.table.rows[0][0], "ward = ICU");
        assert!(figure.alt.contains("ward = ER: "));
    }

    #[test]
    fn an_axis_has_two_numbers_or_more() {
        let rows = [("a group with a long name indeed", -0.45, -0.48, -0.40), ("b", 0.2, 0.1, 0.28)];
        for width in [280.0, 320.0, 400.0] {
            let figure = intervals(&chart(Counted::Points, &rows), width);
            let ticks = &figure.panels[1].x.ticks;
            assert!(ticks.len() > 1, "{ticks:?} at {width}");
            assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
        }
    }

    #[test]
    fn ratios_are_as_far_above_one_as_below() {
        let counted = Counted::Against { at: 1.0, name: "calibrated".to_owned(), ratios: true };
        let figure = intervals(&chart(counted, &[("a", 0.5, 0.4, 0.625), ("b", 2.0, 0.0, 2.5)]), 560.0);
        let axis = &figure.panels[1].x;
        let at = |value: f64| axis.scale.position(value);
        assert!((at(1.0) - at(0.5) - (at(2.0) - at(1.0))).abs() < 1e-12);
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0.5", "0.8", "1", "1.25", "2"]);
        // an interval from 0 begins with the axis
        let lines = figure.panels[1].marks.iter().filter_map(|mark| match mark {
            Mark::Line { points, .. } => Some(points[0].0),
            _ => None,
        });
        assert!(lines.clone().count() == 2 && lines.clone().all(|x| (0.0..=1.0).contains(&at(x))));
    }
}
