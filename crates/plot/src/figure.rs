//! A chart as a value: panels with scales, marks in the units of the data, labels, and its text twin.

use serde::{Deserialize, Serialize};

use super::palette::Ink;
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use localcal_ground::table::Column;

/// A complete chart. All lengths are CSS pixels, the origin is the upper left corner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// width of the drawing
    pub width: f64,
    /// height of the drawing
    pub height: f64,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method, in one or two sentences
    pub caption: String,
    /// description of the chart in one sentence, for screen readers
    pub alt: String,
    /// drawn in this order
    pub panels: Vec<Panel>,
    /// the same numbers as a table
    pub table: TextTable,
}

impl Figure {
    /// At least so high that the titles of the horizontal axes have two lines where one is too short for them.
    pub fn with_whole_titles(mut self) -> Self {
        let bottom =
            |panel: &Panel| panel.rect.bottom() + panel.x.title_below(&panel.x.lines_across(panel, self.width, 2));
        self.height = self.panels.iter().map(bottom).fold(self.height, f64::max);
        self
    }
}

/// A rectangle of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rect {
    /// left edge
    pub x: f64,
    /// upper edge
    pub y: f64,
    /// extent to the right
    pub width: f64,
    /// extent downwards
    pub height: f64,
}

impl Rect {
    /// The rectangle from its upper left corner and its size.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether the point lies inside or on the edge.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x <= self.right() && y >= self.y && y <= self.bottom()
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// A coordinate system and its elements, which are clipped at its rectangle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Panel {
    /// position in the figure
    pub rect: Rect,
    /// left to right
    pub x: Axis,
    /// bottom to top
    pub y: Axis,
    /// drawn in this order
    pub marks: Vec<Mark>,
}

/// One direction of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Axis {
    /// values to positions
    pub scale: Scale,
    /// quantity with its unit; may be empty
    pub title: String,
    /// places with a label
    pub ticks: Vec<Tick>,
    /// grid lines at the ticks
    pub grid: bool,
    /// a line along the axis
    pub line: bool,
}

impl Axis {
    /// An axis that only places marks.
    pub fn bare(scale: Scale) -> Self {
        Self { scale, title: String::new(), ticks: Vec::new(), grid: false, line: false }
    }

    /// A visible axis with grid lines.
    pub fn titled(scale: Scale, title: impl Into<String>, ticks: Vec<Tick>) -> Self {
        Self { scale, title: title.into(), ticks, grid: true, line: true }
    }
}

/// Between the middles of two lines of a title.
pub(crate) const TITLE_LINE: f64 = 15.0;
/// Room left of an upright axis besides the numbers: gaps and one line of the title.
const BESIDE: f64 = 30.0;

impl Axis {
    /// The title below the axis of `panel` in at most `most` lines.
    pub(crate) fn lines_across(&self, panel: &Panel, width: f64, most: usize) -> Vec<String> {
        text::lines(&self.title, text::BODY, (panel.rect.width + 24.0).min(width), most)
    }

    /// From the axis to the middle of the first line of its title.
    pub(crate) fn title_at(&self) -> f64 {
        if self.ticks.iter().all(|tick| tick.label.is_empty()) { 13.0 } else { 34.0 }
    }

    /// From the axis to the lower end of its title.
    pub(crate) fn title_below(&self, lines: &[String]) -> f64 {
        match lines.len() {
            0 => 0.0,
            lines => self.title_at() + TITLE_LINE * (lines - 1) as f64 + 0.5 * text::BODY,
        }
    }

    /// The upright title beside an axis of `height` pixels in at most `most` lines.
    pub(crate) fn lines_up(&self, height: f64, most: usize) -> Vec<String> {
        text::lines(&self.title, text::BODY, height + 16.0, most)
    }

    /// Width of the widest number.
    pub(crate) fn numbers(&self) -> f64 {
        self.ticks.iter().map(|tick| text::width(&tick.label, text::SMALL)).fold(0.0, f64::max)
    }

    /// Room that numbers and title of an upright axis of `height` pixels take at its left, `least` at least.
    pub fn room_left(&self, height: f64, least: f64) -> f64 {
        let further = self.lines_up(height, 2).len().saturating_sub(1) as f64;
        (self.numbers() + BESIDE + TITLE_LINE * further).max(least).ceil()
    }
}

impl Panel {
    /// A panel over the whole drawing whose units are pixels, for keys and labels.
    pub fn overlay(width: f64, height: f64, marks: Vec<Mark>) -> Self {
        Self {
            rect: Rect::new(0.0, 0.0, width, height),
            x: Axis::bare(Scale::linear(0.0, width)),
            y: Axis::bare(Scale::linear(height, 0.0)),
            marks,
        }
    }

    /// Pixel position of a point given in the units of the axes.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.rect.x + self.x.scale.position(x) * self.rect.width,
            self.rect.bottom() - self.y.scale.position(y) * self.rect.height,
        )
    }
}

