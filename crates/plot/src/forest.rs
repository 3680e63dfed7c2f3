//! Subgroups that are miscalibrated: predicted probability and observed share of some groups of rows, one under the other.
//!
//! Each line of the chart is told at its left, drawn in the middle as two marks joined by a line, and counted at its right.
//! Too high is warm and points up, too low is cool and points down. On narrow pages the words stand above the marks.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Axis, Bar, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::row_labels::{common_column, wrapped};
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::words::number;

/// From this width on a line takes one row of the page; below it two.
const WIDE: f64 = 600.0;
/// Height of a line of the chart in pixels where its words stand beside the marks.
const ROW: f64 = 34.0;
/// Height where they stand above them.
const TALL_ROW: f64 = 50.0;
/// Height of the words above the marks.
const ABOVE: f64 = 22.0;
/// Half the height of the bar of an interval.
const HALF_BAR: f64 = 5.0;
/// Height of a line of a description.
const LINE: f64 = 16.0;
/// Lines of a description, at most.
const LINES: usize = 4;
/// Room around a description of several lines beside the marks.
const AROUND: f64 = 10.0;
/// Height of a line of the heading of the descriptions.
const HEAD_LINE: f64 = 15.0;
/// Lines of the heading, at most.
const HEAD_LINES: usize = 2;
/// Radius of a mark.
const RADIUS: f64 = 4.5;
/// A recalibrated value that stands nearer than this to another mark of its line is drawn below the interval.
const NEAR: f64 = 2.0 * RADIUS + 4.0;
/// So far below the middle of its line.
const BELOW: f64 = HALF_BAR + RADIUS;
/// Room between a mark and its number.
const AIR: f64 = 9.0;

/// Groups of rows whose scores and outcomes stand side by side.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForestChart {
    /// from top to bottom; made for 1 to 12
    pub rows: Vec<ForestRow>,
    /// what the scores are called in the key, such as "says"
    pub predicted_name: String,
    /// what the share of outcomes is called in the key, such as "observed"
    pub observed_name: String,
    /// what [`ForestRow::recalibrated`] is called, such as "recalibrated"
    pub recalibrated_name: String,
    /// what [`ForestRow::error`] is called, such as "error corrected for selection"; empty: no row has one
    pub error_name: String,
    /// what is counted, such as "rows" or "patients"
    pub rows_name: String,
    /// title of the axis, left out where it does not fit, such as "predicted probability and observed share of events"
    pub axis_name: String,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForestRow {
    /// who they are, such as "ward = ICU"
    pub description: String,
    /// mean score
    pub predicted: f64,
    /// share of events
    pub observed: f64,
    /// lower end of the 95 % interval of the share of events
    pub low: f64,
    /// upper end
    pub high: f64,
    /// how many
    pub rows: u64,
    /// mean score once it was recalibrated; none: nothing was
    pub recalibrated: Option<f64>,
    /// the error that is stated, where it is estimated otherwise than by predicted − observed
    pub error: Option<StatedError>,
    /// more lines for the hover card
    pub more: Vec<String>,
}

/// An error that is estimated otherwise than by predicted − observed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StatedError {
    /// the estimate
    pub value: f64,
    /// the observed difference that it is an estimate of: above 0 is overestimated, in sentences, marks and colors
    pub gap: f64,
    /// whether the estimate is known to lie on the side of that difference; else it is a signed number without a mark
    pub certain: bool,
}

impl ForestRow {
    /// predicted − observed, or the observed difference of which an error is stated: above 0 is too high.
    pub fn gap(&self) -> f64 {
        self.error.map_or(self.predicted - self.observed, |error| error.gap)
    }

    fn ink(&self) -> Ink {
        if self.gap() > 0.0 { Ink::Over } else { Ink::Under }
    }

    fn symbol(&self) -> Symbol {
        if self.gap() > 0.0 { Symbol::TriangleUp } else { Symbol::TriangleDown }
    }

    /// The error that is stated.
    fn stated_error(&self) -> f64 {
        self.error.map_or_else(|| self.gap(), |error| error.value)
    }

