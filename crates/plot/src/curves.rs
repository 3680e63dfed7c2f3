//! Lines over one axis, each named at its end.

use serde::{Deserialize, Serialize};

use super::course::course;
use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{self, Entry, Sign};
use super::palette::Ink;
use super::place::{Obstacles, text_box};
use super::scale::Scale;
use super::table::TextTable;
use super::text;
use crate::num::isotonic::pool_adjacent_violators;
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
    /// (x, low, high) of a band round it, by rising x; may be empty
    pub band: Vec<(f64, f64, f64)>,
    /// color
    pub ink: Ink,
    /// solid or broken
    pub dash: Dash,
    /// where the name stands; none: beside the end of the line
    pub name_at: Option<(f64, f64)>,
}

impl Curve {
    /// Without a band, its name beside its end.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>, ink: Ink, dash: Dash) -> Self {
        Self { name: name.into(), points, band: Vec::new(), ink, dash, name_at: None }
    }
}

/// Opacity of a band where there are no more than four.
const BAND: f64 = 0.18;
/// Names up to this many stand at the ends of their lines.
const AT_ENDS: usize = 5;
/// Height of a line of names.
const NAME: f64 = 15.0;
/// A name of an upright rule that a line would cross moves up by so much.
const RAISED: f64 = 4.0;
/// Places of the name of an upright rule: to its right and left, and over it.
const BESIDE: [(f64, Anchor); 2] = [(5.0, Anchor::Start), (-5.0, Anchor::End)];
const OVER: [(f64, Anchor); 1] = [(0.0, Anchor::Middle)];
/// Room of a leader line between the end of a line and its name.
const LEADER: f64 = 14.0;

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn curves(chart: &CurveChart, width: f64) -> Figure {
    curves_so_high(chart, width, (0.52 * width).clamp(180.0, 300.0).round())
}

