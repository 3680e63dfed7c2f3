//! The map of the signed local error over two features, with its color scale in percentage points.

use serde::{Deserialize, Serialize};

use super::extent::Extent;
use super::figure::{Anchor, Axis, Bar, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::raster::Picture;
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::words::number;
use crate::words::text::counted;

/// Room at the left of a map, at least.
const LEFT: f64 = 60.0;

/// Everything the map shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MapChart {
    /// what the picture covers
    pub extent: Extent,
    /// feature to the right
    pub x_name: String,
    /// feature upwards
    pub y_name: String,
    /// points and field; it fills the square of [`square`]
    pub picture: Option<Picture>,
    /// error at the ends of the color scale, such as 0.2
    pub color_limit: f64,
    /// ends of the error axis of a map of one feature, which maps that are compared share; none: as far as its line needs
    pub error_range: Option<[f64; 2]>,
    /// what is colored, such as "signed local error: confidence − accuracy"
    pub value_name: String,
    /// rows on the map
    pub n: u64,
    /// rows in gray, with fewer than 20 effective neighbors
    pub n_grey: u64,
    /// the region that the person selected
    pub selection: Option<Extent>,
    /// the row under the pointer
    pub cursor: Option<(f64, f64)>,
    /// the finding, in one line
    pub title: String,
    /// the method
    pub caption: String,
    /// one sentence for those who do not see it; made up from the counts if empty
    pub alt: String,
    /// largest errors or regions, as the text twin
    pub table: TextTable,
}

/// The square that the map takes in a figure of this width: rasterise for its size times the pixel ratio. Numbers and title
/// of its upright axis have the room at its left that they need.
pub fn square(extent: &Extent, y_name: &str, width: f64) -> Rect {
    let width = width.max(280.0);
    let side = |left: f64| (width - left - 14.0).round();
    // A smaller square may have other numbers, seldom wider ones.
    let mut left = LEFT;
    for _ in 0..2 {
        left = upward(extent, y_name, side(left)).room_left(side(left), left);
    }
    Rect::new(left, 8.0, side(left), side(left))
}

/// The upright axis of `height` pixels.
fn upward(extent: &Extent, name: &str, height: f64) -> Axis {
    let scale = Scale::linear(extent.y0, extent.y1);
    Axis { grid: false, ..Axis::titled(scale, name, scale.ticks_up(height)) }
}

/// The chart as a figure of `width` CSS pixels, at least 280.
pub fn map(chart: &MapChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let rect = square(&chart.extent, &chart.y_name, width);
    let Extent { x0, x1, y0, y1 } = chart.extent;
    let x = Scale::linear(x0, x1);
    let mut marks = Vec::new();
    if let Some(picture) = &chart.picture {
        marks.push(Mark::Image {
            rgba: picture.rgba.clone(),
            width: picture.width,
            height: picture.height,
            x: (x0, x1),
            y: (y0, y1),
        });
    }
    if let Some(s) = chart.selection {
        let corners = [(s.x0, s.y0), (s.x1, s.y0), (s.x1, s.y1), (s.x0, s.y1)];
        marks.push(Mark::Area { points: corners.to_vec(), ink: Ink::Accent, opacity: 0.08 });
        for i in 0..4 {
            marks.push(Mark::Line {
                points: vec![corners[i], corners[(i + 1) % 4]],
                ink: Ink::Accent,
                width: 2.0,
                dash: Dash::Solid,
            });
        }
    }
    if let Some((cx, cy)) = chart.cursor {
        marks.push(ring(cx, cy));
    }
    let panel = Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(x, chart.x_name.clone(), x.ticks_across(rect.width)) },
        y: upward(&chart.extent, &chart.y_name, rect.height),
        marks,
    };

    // a second line of the title keeps its distance from the words above the bar
    let second = if panel.x.lines_across(&panel, width, 2).len() > 1 { 10.0 } else { 0.0 };
    let bar_rect = Rect::new(rect.x, rect.bottom() + 74.0 + second, rect.width, 12.0);
    let bar = color_bar(chart, bar_rect);
    // both whole, or both short, where they would meet
    let whole = ["▼ underestimated", "▲ overestimated"];
    let room = whole.iter().map(|words| text::width(words, text::SMALL)).sum::<f64>() + 12.0;
    let [under, over] = if room <= bar_rect.width { whole } else { ["▼ under", "▲ over"] };
    let ends = vec![
        Mark::Text(Text::new(bar_rect.x, bar_rect.y - 11.0, under).ink(Ink::Under)),
        Mark::Text(Text::new(bar_rect.right(), bar_rect.y - 11.0, over).ink(Ink::Over).anchor(Anchor::End)),
    ];
    let mut height = bar_rect.bottom() + 44.0;
    let mut overlay = ends;
    if chart.n_grey > 0 {
        let (gray, n) = (number::count(chart.n_grey), number::count(chart.n));
        let words = fitting(
            [
                format!("too few neighbors: {gray} of {n} rows"),
                format!("too few neighbors: {gray} of {n}"),
                format!("too few neighbors: {gray}"),
            ],
            text::SMALL,
            rect.width - 18.0,
        );
        let entry = Entry::new(Sign::Patch(Ink::NotEnough), words);
        let (marks, taken) = key(&[entry], rect.x, height + 2.0, rect.width);
        overlay.extend(marks);
        height += taken + 4.0;
    }
    let overlay = Panel::overlay(width, height, overlay);
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![panel, bar, overlay],
        table: chart.table.clone(),
    }
    .with_whole_titles()
}