    fn is_certain(&self) -> bool {
        self.error.is_none_or(|error| error.certain)
    }

    /// "▼ 19.7 pp"; of an error whose direction is not certain "+0.07 pp".
    fn error_words(&self) -> String {
        match (self.is_certain(), self.gap() > 0.0) {
            (false, _) => number::points(self.stated_error()),
            (true, true) => format!("▲\u{a0}{}", number::points_size(self.stated_error())),
            (true, false) => format!("▼\u{a0}{}", number::points_size(self.stated_error())),
        }
    }

    fn interval_words(&self) -> String {
        number::percent_interval(self.low, self.high)
    }

    /// Leftmost and rightmost of what is drawn, as shares.
    fn ends(&self) -> (f64, f64) {
        let (low, high) = self.ends_of_line();
        let recalibrated = self.recalibrated.filter(|v| v.is_finite());
        recalibrated.map_or((low, high), |value| (low.min(value), high.max(value)))
    }

    /// The same without the recalibrated value.
    fn ends_of_line(&self) -> (f64, f64) {
        let all = [self.predicted, self.observed, self.low, self.high];
        let known = || all.into_iter().filter(|v| v.is_finite());
        (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max))
    }

    fn is_drawn(&self) -> bool {
        self.predicted.is_finite() && self.observed.is_finite()
    }
}

/// Where words and marks stand in a figure of some width.
struct Layout {
    wide: bool,
    /// of the marks
    rect: Rect,
    /// of each line of the chart
    lines: Vec<Line>,
    /// where descriptions begin
    left: f64,
    /// the column that they share, in lines
    heading: Vec<String>,
    /// right ends of gaps and of counts
    ends: (f64, f64),
    /// height of what stands above the first line
    head: f64,
}

/// A line of the chart.
struct Line {
    /// its description, broken into lines or shortened to fit
    label: Vec<String>,
    /// middle of the first line of its description, from the top of the panel
    label_at: f64,
    /// where its marks stand, from the top of the panel
    marks_at: f64,
    /// where it ends, from the top of the panel
    end: f64,
}

/// Lines of the chart, one under the other: descriptions beside the marks, or above them.
fn stacked(labels: Vec<Vec<String>>, wide: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(labels.len());
    for label in labels {
        let top = lines.last().map_or(0.0, |line| line.end);
        let further = LINE * label.len().saturating_sub(1) as f64;
        let (label_at, marks_at, height) = if wide {
            let height = ROW.max(LINE + further + AROUND);
            ((height - further) / 2.0, height / 2.0, height)
        } else {
            (ABOVE / 2.0, further + (ABOVE + TALL_ROW) / 2.0, further + TALL_ROW)
        };
        lines.push(Line { label, label_at: top + label_at, marks_at: top + marks_at, end: top + height });
    }
    lines
}

impl Layout {
    fn new(chart: &ForestChart, width: f64, key_height: f64) -> Self {
        let widest = |words: &dyn Fn(&ForestRow) -> String, least: &str, size: f64| {
            let all = chart.rows.iter().map(|row| text::width(&words(row), size));
            all.fold(text::width(least, text::SMALL), f64::max)
        };
        let gaps = widest(&ForestRow::error_words, chart.error_head(), text::BODY);
        let counts = widest(&|row| number::count(row.rows), &chart.rows_name, text::BODY);
        let wide = width >= WIDE;
        let right = width - 4.0;
        // Where errors are below each other without a head between the lines, that head has a line of its own.
        let gaps = if wide { gaps } else { widest(&ForestRow::error_words, "", text::BODY) };
        let counts = if wide { counts } else { counts + text::width(N, text::BODY) };
        let ends = (right - counts - 18.0, right);
        // On narrow pages the error stands at the end of the words, the count below it at the end of the marks' line.
        let most = if wide { 0.36 * width } else { (ends.1 - gaps - 18.0).max(60.0) };
        let (column, said) = chart.descriptions(most);
        let lines = stacked(wrapped(&said, text::BODY, most, LINES), wide);
        let height = lines.last().map_or(if wide { ROW } else { TALL_ROW }, |line| line.end);
        let (heading, above) = if wide {
            heading(column, width, chart.error_head(), ends.0)
        } else {
            heading(column, width, &chart.error_name, ends.1)
        };
        if wide {
            let said = lines.iter().flat_map(|line| &line.label);
            let words = said.map(|words| text::width(words, text::BODY)).fold(0.0, f64::max).ceil();
            let (x, head) = (4.0 + words + 14.0, key_height + 22.0 + above);
            let rect = Rect::new(x, head, ends.0 - gaps - 18.0 - x, height);
            return Self { wide, rect, lines, left: 4.0, heading, ends, head };
        }
        // Beside predicted and observed their difference needs no name; another number does.
        let bare = chart.error_name.is_empty() && heading.is_empty();
        let head = key_height + above + if bare { 4.0 } else { 22.0 };
        let rect = Rect::new(4.0, head, ends.0 - 4.0, height);
        Self { wide, rect, lines, left: 4.0, heading, ends, head }
    }
}