/// The same with a vertical axis of so many CSS pixels.
pub fn curves_so_high(chart: &CurveChart, width: f64, side: f64) -> Figure {
    let width = width.max(280.0);
    let beside = || chart.curves.iter().filter(|c| c.name_at.is_none());
    let longest = beside().map(|c| text::width(&c.name, text::BODY)).fold(0.0, f64::max);
    // Names at the ends where all are legible there, else in a key.
    let direct = beside().count() <= AT_ENDS && longest + LEADER + 4.0 <= 0.34 * width;
    let (key, taken) = if direct { (Vec::new(), 0.0) } else { key::key(&entries(chart), 8.0, 2.0, width - 16.0) };
    let right = if !direct || longest == 0.0 { 16.0 } else { (longest + LEADER + 4.0).ceil() };
    let all = || chart.curves.iter().flat_map(|c| &c.points);
    let ends = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let values = || all().map(of).filter(|v| v.is_finite());
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let (x0, x1) = ends(&|point| point.0);
    let x = if chart.log_x { Scale::log(x0, x1) } else { Scale::linear(x0, x1) };
    let (low, high) = chart.y_range.unwrap_or_else(|| {
        let (low, high) = ends(&|point| point.1);
        let bands = || chart.curves.iter().flat_map(|curve| &curve.band);
        let low = bands().map(|band| band.1).fold(low.min(0.0), f64::min);
        let high = bands().map(|band| band.2).fold(high.max(0.0), f64::max);
        let room = 0.05 * (high - low);
        (if low < 0.0 { low - room } else { 0.0 }, high + room)
    });
    let y = Scale::linear(low, high);
    let y_ticks = y.ticks_up(side);
    let y = Axis::titled(y, chart.y_name.clone(), y_ticks);
    let left = y.room_left(side, 62.0);
    let rect = Rect::new(left, 12.0 + taken, width - left - right, side);
    let x_ticks = x.ticks_across(rect.width);
    let mut panel = Panel { rect, x: Axis::titled(x, chart.x_name.clone(), x_ticks), y, marks: Vec::new() };
    if low < 0.0 {
        panel.marks.push(Mark::Rule { at: At::Y(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid });
    }
    if let Some((at, name)) = &chart.marked {
        panel.marks.push(Mark::Rule { at: At::X(*at), ink: Ink::Muted, width: 1.5, dash: Dash::Solid });
        let name = name_of_rule(chart, &panel, (*at, low), name);
        panel.marks.extend(name.map(|name| Mark::Text(name.with_halo())));
    }
    let banded = || chart.curves.iter().filter(|curve| curve.band.len() > 1);
    // many bands over each other leave their lines legible
    let opacity = (4.0 * BAND / banded().count().max(4) as f64).max(0.06);
    for curve in banded() {
        let upper = curve.band.iter().map(|&(x, _, high)| (x, high));
        let lower = curve.band.iter().rev().map(|&(x, low, _)| (x, low));
        panel.marks.push(Mark::Area { points: upper.chain(lower).collect(), ink: curve.ink, opacity });
    }
    for (curve, dash) in chart.curves.iter().zip(dashes(chart)) {
        panel.marks.push(Mark::Line { points: curve.points.clone(), ink: curve.ink, width: 2.0, dash });
    }
    let points = chart.curves.iter().flat_map(|curve| visited(chart, curve));
    let points = points.enumerate().map(|(i, point)| Point { index: i as u32, ..point });
    panel.marks.push(Mark::Points { points: points.collect() });
    let names = names_at_places(chart, &panel);
    panel.marks.extend(names);
    let mut overlay = key;
    if direct {
        overlay.extend(names_at_ends(chart, &panel));
    }
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
    .with_whole_titles()
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

/// The height of a line at a place: of its own point there, else of the straight piece between its neighbors, as it is
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

fn entries(chart: &CurveChart) -> Vec<Entry> {
    let named = chart.curves.iter().zip(dashes(chart)).filter(|(curve, _)| curve.name_at.is_none());
    named.map(|(curve, dash)| Entry::new(Sign::Line { ink: curve.ink, dash }, curve.name.clone())).collect()
}

/// How the lines are broken: colors of the second four categories resemble those of the first, and after eight they repeat,
/// so that no two solid lines have the same hue.
fn dashes(chart: &CurveChart) -> Vec<Dash> {
    let mut used = [0_usize; 8];
    let dash = |curve: &Curve| {
        let (Dash::Solid, Ink::Category(k)) = (curve.dash, curve.ink) else { return curve.dash };
        let used = &mut used[usize::from(k % 8)];
        let before = usize::from(k / 4).max(usize::from(k % 8 / 4) + 2 * *used);
        *used += 1;
        [Dash::Solid, Dash::Dashed, Dash::Dotted][before.min(2)]
    };
    chart.curves.iter().map(dash).collect()
}

/// Each name beside the end of its line; where ends are close names are pushed apart, and a thin line leads back.
fn names_at_ends(chart: &CurveChart, panel: &Panel) -> Vec<Mark> {
    let (top, bottom) = (panel.rect.y + 6.0, panel.rect.bottom() - 6.0);
    let mut ends: Vec<(f64, &Curve)> = chart
        .curves
        .iter()
        .filter(|curve| curve.name_at.is_none())
        .filter_map(|curve| {
            let last = curve.points.iter().rfind(|point| point.1.is_finite())?;
            Some((panel.place(last.0, last.1).1.clamp(top, bottom), curve))
        })
        .collect();
    sort_short(&mut ends, |a, b| a.0 < b.0);
    let wanted: Vec<f64> = ends.iter().map(|end| end.0).collect();
    let placed = apart(&wanted, NAME, top, bottom);
    let left = panel.rect.right();
    let mut marks = Vec::new();
    let moved = |end: f64, at: f64| (at - end).abs() > 3.0;
    let any = ends.iter().zip(&placed).any(|((end, _), at)| moved(*end, *at));
    for ((end, curve), at) in ends.iter().zip(placed) {
        if moved(*end, at) {
            let points = vec![(left + 2.0, *end), (left + LEADER - 3.0, at)];
            marks.push(Mark::Line { points, ink: curve.ink, width: 1.0, dash: Dash::Solid });
        }
        let x = if any { left + LEADER } else { left + 6.0 };
        let name = Text::new(x, at, curve.name.clone()).ink(text_ink(curve.ink));
        marks.push(Mark::Text(Text { size: text::BODY, ..name }));
    }
    marks
}

/// Rising places moved as little as keeps them `least` apart between `top` and `bottom`: neighbors that would touch stand
/// together round the mean of where they would be (pooling, as in isotonic regression).
fn apart(wanted: &[f64], least: f64, top: f64, bottom: f64) -> Vec<f64> {
    // Places less their distance down the list must not fall.
    let points = wanted.iter().enumerate().map(|(i, at)| (i as f64, 1.0, at - least * i as f64));
    let blocks = pool_adjacent_violators(points);
    let highest = bottom - least * wanted.len().saturating_sub(1) as f64;
    let base = |i: usize| {
        let block = blocks.iter().find(|block| block.high >= i as f64);
        block.map_or(top, |block| block.mean()).min(highest).max(top)
    };
    (0..wanted.len()).map(|i| base(i) + least * i as f64).collect()
}

/// The lines, which no name should cover.
fn lines_of(chart: &CurveChart, panel: &Panel) -> Obstacles {
    let mut taken = Obstacles::default();
    for curve in &chart.curves {
        let line: Vec<_> = curve.points.iter().map(|&(x, y)| panel.place(x, y)).collect();
        taken.add_line(&line);
    }
    taken
}

/// The name of the upright rule whose lower end is at `foot`: beside it, the lowest place that no line crosses, on the
/// right where there is one; over the rule where it fits on neither side.
fn name_of_rule(chart: &CurveChart, panel: &Panel, foot: (f64, f64), name: &str) -> Option<Text> {
    let (x, bottom) = panel.place(foot.0, foot.1);
    let (rect, highest) = (panel.rect, panel.rect.height - 8.0);
    let along = |places: &'static [(f64, Anchor)]| {
        let heights = (0_u32..).map(|k| 8.0 + RAISED * f64::from(k)).take_while(move |up| *up <= highest);
        heights.flat_map(move |up| places.iter().map(move |&(dx, anchor)| (dx, -up, anchor)))
    };
    let boxed = |(dx, dy, anchor)| (text_box(name, text::SMALL, (x + dx, bottom + dy), anchor), (dx, dy, anchor));
    let candidates: Vec<_> = along(&BESIDE).chain(along(&OVER)).map(boxed).collect();
    // the box of the lowest name reaches half a pixel below the axis, where nothing is written
    let inner = Rect::new(rect.x + 3.0, rect.y - 1.0, rect.width - 6.0, rect.height + 2.0);
    let mut taken = lines_of(chart, panel);
    if foot.1 < 0.0 {
        let zero = panel.place(foot.0, 0.0).1;
        taken.add_line(&[(rect.x, zero), (rect.right(), zero)]);
    }
    let (dx, dy, anchor) = taken.settle(&candidates, &inner)?;
    Some(Text::new(foot.0, foot.1, name).anchor(anchor).shifted(dx, dy))
}

/// Names over the lines, each near its place where it covers least.
fn names_at_places(chart: &CurveChart, panel: &Panel) -> Vec<Mark> {
    let mut taken = lines_of(chart, panel);
    // Words may cross a line where they must, never other words.
    let written = panel.marks.iter().filter_map(|mark| match mark {
        Mark::Text(words) => {
            let (x, y) = panel.place(words.x, words.y);
            Some(text_box(&words.text, words.size, (x + words.dx, y + words.dy), words.anchor))
        }
        _ => None,
    });
    let mut written: Vec<Rect> = written.collect();
    let mut names = Vec::new();
    for curve in &chart.curves {
        let Some((x, y)) = curve.name_at else { continue };
        let words = text::fitted(&curve.name, text::SMALL, panel.rect.width - 8.0);
        let beside = |(x, y): (f64, f64)| {
            let (px, py) = panel.place(x, y);
            let rows = [-9.0, 10.0, -22.0, 23.0, -35.0, 36.0, -48.0, 49.0].into_iter();
            let offsets =
                rows.flat_map(|dy| [(6.0, dy, Anchor::Start), (-6.0, dy, Anchor::End), (0.0, dy, Anchor::Middle)]);
            let boxed = offsets.map(|(dx, dy, anchor)| {
                (text_box(&words, text::SMALL, (px + dx, py + dy), anchor), (x, y, dx, dy, anchor))
            });
            let inside =
                |area: &Rect| panel.rect.contains(area.x, area.y) && panel.rect.contains(area.right(), area.bottom());
            boxed
                .filter(|(area, _)| inside(area) && !written.iter().any(|other| other.overlaps(area)))
                .collect::<Vec<_>>()
        };
        let mut candidates = beside((x, y));
        if candidates.is_empty() {
            let every = (curve.points.len() / 12).max(1);
            candidates = curve.points.iter().step_by(every).flat_map(|point| beside(*point)).collect();
        }
        if let Some((x, y, dx, dy, anchor)) = taken.settle(&candidates, &panel.rect) {
            let (px, py) = panel.place(x, y);
            written.push(text_box(&words, text::SMALL, (px + dx, py + dy), anchor));
            let name = Text::new(x, y, words).ink(text_ink(curve.ink));
            names.push(Mark::Text(name.anchor(anchor).shifted(dx, dy).with_halo()));
        }
    }
    names
}

/// Some categories, and the ink of axes, are too pale for words.
fn text_ink(ink: Ink) -> Ink {
    match ink {
        Ink::Category(_) | Ink::Axis => Ink::Ink,
        ink => ink,
    }
}

fn alt(chart: &CurveChart) -> String {
    let lines = chart.curves.iter().filter_map(|curve| {
        let course = course(&curve.points, number::significant, number::significant)?;
        Some(format!("{} {course}", curve.name))
    });
    let lines: Vec<String> = lines.collect();
    format!("{} against {}: {}.", chart.y_name, chart.x_name, lines.join("; "))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::{collisions, crossings};

    #[test]
    fn names_that_would_touch_stand_together_round_their_ends() {
        assert_eq!(apart(&[50.0, 52.0, 54.0, 100.0], 15.0, 0.0, 200.0), [37.0, 52.0, 67.0, 100.0]);
        assert_eq!(apart(&[1.0, 2.0], 15.0, 0.0, 200.0), [0.0, 15.0]);
        assert_eq!(apart(&[198.0, 199.0], 15.0, 0.0, 200.0), [185.0, 200.0]);
        assert_eq!(apart(&[], 15.0, 0.0, 200.0), [0.0; 0]);
    }

    fn lines(inks: impl Iterator<Item = Ink>) -> CurveChart {
        let curve = |(k, ink): (usize, Ink)| {
            Curve::line(format!("method {k}"), vec![(0.0, 0.0), (1.0, k as f64)], ink, Dash::Solid)
        };
        CurveChart {
            curves: inks.enumerate().map(curve).collect(),
            log_x: false,
            y_range: None,
            x_name: "threshold probability".into(),
            y_name: "net benefit".into(),
            marked: Some((0.3, "your costs".into())),
            title: String::new(),
            caption: String::new(),
        }
    }

    #[test]
    fn no_two_solid_lines_have_one_hue() {
        let figure = curves(&lines((0..9).map(|k| Ink::Category(k % 8))), 560.0);
        for panel in &figure.panels {
            let dashes = panel.marks.iter().filter_map(|mark| match mark {
                Mark::Line { dash, .. } => Some(*dash),
                _ => None,
            });
            use Dash::{Dashed, Dotted, Solid};
            let expected = [Solid, Solid, Solid, Solid, Dashed, Dashed, Dashed, Dashed, Dotted];
            assert_eq!(dashes.collect::<Vec<_>>(), expected, "in the key and in the chart");
        }
    }

    #[test]
    fn an_upright_rule_does_not_look_like_a_curve() {
        let figure = curves(&lines((0..2).map(Ink::Category)), 560.0);
        let mut marks = figure.panels.iter().flat_map(|panel| &panel.marks);
        let rule = |mark: &&Mark| matches!(mark, Mark::Rule { at: At::X(_), .. });
        assert!(matches!(marks.find(rule), Some(Mark::Rule { ink: Ink::Muted, .. })));
    }

    #[test]
    fn no_line_crosses_the_name_of_a_rule() {
        let flat = |y| vec![(50.0, y), (5_000.0, y)];
        let rising = vec![(50.0, 0.2), (200.0, 0.4), (1_000.0, 0.9), (5_000.0, 1.0)];
        let chart = |marked: f64| CurveChart {
            curves: vec![
                Curve::line("found", rising.clone(), Ink::Before, Dash::Solid),
                Curve::line("guessing", flat(0.05), Ink::Axis, Dash::Dashed),
            ],
            log_x: true,
            y_range: Some((0.0, 1.05)),
            x_name: "rows n".into(),
            y_name: "share".into(),
            marked: Some((marked, format!("n = {marked}"))),
            title: String::new(),
            caption: String::new(),
        };
        for width in [280.0, 320.0, 440.0, 620.0, 1_200.0] {
            for marked in [50.0, 200.0, 1_000.0, 5_000.0] {
                let figure = curves(&chart(marked), width);
                assert_eq!(crossings(&figure), Vec::<String>::new(), "n = {marked} at {width}");
                assert_eq!(collisions(&figure), Vec::<String>::new(), "n = {marked} at {width}");
            }
        }
        // where nothing is in the way it is at the foot, on the right
        let free =
            CurveChart { curves: vec![Curve::line("found", rising.clone(), Ink::Before, Dash::Solid)], ..chart(200.0) };
        let name = curves(&free, 440.0).panels.into_iter().flat_map(|panel| panel.marks).find_map(|mark| match mark {
            Mark::Text(words) if words.text == "n = 200" => Some((words.dx, words.dy)),
            _ => None,
        });
        assert_eq!(name, Some((5.0, -8.0)));
    }

    proptest::proptest! {
        /// Whatever lines say and however many there are, no two words touch at any width.
        #[test]
        fn words_never_collide(
            ends in proptest::collection::vec(-1.0..1.0_f64, 1..12),
            long in 0_usize..40,
            log_x in proptest::bool::ANY,
            spread in 0.001..1_000.0_f64,
            width in 280.0..1_200.0_f64,
            marked in 0.0..1.0_f64,
        ) {
            let curve = |(k, end): (usize, &f64)| Curve {
                name: format!("{}{k}", "method ".repeat(1 + long / 8)),
                points: vec![(1.0, 0.0), (1.0 + spread, end * spread)],
                band: Vec::new(),
                ink: Ink::Category(k as u8),
                dash: Dash::Solid,
                name_at: (k == 1).then_some((1.0, 0.0)),
            };
            let chart = CurveChart {
                curves: ends.iter().enumerate().map(curve).collect(),
                log_x,
                y_range: None,
                x_name: "how much a wrong answer costs, in questions".into(),
                y_name: "saved per 1,000".into(),
                marked: Some((1.0 + marked * spread, "your costs".into())),
                title: String::new(),
                caption: String::new(),
            };
            let wrong = collisions(&curves(&chart, width));
            proptest::prop_assert!(wrong.is_empty(), "{wrong:?}");
        }
    }
}
