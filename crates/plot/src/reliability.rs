//! The reliability diagram: predicted against observed probability, with the range expected under calibration.
//!
//! A square with the diagonal, the calibration curve with its band, or the consistency band round the diagonal, and one
//! symbol per bin; below it, on the same axis, the histogram of the scores, events up and the others down.

mod axes;
mod strip;
mod words;

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::place::{Obstacles, text_box};
use super::scale::{Scale, Tick, unit_ticks};
use super::text;
use crate::num::order::sort_short;
use crate::words::number;

pub use axes::{FULL, fitted_axes, logit_axes, scale_of};
pub use strip::Histogram;

/// Bins with fewer rows than this are drawn hollow.
pub const FEW_ROWS: u32 = 30;

/// Rows whose scores lie beyond the axes: they are counted in the bins and drawn nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beyond {
    /// how many
    pub rows: u64,
    /// of them with the outcome
    pub events: u64,
}

/// Everything a reliability diagram shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityChart {
    /// one; two: before and after recalibration, or two models; or one a model
    pub series: Vec<ReliabilitySeries>,
    /// 95 % consistency band round the diagonal that holds all bins together: (score, low, high), by rising score; may be
    /// empty
    pub consistency: Vec<(f64, f64, f64)>,
    /// the same for each bin by itself, drawn as thin lines
    pub pointwise: Vec<(f64, f64, f64)>,
    /// scores by outcome, between the ends of the axes
    pub histogram: Histogram,
    /// lower and upper end of both axes, 0 to 1 at most; see [`fitted_axes`]
    pub axes: (f64, f64),
    /// equal ratios of the odds take equal space on both axes, whose ends are between 0 and 1; see [`logit_axes`]
    pub logit: bool,
    /// rows whose scores lie beyond the axes
    pub beyond: Beyond,
    /// title of the horizontal axis, such as "confidence" or "predicted probability of death"
    pub score_name: String,
    /// title of the vertical axis, such as "accuracy" or "event rate"
    pub target_name: String,
    /// those counted as 1, such as "right" or "died"
    pub events_name: String,
    /// those counted as 0
    pub others_name: String,
    /// what the curve is, such as "isotonic curve"; empty: there is none
    pub curve_name: String,
    /// what the band of a curve promises, as a sentence; empty: there is none
    pub band_words: String,
    /// rows
    pub n: u64,
    /// heights of the histogram grow with the square root of the count
    pub square_root_heights: bool,
    /// the finding, in one line
    pub title: String,
    /// the method; a sentence is made up if empty
    pub caption: String,
    /// one of many: no key, no caption
    pub small: bool,
}

/// The bins and the curve of one set of scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliabilitySeries {
    /// such as "before"
    pub name: String,
    /// empty bins may be there (n = 0) and are not drawn
    pub bins: Vec<BinMark>,
    /// (score, target), by rising score, over the observed range only; may be empty
    pub curve: Vec<(f64, f64)>,
    /// 95 % band of the curve: (score, low, high), by rising score; may be empty
    pub band: Vec<(f64, f64, f64)>,
}

/// One confidence bin.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BinMark {
    /// lower edge
    pub low: f64,
    /// upper edge
    pub high: f64,
    /// rows
    pub n: u32,
    /// of them events
    pub events: u32,
    /// Σ w of the rows, where they have weights
    pub weight: Option<f64>,
    /// mean score
    pub score: f64,
    /// share of events, weighted where rows have weights
    pub target: f64,
    /// score − target: above 0 is over-confident
    pub gap: f64,
    /// lower end of the 95 % interval of `target`
    pub wilson_low: f64,
    /// upper end
    pub wilson_high: f64,
    /// within the simultaneous consistency band
    pub inside_band: bool,
}

/// Room left of the square: numbers of both panels, and the title of the axis.
fn room_left(chart: &ReliabilityChart, width: f64) -> f64 {
    let below = strip::room_left(&chart.histogram);
    let (scale, ticks) = axis(chart, square(width, 0.0, below).width);
    (Axis::titled(scale, "", ticks).numbers() + strip::BESIDE).ceil().max(below)
}