/// The column that all rows share, in lines of which the last stands beside the head `beside` that ends at `end`; and the
/// height of the others.
fn heading(column: &str, width: f64, beside: &str, end: f64) -> (Vec<String>, f64) {
    let mut lines = text::lines(column, text::SMALL, width - 8.0, HEAD_LINES);
    let last = lines.last().map_or(0.0, |line| 4.0 + text::width(line, text::SMALL));
    if last > 0.0 && !beside.is_empty() && last + 16.0 + text::width(beside, text::SMALL) > end {
        lines.push(String::new());
    }
    let above = HEAD_LINE * lines.len().saturating_sub(1) as f64;
    (lines, above)
}

/// Before a count that stands under no head.
const N: &str = "n\u{a0}=\u{a0}";
/// Head of the column of errors, where they are predicted − observed.
const ERROR: &str = "over-, underestimated by";

impl ForestChart {
    fn error_head(&self) -> &str {
        if self.error_name.is_empty() { ERROR } else { &self.error_name }
    }

    /// What stands at the left of each row; and the column that is its heading, where all rows are values of one and do not
    /// name it themselves: several rows, or one that is wider than `most`.
    fn descriptions(&self, most: f64) -> (&str, Vec<&str>) {
        let whole: Vec<&str> = self.rows.iter().map(|row| row.description.as_str()).collect();
        let wide = whole.iter().any(|words| text::width(words, text::BODY) > most);
        match common_column(&whole) {
            Some((column, values)) if values.len() > 1 || wide => (column, values),
            _ => ("", whole),
        }
    }
}

/// The chart as a figure of `width` CSS pixels, at least 280; its axis counts in per cent.
pub fn forest(chart: &ForestChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let (mut overlay, key_height) = key(&entries(chart), 4.0, 2.0, width - 8.0);
    let at = Layout::new(chart, width, key_height);
    let x = scale(chart, &at);
    let y = Scale::linear(at.rect.height, 0.0);
    let mut marks = Vec::new();
    let rows = || chart.rows.iter().zip(&at.lines).enumerate().filter(|(_, (row, _))| row.is_drawn());
    for (_, (row, line)) in rows() {
        line_marks(row, line.marks_at, &mut marks);
    }
    let points = rows().flat_map(|(i, (row, line))| points(chart, row, i, [line.marks_at, lane(row, &x, &at, line)]));
    marks.push(Mark::Points { points: points.collect() });
    for (_, (row, line)) in rows() {
        marks.extend(numbers(row, line.marks_at));
    }
    overlay.extend(columns(chart, &at));
    let ticks = x.ticks_across(at.rect.width).into_iter().filter(|tick| (0.0..=100.0).contains(&tick.value));
    let ticks = ticks.map(|tick| Tick::new(tick.value, format!("{}%", tick.label)));
    // The key says the same in shorter words.
    let legible = text::width(&chart.axis_name, text::BODY) <= at.rect.width + 24.0;
    let title = if legible { chart.axis_name.clone() } else { String::new() };
    let axis = Axis::titled(x, title, ticks.collect());
    let below = if axis.title.is_empty() { 26.0 } else { 46.0 };
    let height = at.rect.bottom() + below;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![Panel { rect: at.rect, x: axis, y: Axis::bare(y), marks }, Panel::overlay(width, height, overlay)],
        table: table(chart),
    }
}

