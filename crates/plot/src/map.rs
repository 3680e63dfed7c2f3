//! The map of the signed local error over two features, with its colour scale in percentage points.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Axis, Bar, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::key::{Entry, Sign, key};
use super::map_line::{LinePlace, map_line};
use super::palette::Ink;
use super::raster::{Dots, Field, Raster, rasterise};
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::words::number;
use crate::words::text::counted;
use localcal_ground::table::Column;

/// Ranges of the two features that a map shows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Extent {
    /// left edge
    pub x0: f64,
    /// right edge
    pub x1: f64,
    /// lower edge
    pub y0: f64,
    /// upper edge
    pub y1: f64,
}

impl Extent {
    /// The ranges of `x` and `y` with 3 % of room on each side; values that are not finite do not count.
    pub fn around(x: &[f64], y: &[f64]) -> Self {
        let range = |values: &[f64]| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &v in values.iter().filter(|v| v.is_finite()) {
                low = low.min(v);
                high = high.max(v);
            }
            if low > high {
                (0.0, 1.0)
            } else if low == high {
                (low - 0.5, high + 0.5)
            } else {
                let room = 0.03 * (high - low);
                (low - room, high + room)
            }
        };
        let ((x0, x1), (y0, y1)) = (range(x), range(y));
        Self { x0, x1, y0, y1 }
    }

    /// With these edges: left, right, lower and upper.
    pub fn within([x0, x1, y0, y1]: [f64; 4]) -> Self {
        Self { x0, x1, y0, y1 }
    }

    /// Left, right, lower and upper edge.
    pub fn edges(&self) -> [f64; 4] {
        [self.x0, self.x1, self.y0, self.y1]
    }
}

/// Room at the left of a map, at least.
const LEFT: f64 = 60.0;

/// A finished picture of points and field; see [`super::raster::rasterise`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// red, green, blue, alpha
    pub rgba: Column<u8>,
    /// pixels per row
    pub width: u32,
    /// rows
    pub height: u32,
}

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
    /// error at the ends of the colour scale, such as 0.2
    pub color_limit: f64,
    /// ends of the error axis of a map of one feature, which maps that are compared share; none: as far as its line needs
    pub error_range: Option<[f64; 2]>,
    /// what is coloured, such as "signed local error: confidence − accuracy"
    pub value_name: String,
    /// rows on the map
    pub n: u64,
    /// rows in grey, with fewer than 20 effective neighbours
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

/// A map whose picture is still to be made: rows, and the field behind them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Landscape {
    /// everything but the picture
    pub chart: MapChart,
    /// first feature of each row
    pub x: Column<f64>,
    /// second feature of each row
    pub y: Column<f64>,
    /// signed local error of each row
    pub value: Column<f64>,
    /// [`Support`](super::raster::Support) of each row as bytes
    pub support: Column<u8>,
    /// the field: cells per row
    pub side: usize,
    /// signed local error of each cell
    pub behind: Column<f64>,
    /// support of each cell
    pub behind_support: Column<u8>,
    /// the error over the feature, where there is but one: drawn instead of the square
    pub line: Vec<LinePlace>,
}

impl Landscape {
    /// The map as a figure of `width` CSS pixels, its picture of `dpr` (default 1) pixels for each of
    /// them. O(rows + pixels).
    pub fn figure(&self, width: f64, dpr: Option<f64>, dark: bool) -> Figure {
        if !self.line.is_empty() {
            return map_line(&self.chart, &self.line, &self.x, width);
        }
        let dpr = dpr.unwrap_or(1.0).clamp(0.5, 4.0);
        let (extent, limit) = (self.chart.extent, self.chart.color_limit);
        let side = (square(&extent, &self.chart.y_name, width).width * dpr) as u32;
        let dots = Dots { x: &self.x, y: &self.y, value: &self.value, support: &self.support };
        let field = Field { side: self.side, value: &self.behind, support: &self.behind_support };
        let picture = rasterise(dots, field, &Raster { extent, width: side, height: side, dpr, limit, dark });
        map(&MapChart { picture: Some(picture), ..self.chart.clone() }, width)
    }

    /// The same with other rows, or with none.
    pub fn with_rows(&self, [x, y, value]: [Column<f64>; 3], support: Column<u8>) -> Self {
        Self {
            x,
            y,
            value,
            support,
            chart: self.chart.clone(),
            side: self.side,
            behind: self.behind.clone(),
            behind_support: self.behind_support.clone(),
            line: self.line.clone(),
        }
    }
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
        let (grey, n) = (number::count(chart.n_grey), number::count(chart.n));
        let words = fitting(
            [
                format!("too few neighbors: {grey} of {n} rows"),
                format!("too few neighbors: {grey} of {n}"),
                format!("too few neighbors: {grey}"),
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
            counted(chart.n as usize, "row"),
            chart.x_name,
            chart.y_name,
            chart.value_name,
            counted(chart.n_grey as usize, "row")
        )
    } else {
        chart.alt.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::collisions;

    #[test]
    fn wide_numbers_and_long_titles_have_room_and_the_picture_fills_the_square() {
        for (y_name, high) in
            [("exposure (component 2)", 0.4), ("along exposure (component 2)", 4e5), ("word ".repeat(30).trim(), 9e8)]
        {
            let extent = Extent { x0: 0.0, x1: 1.0, y0: 0.1 * high, y1: high };
            let landscape = Landscape {
                chart: MapChart {
                    extent,
                    x_name: "age".into(),
                    y_name: y_name.to_owned(),
                    color_limit: 0.2,
                    value_name: "signed local error".into(),
                    ..MapChart::default()
                },
                x: Vec::new().into(),
                y: Vec::new().into(),
                value: Vec::new().into(),
                support: Vec::new().into(),
                side: 1,
                behind: vec![0.0].into(),
                behind_support: vec![0].into(),
                line: Vec::new(),
            };
            for width in [280.0, 360.0, 560.0] {
                let figure = landscape.figure(width, Some(2.0), false);
                assert_eq!(collisions(&figure), Vec::<String>::new(), "{y_name} at {width}");
                let panel = &figure.panels[0];
                let Some(Mark::Image { width: across, height: up, .. }) = panel.marks.first() else {
                    panic!("no picture")
                };
                assert_eq!((*across, *up), ((2.0 * panel.rect.width) as u32, (2.0 * panel.rect.height) as u32));
                assert_eq!(panel.rect, square(&extent, y_name, width));
            }
        }
    }

    #[test]
    fn extent_leaves_room_and_ignores_what_is_no_number() {
        let extent = Extent::around(&[0.0, 100.0, f64::NAN], &[5.0, 5.0]);
        assert_eq!((extent.x0, extent.x1), (-3.0, 103.0));
        assert_eq!((extent.y0, extent.y1), (4.5, 5.5));
        let none = Extent::around(&[], &[f64::INFINITY]);
        assert_eq!((none.x0, none.x1, none.y0, none.y1), (0.0, 1.0, 0.0, 1.0));
    }
}