/// A graphical element, in the units of its panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// a line through points
    Line {
        /// points in drawing order
        points: Vec<(f64, f64)>,
        /// color
        ink: Ink,
        /// line width in pixels
        width: f64,
        /// solid or dashed
        dash: Dash,
    },
    /// a filled polygon
    Area {
        /// corners in order
        points: Vec<(f64, f64)>,
        /// color
        ink: Ink,
        /// opacity, from 0 to 1
        opacity: f64,
    },
    /// vertical bars
    Bars {
        /// bars from left to right
        bars: Vec<Bar>,
    },
    /// symbols
    Points {
        /// points, in the order in which the keyboard cursor visits them
        points: Vec<Point>,
    },
    /// vertical intervals
    Errorbars {
        /// (x, lower end, upper end)
        bars: Vec<(f64, f64, f64)>,
        /// color
        ink: Ink,
    },
    /// text
    Text(Text),
    /// a raster image, for elements that are too many to be drawn one by one
    Image {
        /// red, green, blue, alpha (not premultiplied), row by row from the top
        rgba: Column<u8>,
        /// width in pixels
        width: u32,
        /// height in pixels
        height: u32,
        /// (left, right) in units of x
        x: (f64, f64),
        /// (bottom, top) in units of y
        y: (f64, f64),
    },
    /// a straight line across the panel
    Rule {
        /// vertical at x, or horizontal at y
        at: At,
        /// color
        ink: Ink,
        /// line width in pixels
        width: f64,
        /// solid or dashed
        dash: Dash,
    },
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Dash {
    /// unbroken
    #[default]
    Solid,
    /// dashed: 6 px on, 4 px off
    Dashed,
    /// dotted: 2 px on, 3 px off
    Dotted,
}

impl Dash {
    /// Lengths of stroke and gap in pixels.
    pub fn lengths(self) -> Option<(f64, f64)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((6.0, 4.0)),
            Dash::Dotted => Some((2.0, 3.0)),
        }
    }
}

/// Position of a [`Mark::Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// an upright line at this x
    X(f64),
    /// a level line at this y
    Y(f64),
}

/// One bar of [`Mark::Bars`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BarMark"))]
pub struct Bar {
    /// left edge
    pub x0: f64,
    /// right edge
    pub x1: f64,
    /// one end on the y axis
    pub y0: f64,
    /// other end on the y axis
    pub y1: f64,
    /// color
    pub ink: Ink,
    /// opacity, from 0 to 1
    pub opacity: f64,
    /// index of the item that the bar represents, such as a bin
    pub index: u32,
    /// lines of the tooltip; empty: no tooltip
    pub hover: Vec<String>,
}

/// One symbol of [`Mark::Points`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Point {
    /// x coordinate
    pub x: f64,
    /// y coordinate
    pub y: f64,
    /// radius in pixels
    pub radius: f64,
    /// shape
    pub symbol: Symbol,
    /// color
    pub ink: Ink,
    /// true: filled; false: outline only
    pub filled: bool,
    /// index of the item that the point represents, such as a bin or a row
    pub index: u32,
    /// lines of the tooltip; empty: no tooltip
    pub hover: Vec<String>,
}

/// Form of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Symbol {
    /// ●
    Circle,
    /// ◆
    Diamond,
    /// ▲
    TriangleUp,
    /// ▼
    TriangleDown,
}

/// A text at a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Text {
    /// x coordinate
    pub x: f64,
    /// y coordinate
    pub y: f64,
    /// horizontal offset in pixels, to the right
    pub dx: f64,
    /// vertical offset in pixels, downward
    pub dy: f64,
    /// the text
    pub text: String,
    /// color
    pub ink: Ink,
    /// font size in pixels
    pub size: f64,
    /// bold type
    pub bold: bool,
    /// which part of the text is at the position
    pub anchor: Anchor,
    /// outline in the background color, for text over other elements
    pub halo: bool,
}

impl Text {
    /// Small muted words that start at (x, y), centered on the line.
    pub fn new(x: f64, y: f64, text: impl Into<String>) -> Self {
        Self {
            x,
            y,
            dx: 0.0,
            dy: 0.0,
            text: text.into(),
            ink: Ink::Muted,
            size: super::text::SMALL,
            bold: false,
            anchor: Anchor::Start,
            halo: false,
        }
    }

    /// In another color.
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// With another part of the words at the place.
    pub fn anchor(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }

    /// Moved by pixels.
    pub fn shifted(mut self, dx: f64, dy: f64) -> Self {
        self.dx = dx;
        self.dy = dy;
        self
    }

    /// With a rim of paper.
    pub fn with_halo(mut self) -> Self {
        self.halo = true;
        self
    }
}

/// Alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// its beginning
    #[default]
    Start,
    /// its middle
    Middle,
    /// its end
    End,
}