/// Per cent over all that is drawn, with room at both ends for the numbers beside the outermost marks.
fn scale(chart: &ForestChart, at: &Layout) -> Scale {
    let drawn = || chart.rows.iter().filter(|row| row.is_drawn()).map(ForestRow::ends);
    let low = 100.0 * drawn().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
    let high = 100.0 * drawn().map(|ends| ends.1).fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return Scale::linear(0.0, 100.0);
    }
    // A hair's breadth of difference is not blown up to the whole width.
    let spread = (high - low).max(1.0);
    let middle = (low + high) / 2.0;
    let labels = chart.rows.iter().flat_map(|row| [row.predicted, row.observed]);
    let label = labels.map(|v| text::width(&number::percent(v), text::SMALL)).fold(0.0, f64::max) + AIR + 6.0;
    let inner = (at.rect.width - 2.0 * label).max(0.2 * at.rect.width);
    let half = 0.5 * spread * at.rect.width / inner;
    Scale::linear(middle - half, middle + half)
}

/// The interval as a pale bar with ends, and the line from the predicted to the observed.
fn line_marks(row: &ForestRow, at: f64, marks: &mut Vec<Mark>) {
    let ink = row.ink();
    if row.low.is_finite() && row.high.is_finite() {
        let (low, high) = (100.0 * row.low, 100.0 * row.high);
        let (y0, y1) = (at - HALF_BAR, at + HALF_BAR);
        let bar = Bar { x0: low, x1: high, y0, y1, ink, opacity: 0.25, index: 0, hover: Vec::new() };
        marks.push(Mark::Bars { bars: vec![bar] });
        for end in [low, high] {
            let points = vec![(end, y0), (end, y1)];
            marks.push(Mark::Line { points, ink, width: 1.0, dash: Dash::Solid });
        }
    }
    let points = vec![(100.0 * row.predicted, at), (100.0 * row.observed, at)];
    marks.push(Mark::Line { points, ink, width: 2.0, dash: Dash::Solid });
}

/// Where the recalibrated value of a line stands, from the top: between its marks, or below them where it would cover one, or stand
/// between one and the number beside it.
fn lane(row: &ForestRow, x: &Scale, at: &Layout, line: &Line) -> f64 {
    let place = |share: f64| at.rect.width * x.position(100.0 * share);
    let covers = |value: f64| [row.predicted, row.observed].iter().any(|&v| (place(v) - place(value)).abs() < NEAR);
    let (low, high) = row.ends_of_line();
    let is_beyond = |value: f64| value < low || value > high;
    let is_below = row.recalibrated.is_some_and(|value| covers(value) || is_beyond(value));
    line.marks_at + if is_below { BELOW } else { 0.0 }
}

/// Predicted and observed in the middle of a line, recalibrated in its lane.
fn points(chart: &ForestChart, row: &ForestRow, i: usize, [middle, lane]: [f64; 2]) -> impl Iterator<Item = Point> {
    let hover = card(chart, row);
    let point = move |x: f64, y: f64, symbol, ink, filled| Point {
        x: 100.0 * x,
        y,
        radius: RADIUS,
        symbol,
        ink,
        filled,
        index: i as u32,
        hover: hover.clone(),
    };
    let recalibrated = row.recalibrated.filter(|v| v.is_finite());
    [
        Some((row.predicted, middle, Symbol::Circle, Ink::Before, false)),
        recalibrated.map(|value| (value, lane, Symbol::Diamond, Ink::After, false)),
        Some((row.observed, middle, row.symbol(), row.ink(), true)),
    ]
    .into_iter()
    .flatten()
    .map(move |(x, y, symbol, ink, filled)| point(x, y, symbol, ink, filled))
}