/// The first of `sayings`, from long to short, that fits; else the last.
fn fitting(sayings: [String; 3], size: f64, limit: f64) -> String {
    let [_, _, last] = &sayings;
    let last = last.clone();
    (sayings.into_iter()).find(|words| text::width(words, size) <= limit).unwrap_or(last)
}

/// The row under the pointer: a ring that hides nothing of what it rings but its very edge.
fn ring(x: f64, y: f64) -> Mark {
    Mark::Points {
        points: vec![Point {
            x,
            y,
            radius: 6.0,
            symbol: Symbol::Circle,
            ink: Ink::Accent,
            filled: false,
            index: 0,
            hover: Vec::new(),
        }],
    }
}

/// The scale bar: the diverging map from −limit to limit.
fn color_bar(chart: &MapChart, rect: Rect) -> Panel {
    const STEPS: u32 = 64;
    let limit = if chart.color_limit.is_finite() && chart.color_limit > 0.0 { chart.color_limit * 100.0 } else { 1.0 };
    let bars = (0..STEPS)
        .map(|i| {
            let at = |i: u32| (f64::from(i) / f64::from(STEPS) * 2.0 - 1.0) * limit;
            Bar {
                x0: at(i),
                x1: at(i + 1),
                y0: 0.0,
                y1: 1.0,
                ink: Ink::Diverging((f64::from(2 * i + 1) / f64::from(STEPS)) - 1.0),
                opacity: 1.0,
                index: i,
                hover: Vec::new(),
            }
        })
        .collect();
    let scale = Scale::linear(-limit, limit);
    let mut ticks = scale.ticks_across(rect.width);
    for tick in &mut ticks {
        if tick.value > 0.0 {
            tick.label.insert(0, '+');
        }
    }
    if !ticks.iter().any(|t| t.value == 0.0) {
        ticks.push(Tick::new(0.0, "0"));
    }
    let title = fitting(
        [
            format!("{}, percentage points", chart.value_name),
            format!("{}, pp", chart.value_name),
            "local error, pp".to_string(),
        ],
        text::BODY,
        rect.width + 24.0,
    );
    Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(scale, title, ticks) },
        y: Axis::bare(Scale::UNIT),
        marks: vec![Mark::Bars { bars }],
    }
}

fn alt(chart: &MapChart) -> String {
    if chart.alt.is_empty() {
        format!(
            "Map of {} by {} and {}, colored by {}; {} with too few neighbors.",
            counted(chart.n, "row"),
            chart.x_name,
            chart.y_name,
            chart.value_name,
            counted(chart.n_grey, "row")
        )
    } else {
        chart.alt.clone()
    }
}