/// Position of the square in a figure of this width whose key takes `key_height`, with `left` for names and numbers.
fn square(width: f64, key_height: f64, left: f64) -> Rect {
    let side = width - left - 12.0;
    let top = if key_height > 0.0 { key_height + 12.0 } else { 10.0 };
    Rect::new(left, top, side, side)
}

/// The diagram as a figure of `width` CSS pixels, at least 200.
pub fn reliability(chart: &ReliabilityChart, width: f64) -> Figure {
    let width = width.max(200.0);
    let entries = if chart.small { Vec::new() } else { entries(chart) };
    let (key_marks, key_height) = key(&entries, 0.0, 0.0, width);
    let rect = square(width, key_height, room_left(chart, width));
    let strip_rect = Rect::new(rect.x, rect.bottom() + 14.0, rect.width, (0.18 * rect.height).round().max(60.0));
    let (scale, ticks) = axis(chart, rect.width);
    let unlabeled = ticks.iter().map(|t| Tick::new(t.value, "")).collect();
    let mut main = Panel {
        rect,
        x: Axis::titled(scale, "", unlabeled),
        y: Axis::titled(scale, chart.target_name.clone(), ticks),
        marks: Vec::new(),
    };
    let marks = marks(chart, &main);
    main.marks = marks;
    let height = strip_rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: words::caption(chart),
        alt: words::alt(chart),
        panels: vec![Panel::overlay(width, height, key_marks), main, strip::strip(chart, strip_rect)],
        table: words::table(chart),
    }
}

/// The scale of both axes, and the same ticks for both.
fn axis(chart: &ReliabilityChart, length: f64) -> (Scale, Vec<Tick>) {
    if chart.axes == FULL && !chart.logit {
        return (Scale::UNIT, unit_ticks());
    }
    let scale = scale_of(chart.axes, chart.logit);
    (scale, scale.ticks_across(length))
}