/// The two shares beside the outermost marks of a line. They are those of the circle and of the triangle: the recalibrated value
/// stands elsewhere ([`lane`]).
fn numbers(row: &ForestRow, at: f64) -> [Mark; 2] {
    let (low, high) = row.ends_of_line();
    let said = Text::new(0.0, at, number::percent(row.predicted));
    let mut observed = Text::new(0.0, at, number::percent(row.observed)).ink(row.ink());
    observed.bold = true;
    let (left, right) = if row.predicted > row.observed { (observed, said) } else { (said, observed) };
    let left = Text { x: 100.0 * low, ..left }.anchor(Anchor::End).shifted(-AIR, 0.0).with_halo();
    let right = Text { x: 100.0 * high, ..right }.shifted(AIR, 0.0).with_halo();
    [Mark::Text(left), Mark::Text(right)]
}

/// Descriptions, gaps and counts beside the marks.
fn columns(chart: &ForestChart, at: &Layout) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut put = |x: f64, y: f64, words: String, size: f64, ink: Ink, anchor: Anchor| {
        marks.push(Mark::Text(Text { size, ..Text::new(x, y, words).ink(ink).anchor(anchor) }));
    };
    let y = at.head - 10.0;
    if at.wide && !chart.rows.is_empty() {
        put(at.ends.0, y, chart.error_head().to_owned(), text::SMALL, Ink::Muted, Anchor::End);
        put(at.ends.1, y, chart.rows_name.clone(), text::SMALL, Ink::Muted, Anchor::End);
    } else if !chart.rows.is_empty() && !chart.error_name.is_empty() {
        put(at.ends.1, y, chart.error_name.clone(), text::SMALL, Ink::Muted, Anchor::End);
    }
    for (above, line) in at.heading.iter().rev().enumerate().filter(|(_, line)| !line.is_empty()) {
        put(at.left, y - HEAD_LINE * above as f64, line.clone(), text::SMALL, Ink::Muted, Anchor::Start);
    }
    for (row, line) in chart.rows.iter().zip(&at.lines) {
        let y = at.rect.y + line.marks_at;
        for (k, words) in line.label.iter().enumerate() {
            let y = at.rect.y + line.label_at + LINE * k as f64;
            put(at.left, y, words.clone(), text::BODY, Ink::Ink, Anchor::Start);
        }
        if row.is_drawn() {
            // at the end of the words where they stand above the marks
            let (gap_end, gap_at) = if at.wide { (at.ends.0, y) } else { (at.ends.1, at.rect.y + line.label_at) };
            put(gap_end, gap_at, row.error_words(), text::BODY, row.ink(), Anchor::End);
        }
        let n = if at.wide { "" } else { N };
        put(at.ends.1, y, format!("{n}{}", number::count(row.rows)), text::BODY, Ink::Muted, Anchor::End);
    }
    marks
}

/// The key: only what occurs.
fn entries(chart: &ForestChart) -> Vec<Entry> {
    let drawn = || chart.rows.iter().filter(|row| row.is_drawn());
    let point = |symbol, ink, filled| Sign::Point { symbol, ink, filled };
    let mut entries = Vec::new();
    if drawn().next().is_some() {
        entries.push(Entry::new(point(Symbol::Circle, Ink::Before, false), &*chart.predicted_name));
    }
    if drawn().any(|row| row.gap() > 0.0) {
        let words = format!("{}, lower: overestimated", chart.observed_name);
        entries.push(Entry::new(point(Symbol::TriangleUp, Ink::Over, true), words));
    }
    if drawn().any(|row| row.gap() <= 0.0) {
        let words = format!("{}, higher: underestimated", chart.observed_name);
        entries.push(Entry::new(point(Symbol::TriangleDown, Ink::Under, true), words));
    }
    if drawn().any(|row| row.recalibrated.is_some()) {
        entries.push(Entry::new(point(Symbol::Diamond, Ink::After, false), chart.recalibrated_name.clone()));
    }
    entries
}

fn card(chart: &ForestChart, row: &ForestRow) -> Vec<String> {
    let mut lines = vec![
        format!("{}, {} = {}", row.description, chart.rows_name, number::count(row.rows)),
        format!("{} {}", chart.predicted_name, number::percent(row.predicted)),
        format!("{} {} (95% CI {})", chart.observed_name, number::percent(row.observed), row.interval_words()),
    ];
    if let Some(recalibrated) = row.recalibrated {
        lines.push(format!("{} {}", chart.recalibrated_name, number::percent(recalibrated)));
    }
    lines.extend(row.more.iter().cloned());
    lines
}

fn alt(chart: &ForestChart) -> String {
    let line = |row: &ForestRow| {
        let side = if row.gap() > 0.0 { "overestimated" } else { "underestimated" };
        let how = if row.error.is_some() { format!(", {}", chart.error_name) } else { " by".to_owned() };
        // a number with its sign, beside a direction, would deny it
        let error = match row.is_certain() {
            true => format!("{side}{how} {}", number::points_size(row.stated_error())),
            false => format!("size of the error uncertain{how} {}", number::points(row.stated_error())),
        };
        let recalibrated = row.recalibrated.map_or_else(String::new, |recalibrated| {
            format!(", {} {}", chart.recalibrated_name, number::percent(recalibrated))
        });
        format!(
            "{} ({} = {}): {} {}{recalibrated}, {} {}, {error}",
            row.description,
            chart.rows_name,
            number::count(row.rows),
            chart.predicted_name,
            number::percent(row.predicted),
            chart.observed_name,
            number::percent(row.observed),
        )
    };
    let lines: Vec<String> = chart.rows.iter().map(line).collect();
    if lines.is_empty() { "No group.".to_owned() } else { format!("{}.", lines.join("; ")) }
}