impl ReliabilityChart {
    /// A line through these points: on logit axes its straight pieces bend, and are drawn in parts.
    fn line(&self, points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
        const PARTS: usize = 12;
        let points: Vec<(f64, f64)> = points.collect();
        if !self.logit {
            return points;
        }
        let (scale, (low, high)) = (scale_of(self.axes, true), self.axes);
        let seen = |&(from, to): &(&(f64, f64), &(f64, f64))| from.0.max(to.0) >= low && from.0.min(to.0) <= high;
        let pieces = points.iter().zip(points.iter().skip(1)).filter(seen).flat_map(|(&(x0, y0), &(x1, y1))| {
            let (from, to) = (scale.position(x0.clamp(low, high)), scale.position(x1.clamp(low, high)));
            (0..PARTS).map(move |part| {
                let x = scale.value(from + (to - from) * part as f64 / PARTS as f64);
                let share = if x1 > x0 { ((x - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { part as f64 / PARTS as f64 };
                (x, y0 + share * (y1 - y0))
            })
        });
        pieces.chain(points.last().copied()).collect()
    }

    /// Where the proportion of a bin is drawn: 0 and 1 have no place on logit axes, and are at their ends.
    fn height(&self, target: f64) -> f64 {
        match self.logit {
            true if target <= 0.0 => self.axes.0,
            true if target >= 1.0 => self.axes.1,
            _ => target,
        }
    }
}

fn lower(band: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    band.iter().map(|&(s, low, _)| (s, low))
}

fn upper(band: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    band.iter().map(|&(s, _, high)| (s, high))
}

fn area(chart: &ReliabilityChart, band: &[(f64, f64, f64)], ink: Ink, opacity: f64) -> Option<Mark> {
    let mut points = chart.line(lower(band));
    points.extend(chart.line(upper(band)).into_iter().rev());
    (band.len() > 1).then_some(Mark::Area { points, ink, opacity })
}

fn marks(chart: &ReliabilityChart, panel: &Panel) -> Vec<Mark> {
    let mut marks: Vec<Mark> = area(chart, &chart.consistency, Ink::Band, 1.0).into_iter().collect();
    if chart.pointwise.len() > 1 {
        let thin = |points| Mark::Line { points, ink: Ink::Axis, width: 0.75, dash: Dash::Solid };
        marks.extend([chart.line(lower(&chart.pointwise)), chart.line(upper(&chart.pointwise))].map(thin));
    }
    marks.extend(
        chart.series.iter().enumerate().filter_map(|(k, series)| area(chart, &series.band, series_ink(chart, k), 0.18)),
    );
    marks.push(Mark::Line { points: vec![(0.0, 0.0), (1.0, 1.0)], ink: Ink::Axis, width: 1.0, dash: Dash::Dashed });
    for (k, series) in chart.series.iter().enumerate() {
        if series.curve.len() > 1 {
            marks.push(Mark::Line {
                points: chart.line(series.curve.iter().copied()),
                ink: series_ink(chart, k),
                width: 2.0,
                dash: series_dash(chart, k),
            });
        }
    }
    let most = chart.series.iter().flat_map(|s| &s.bins).map(|b| b.n).max();
    let largest = if panel.rect.width < 340.0 { 5.5 } else { 6.5 };
    for (k, series) in chart.series.iter().enumerate() {
        let filled_bins = || series.bins.iter().enumerate().filter(|(_, b)| b.n > 0);
        for (_, bin) in filled_bins() {
            marks.push(Mark::Errorbars {
                bars: vec![(bin.score, bin.wilson_low, bin.wilson_high)],
                ink: bin_ink(chart, bin, k),
            });
        }
        let places = series.places();
        let point = |(i, bin): (usize, &BinMark)| {
            // Area ∝ √n, so radius ∝ n^¼.
            let share = f64::from(bin.n) / f64::from(most.unwrap_or(1).max(1));
            Point {
                x: bin.score,
                y: chart.height(bin.target),
                radius: (largest * share.powf(0.25)).max(2.6),
                symbol: bin_symbol(bin, k),
                ink: bin_ink(chart, bin, k),
                filled: k == 0 && (bin.n >= FEW_ROWS || chart.series.len() > 1),
                index: i as u32,
                hover: words::hover(chart, series, bin, places),
            }
        };
        marks.push(Mark::Points { points: filled_bins().map(point).collect() });
    }
    labels(chart, panel, &mut marks);
    marks
}

/// Names on the lines themselves: the diagonal's, and with two series each curve's.
fn labels(chart: &ReliabilityChart, panel: &Panel, marks: &mut Vec<Mark>) {
    let mut taken = Obstacles::default();
    taken.add_line(&[panel.place(0.0, 0.0), panel.place(1.0, 1.0)]);
    for series in &chart.series {
        let curve: Vec<_> = series.curve.iter().map(|&(x, y)| panel.place(x, y)).collect();
        taken.add_line(&curve);
        for bin in series.bins.iter().filter(|bin| bin.n > 0) {
            let (x, y) = panel.place(bin.score, chart.height(bin.target));
            taken.add_box(Rect::new(x - 8.0, y - 8.0, 16.0, 16.0));
            let ends = [bin.wilson_low, bin.wilson_high].map(|v| panel.place(bin.score, v));
            taken.add_line(&ends);
        }
    }
    let two = chart.series.len() > 1;
    for (k, series) in chart.series.iter().enumerate().filter(|_| two) {
        let places: Vec<(f64, f64)> = if series.curve.len() > 1 {
            series.curve.clone()
        } else {
            let bins = series.bins.iter().filter(|bin| bin.n > 0);
            bins.map(|bin| (bin.score, bin.target)).collect()
        };
        let words = text::fitted(&series.name, text::BODY, panel.rect.width / 2.0);
        put(&words, &places, name_ink(chart, k), panel, &mut taken, marks);
    }
    let (low, high) = chart.axes;
    let along = |i: i32| match chart.logit {
        true => panel.x.scale.value(f64::from(i) / 20.0),
        false => low + (high - low) * f64::from(i) / 20.0,
    };
    let middle_first = {
        let mut order: Vec<(f64, f64)> = (2..=18).map(|i| (along(i), along(i))).collect();
        sort_short(&mut order, |a, b| (a.0 - along(8)).abs() < (b.0 - along(8)).abs());
        order
    };
    if chart.small {
        return;
    }
    put("perfect calibration", &middle_first, Ink::Muted, panel, &mut taken, marks);
}

fn put(words: &str, places: &[(f64, f64)], ink: Ink, panel: &Panel, taken: &mut Obstacles, marks: &mut Vec<Mark>) {
    let sides = [
        (9.0, 10.0, Anchor::Start),
        (-9.0, -10.0, Anchor::End),
        (12.0, 20.0, Anchor::Start),
        (-12.0, -20.0, Anchor::End),
        (9.0, -12.0, Anchor::Start),
        (-9.0, 12.0, Anchor::End),
    ];
    let every = (places.len() / 24).max(1);
    let candidates: Vec<_> = places
        .iter()
        .step_by(every)
        .flat_map(|&(x, y)| sides.map(|(dx, dy, anchor)| (x, y, dx, dy, anchor)))
        .map(|choice @ (x, y, dx, dy, anchor)| {
            let (px, py) = panel.place(x, y);
            let area = text_box(words, text::SMALL, (px + dx, py + dy), anchor);
            (area, choice)
        })
        .collect();
    let inner = Rect::new(panel.rect.x + 4.0, panel.rect.y + 2.0, panel.rect.width - 8.0, panel.rect.height - 4.0);
    if let Some((x, y, dx, dy, anchor)) = taken.settle(&candidates, &inner) {
        marks.push(Mark::Text(Text::new(x, y, words).ink(ink).anchor(anchor).shifted(dx, dy).with_halo()));
    }
}

/// Two series are told apart by the colors of before and after, more by those of categories.
fn series_ink(chart: &ReliabilityChart, k: usize) -> Ink {
    match (chart.series.len() > 2, k) {
        (true, k) => Ink::Category(k as u8),
        (false, 0) => Ink::Before,
        (false, _) => Ink::After,
    }
}

/// Some categories are too pale for words.
fn name_ink(chart: &ReliabilityChart, k: usize) -> Ink {
    if chart.series.len() > 2 { Ink::Ink } else { series_ink(chart, k) }
}

fn series_dash(chart: &ReliabilityChart, k: usize) -> Dash {
    if k == 0 || chart.series.len() > 2 { Dash::Solid } else { Dash::Dashed }
}

fn bin_ink(chart: &ReliabilityChart, bin: &BinMark, k: usize) -> Ink {
    match (bin.inside_band, bin.gap > 0.0) {
        (true, _) => series_ink(chart, k),
        (false, true) => Ink::Over,
        (false, false) => Ink::Under,
    }
}

fn bin_symbol(bin: &BinMark, k: usize) -> Symbol {
    match (bin.inside_band, bin.gap > 0.0, k) {
        (true, _, 0) => Symbol::Circle,
        (true, _, _) => Symbol::Diamond,
        (false, true, _) => Symbol::TriangleUp,
        (false, false, _) => Symbol::TriangleDown,
    }
}

/// The key: only what occurs.
fn entries(chart: &ReliabilityChart) -> Vec<Entry> {
    let two = chart.series.len() > 1;
    let bins = || {
        (chart.series.iter().enumerate())
            .flat_map(|(k, s)| s.bins.iter().map(move |bin| (k, bin)))
            .filter(|(_, bin)| bin.n > 0)
    };
    let mut entries = Vec::new();
    // several curves without bins are the key themselves
    let lines_alone = two && bins().next().is_none();
    let point = |symbol, ink, filled| Sign::Point { symbol, ink, filled };
    for (k, series) in chart.series.iter().enumerate().filter(|_| two) {
        let symbol = if k == 0 { Symbol::Circle } else { Symbol::Diamond };
        let sign = match lines_alone {
            true => Sign::Line { ink: series_ink(chart, k), dash: series_dash(chart, k) },
            false => point(symbol, series_ink(chart, k), k == 0),
        };
        entries.push(Entry::new(sign, &*series.name));
    }
    if !two && bins().any(|(_, bin)| bin.inside_band && bin.n >= FEW_ROWS) {
        let words = if chart.consistency.is_empty() { "bin" } else { "bin within the null band" };
        entries.push(Entry::new(point(Symbol::Circle, Ink::Before, true), words));
    }
    if bins().any(|(_, bin)| !bin.inside_band && bin.gap > 0.0) {
        let sign = point(Symbol::TriangleUp, Ink::Over, true);
        entries.push(Entry::new(sign, "overestimated"));
    }
    if bins().any(|(_, bin)| !bin.inside_band && bin.gap <= 0.0) {
        let sign = point(Symbol::TriangleDown, Ink::Under, true);
        entries.push(Entry::new(sign, "underestimated"));
    }
    if !two && bins().any(|(_, bin)| bin.n < FEW_ROWS) {
        let sign = point(Symbol::Circle, Ink::Before, false);
        entries.push(Entry::new(sign, format!("n < {FEW_ROWS}")));
    }
    if chart.series.iter().any(|s| s.curve.len() > 1) && !chart.curve_name.is_empty() && !lines_alone {
        let sign = Sign::Line { ink: Ink::Before, dash: Dash::Solid };
        let banded = chart.series.iter().any(|s| s.band.len() > 1);
        let with = if banded { " with 95% confidence band".to_owned() } else { String::new() };
        entries.push(Entry::new(sign, format!("{}{with}", chart.curve_name)));
    }
    if chart.consistency.len() > 1 {
        entries.push(Entry::new(Sign::Patch(Ink::Band), "simultaneous 95% null band"));
    }
    if chart.pointwise.len() > 1 {
        let sign = Sign::Line { ink: Ink::Axis, dash: Dash::Solid };
        entries.push(Entry::new(sign, "pointwise 95% null band"));
    }
    entries
}

impl ReliabilitySeries {
    /// Decimals of the ends of its bins.
    fn places(&self) -> usize {
        let filled = self.bins.iter().filter(|bin| bin.n > 0);
        number::distinguishing_places(&filled.flat_map(|bin| [bin.low, bin.high]).collect::<Vec<_>>(), 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;

    /// A curve through the points of its bins: score, target, and the ends of its interval.
    fn series(name: &str, bins: &[(f64, f64, f64, f64)]) -> ReliabilitySeries {
        let bin = |&(score, target, wilson_low, wilson_high): &(f64, f64, f64, f64)| BinMark {
            low: score,
            high: score,
            n: 40,
            events: 4,
            weight: None,
            score,
            target,
            gap: score - target,
            wilson_low,
            wilson_high,
            inside_band: true,
        };
        let curve = bins.iter().map(|&(score, target, ..)| (score, target)).collect();
        ReliabilitySeries { name: name.to_owned(), bins: bins.iter().map(bin).collect(), curve, band: Vec::new() }
    }

    #[test]
    fn names_of_lines_never_cover_each_other_between_long_intervals() {
        let before = [
            (0.03, 0.05, 0.04, 0.06),
            (0.09, 0.15, 0.12, 0.18),
            (0.165, 0.2, 0.13, 0.29),
            (0.215, 0.375, 0.23, 0.55),
            (0.295, 0.29, 0.09, 0.6),
            (0.35, 0.5, 0.21, 0.8),
            (0.405, 0.8, 0.2, 0.99),
        ];
        let after = [
            (0.04, 0.035, 0.02, 0.05),
            (0.095, 0.1, 0.08, 0.125),
            (0.16, 0.19, 0.14, 0.255),
            (0.23, 0.26, 0.175, 0.37),
            (0.297, 0.455, 0.21, 0.7),
            (0.363, 0.4, 0.12, 0.75),
            (0.42, 0.75, 0.2, 0.99),
        ];
        let chart = ReliabilityChart {
            series: vec![series("Original predictions", &before), series("Temperature scaling", &after)],
            consistency: Vec::new(),
            pointwise: Vec::new(),
            histogram: Histogram::default(),
            axes: (0.0, 0.6),
            logit: false,
            beyond: Beyond::default(),
            score_name: "predicted probability".to_owned(),
            target_name: "observed proportion".to_owned(),
            events_name: "events".to_owned(),
            others_name: "non-events".to_owned(),
            curve_name: "loess curve".to_owned(),
            band_words: String::new(),
            n: 560,
            square_root_heights: false,
            title: String::new(),
            caption: String::new(),
            small: false,
        };
        for width in 240..520 {
            assert_eq!(collisions(&reliability(&chart, f64::from(width))), Vec::<String>::new(), "at {width}");
        }
    }
}