fn table(chart: &ForestChart) -> TextTable {
    let head = [&chart.rows_name, &chart.predicted_name, &chart.observed_name].map(|name| format!("#{name}"));
    let [rows, predicted, observed] = &head;
    let error = if chart.error_name.is_empty() { "#error".to_owned() } else { format!("#{}", chart.error_name) };
    let mut titles = vec!["", rows, predicted, observed, "#95% CI", &error];
    let recalibrated = format!("#{}", chart.recalibrated_name);
    let has_recalibrated = chart.rows.iter().any(|row| row.recalibrated.is_some());
    if has_recalibrated {
        titles.push(&recalibrated);
    }
    let mut table = TextTable::new(&titles);
    for row in &chart.rows {
        let mut cells = vec![
            row.description.clone(),
            number::count(row.rows),
            number::percent(row.predicted),
            number::percent(row.observed),
            row.interval_words(),
            number::points(row.stated_error()),
        ];
        if has_recalibrated {
            cells.push(row.recalibrated.map_or_else(|| "–".to_owned(), number::percent));
        }
        table.rows.push(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;

    fn row(description: &str, predicted: f64, observed: f64, rows: u64) -> ForestRow {
        let half = 1.96 * (observed * (1.0 - observed) / rows as f64).sqrt();
        let (low, high) = ((observed - half).max(0.0), (observed + half).min(1.0));
        ForestRow { description: description.into(), predicted, observed, low, high, rows, ..ForestRow::default() }
    }

    fn chart(rows: Vec<ForestRow>) -> ForestChart {
        ForestChart {
            rows,
            predicted_name: "predicted".into(),
            observed_name: "observed".into(),
            recalibrated_name: "recalibrated".to_owned(),
            rows_name: "n".into(),
            axis_name: "Mean predicted probability and observed proportion".into(),
            ..ForestChart::default()
        }
    }

    fn words(figure: &Figure) -> Vec<String> {
        let marks = figure.panels.iter().flat_map(|panel| &panel.marks);
        let words = marks.filter_map(|mark| if let Mark::Text(words) = mark { Some(words.text.clone()) } else { None });
        words.collect()
    }

    #[test]
    fn a_line_says_who_how_far_off_and_how_many() {
        let figure = forest(&chart(vec![row("ward = ICU", 0.12, 0.317, 182)]), 900.0);
        let words = words(&figure);
        for said in ["ward = ICU", "12.0%", "31.7%", "▼\u{a0}19.7\u{a0}pp", "182"] {
            assert!(words.iter().any(|word| word == said), "{said}: {words:?}");
        }
        assert_eq!(
            figure.alt,
            "ward = ICU (n = 182): predicted 12.0%, observed 31.7%, underestimated by 19.7\u{a0}pp."
        );
    }

    #[test]
    fn a_size_that_is_estimated_otherwise_is_stated_under_its_name() {
        let error = StatedError { value: -0.027, gap: -0.199, certain: true };
        let row = ForestRow { error: Some(error), ..row("ward = ICU", 0.068, 0.267, 60) };
        let chart = ForestChart { error_name: "corrected error".into(), ..chart(vec![row]) };
        for width in [280.0, 520.0, 900.0] {
            let figure = forest(&chart, width);
            let words = words(&figure);
            for said in ["26.7%", "▼\u{a0}2.7\u{a0}pp", "corrected error"] {
                assert!(words.iter().any(|word| word == said), "{said} at {width}: {words:?}");
            }
            assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
        }
        let figure = forest(&chart, 900.0);
        assert!(figure.alt.ends_with("observed 26.7%, underestimated, corrected error 2.7\u{a0}pp."), "{}", figure.alt);
    }

    /// Underestimated after a recalibration of all rows that lowers the scores, by an amount whose interval includes 0.
    #[test]
    fn the_mark_has_the_direction_of_the_sentence() {
        let row = |certain: bool| ForestRow {
            recalibrated: Some(0.2),
            error: Some(StatedError { value: if certain { -0.03 } else { 0.0007 }, gap: -0.06, certain }),
            ..row("ward = ICU", 0.3, 0.26, 60)
        };
        let said = |certain: bool| {
            let figure =
                forest(&ForestChart { error_name: "corrected error".into(), ..chart(vec![row(certain)]) }, 900.0);
            (words(&figure), figure.alt)
        };
        let ((certain, alt), (open, _)) = (said(true), said(false));
        assert!(
            certain.contains(&"▼\u{a0}3.0\u{a0}pp".to_owned()) && alt.contains("underestimated"),
            "{certain:?} {alt}"
        );
        assert!(open.contains(&"+0.07\u{a0}pp".to_owned()), "{open:?}");
        assert!(certain.iter().chain(&open).all(|words| !words.contains('▲') && !words.contains("lower")), "{open:?}");
    }

    #[test]
    fn a_column_of_all_rows_is_written_once_and_values_remain_distinct() {
        const COLUMN: &str = "Organisational unit responsible for the discharge of the patient (as coded in 2023)";
        let name = |k: usize| match k % 2 {
            0 => format!("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft{k}"),
            _ => format!("Department of Paediatric Gastroenterology and Hepatology, Building {k}, University Hospital"),
        };
        let rows = (0..6).map(|k| row(&format!("{COLUMN} = {}", name(k)), 0.27, 0.58, 170));
        for error_name in ["", "corrected error, original"] {
            let chart = ForestChart { error_name: error_name.into(), ..chart(rows.clone().collect()) };
            for width in [280.0, 520.0, 760.0, 1200.0] {
                let figure = forest(&chart, width);
                let words = words(&figure);
                let heads = words.iter().filter(|word| word.starts_with("Organ")).count();
                assert_eq!(heads, 1, "at {width}: {words:?}");
                // the lines of each label, from "Don" or "Dep" to the size of its error
                let mut labels: Vec<String> =
                    words.split(|word| word.starts_with('▼')).map(|words| words.concat()).collect();
                labels.dedup();
                assert_eq!(labels.len(), 7, "at {width}: {words:?}");
                assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
                assert!(figure.alt.starts_with(COLUMN) && figure.table.rows[0][0].starts_with(COLUMN));
            }
        }
        // a single row names its column itself where there is room
        let one = |name: &str| words(&forest(&chart(vec![row(name, 0.27, 0.58, 170)]), 520.0));
        assert!(one("ward = ICU").contains(&"ward = ICU".to_owned()));
        assert!(one(&format!("{COLUMN} = ICU")).contains(&"ICU".to_owned()));
    }

    #[test]
    fn a_description_is_whole_at_any_width() {
        let long = "site = Royal Infirmary of Edinburgh and admission_date 2023-05-17 to 2023-09-30";
        let chart = chart(vec![row("ward = ICU", 0.12, 0.317, 182), row(long, 0.052, 0.239, 67)]);
        for width in [280.0, 358.0, 520.0, 600.0, 900.0] {
            let figure = forest(&chart, width);
            let words = words(&figure);
            assert!(words.iter().all(|word| !word.contains('…')), "at {width}: {words:?}");
            assert!(words.join(" ").contains(long), "at {width}: {words:?}");
            assert_eq!(collisions(&figure), Vec::<String>::new(), "at {width}");
        }
        // a line that needs more room gets it; the others keep theirs
        let marks_at = |figure: &Figure| {
            let points = figure.panels[0].marks.iter().find_map(|mark| match mark {
                Mark::Points { points } => Some(points.iter().map(|point| point.y).collect::<Vec<f64>>()),
                _ => None,
            });
            points.unwrap()
        };
        let narrow = marks_at(&forest(&chart, 280.0));
        assert_eq!(narrow[0], (ABOVE + TALL_ROW) / 2.0);
        assert!(narrow[2] >= TALL_ROW + LINE + (ABOVE + TALL_ROW) / 2.0, "{narrow:?}");
    }

    #[test]
    fn words_never_collide_and_never_leave_the_figure() {
        let names =
            ["ward = ICU", "age 60–70 and sex = female", "b", "referred_from = a very long name of a clinic indeed"];
        for lines in [1, 2, 5, 12] {
            for (spread, recalibrated) in [(0.2, None), (0.002, None), (0.9, Some(0.5)), (0.0, Some(0.02))] {
                let rows = (0..lines).map(|i| {
                    let predicted = 0.05 + spread * i as f64 / 12.0;
                    let observed = (predicted + if i % 2 == 0 { spread } else { -spread / 2.0 }).clamp(0.0, 1.0);
                    ForestRow {
                        recalibrated,
                        ..row(names[i % names.len()], predicted, observed, 30 * 10u64.pow(i as u32 % 6))
                    }
                });
                let chart = chart(rows.collect());
                for width in [280.0, 320.0, 390.0, 520.0, 599.0, 600.0, 760.0, 1200.0] {
                    let figure = forest(&chart, width);
                    assert_eq!(collisions(&figure), Vec::<String>::new(), "{lines} lines at {width}");
                }
            }
        }
    }

    #[test]
    fn a_recalibrated_value_never_covers_another_mark() {
        // near the observed, near the predicted, between both
        for recalibrated in [0.26, 0.141, 0.2] {
            let rows = vec![ForestRow { recalibrated: Some(recalibrated), ..row("ward = ICU", 0.14, 0.267, 716) }];
            for width in [280.0, 520.0, 900.0] {
                let figure = forest(&chart(rows.clone()), width);
                let panel = &figure.panels[0];
                let marks = panel.marks.iter().find_map(|mark| match mark {
                    Mark::Points { points } => Some(points),
                    _ => None,
                });
                let place = |point: &Point| {
                    (
                        panel.rect.width * panel.x.scale.position(point.x),
                        panel.rect.height * (1.0 - panel.y.scale.position(point.y)),
                    )
                };
                let places: Vec<(f64, f64)> = marks.unwrap().iter().map(place).collect();
                assert_eq!(places.len(), 3);
                for (i, a) in places.iter().enumerate() {
                    for b in places.iter().take(i) {
                        let apart = (a.0 - b.0).hypot(a.1 - b.1);
                        assert!(apart > 2.0 * RADIUS, "{recalibrated} at {width}: {apart}");
                    }
                }
                assert!(places.iter().all(|(_, y)| *y <= panel.rect.height - RADIUS), "{places:?}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_left_out_of_the_picture_and_stays_in_the_table() {
        let chart = chart(vec![row("none", f64::NAN, f64::NAN, 0)]);
        let figure = forest(&chart, 320.0);
        assert_eq!(figure.table.rows.len(), 1);
        assert!(forest(&ForestChart::default(), 0.0).height > 0.0);
    }
}
