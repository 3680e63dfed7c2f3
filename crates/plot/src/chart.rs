//! A chart that is found but not drawn: everything it shows, and how much of the page it takes, but no pixel yet.

use serde::{Deserialize, Serialize};

use super::bars::{BarChart, bars};
use super::bias::{BiasChart, bias};
use super::critical_difference::{RankChart, critical_difference};
use super::curves::{CurveChart, curves};
use super::figure::Figure;
use super::forest::{ForestChart, forest};
use super::intervals::{IntervalChart, intervals};
use super::landscape::Landscape;
use super::null_histogram::{NullChart, null_histogram};
use super::over_time::{TimeChart, over_time};
use super::reliability::{ReliabilityChart, reliability};
use super::scatter::{ScatterChart, scatter};
use super::sweep::{SweepChart, sweep};

/// Where figures are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Screen {
    /// width of the page in CSS pixels, where it is known
    pub width: Option<f64>,
    /// device pixels per CSS pixel; default 1
    pub dpr: Option<f64>,
    /// colors of pictures for a dark page
    pub dark: bool,
}

impl Screen {
    /// A page of this width.
    pub fn of_width(width: Option<f64>) -> Self {
        Self { width, ..Self::default() }
    }
}

/// How much of the width of a page a chart takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ChartWidth {
    /// `usual` where the width of the page is not known; else all of it, `most` at most
    UpTo {
        /// in CSS pixels
        usual: f64,
        /// in CSS pixels
        most: f64,
    },
    /// that of one of two charts side by side, all of it on a narrow page
    Half,
    /// that of one of three charts side by side, of two, of one
    Third,
    /// that of one of many small ones
    Tile,
}

/// Width of a page that is not known, for charts side by side.
const PAGE: f64 = 900.0;
/// Width of a small chart, in CSS pixels, where nobody says otherwise.
const TILE: f64 = 290.0;

impl ChartWidth {
    /// As wide as the page, `usual` where that is not known.
    pub fn all(usual: f64) -> Self {
        Self::UpTo { usual, most: f64::INFINITY }
    }

    /// Of the figure in CSS pixels.
    pub fn width(self, page: Option<f64>) -> f64 {
        let known = page.unwrap_or(PAGE);
        match self {
            Self::UpTo { usual, most } => page.map_or(usual, |width| width.min(most)),
            Self::Half if known < 640.0 => known,
            Self::Half => (0.5 * known - 12.0).min(520.0),
            Self::Third => {
                let beside = match known {
                    width if width >= 900.0 => 3.0,
                    width if width >= 640.0 => 2.0,
                    _ => 1.0,
                };
                (known / beside - 16.0).min(420.0)
            }
            Self::Tile => page.map_or(TILE, |width| {
                let across = (width / TILE).floor().max(1.0);
                ((width - 16.0 * (across - 1.0)) / across).floor()
            }),
        }
    }
}

macro_rules! drawings {
    ($($Kind:ident($Type:ty) $figure:expr;)*) => {
        /// What a chart shows.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Drawing {
            $(#[doc = concat!("[`", stringify!($Type), "`]")] $Kind($Type),)*
        }

        impl Drawing {
            /// The figure of `width` CSS pixels.
            fn figure(&self, width: f64, screen: &Screen) -> Figure {
                match self {
                    $(Self::$Kind(chart) => $figure(chart, width, screen),)*
                }
            }
        }

        $(impl From<$Type> for Drawing {
            fn from(chart: $Type) -> Self {
                Self::$Kind(chart)
            }
        })*
    };
}

drawings! {
    Bars(BarChart) |chart, width, _| bars(chart, width);
    Bias(BiasChart) |chart, width, _| bias(chart, width);
    Curves(CurveChart) |chart, width, _| curves(chart, width);
    Forest(ForestChart) |chart, width, _| forest(chart, width);
    Intervals(IntervalChart) |chart, width, _| intervals(chart, width);
    Null(NullChart) |chart, width, _| null_histogram(chart, width);
    OverTime(TimeChart) |chart, width, _| over_time(chart, width);
    Ranks(RankChart) |chart, width, _| critical_difference(chart, width);
    Reliability(ReliabilityChart) |chart, width, _| reliability(chart, width);
    Scatter(ScatterChart) |chart, width, _| scatter(chart, width);
    Sweep(SweepChart) |chart, width, _| sweep(chart, width);
    Landscape(Landscape) |chart: &Landscape, width, screen: &Screen| {
        chart.figure(width, screen.dpr, screen.dark)
    };
}

/// A chart that is not drawn yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    drawing: Drawing,
    room: ChartWidth,
}

impl Chart {
    /// Of what it shows, in the room it takes.
    pub fn new(drawing: impl Into<Drawing>, room: ChartWidth) -> Self {
        Self { drawing: drawing.into(), room }
    }

    /// How many rows stand one beneath the other, each about something else; none in a chart of another kind.
    pub fn rows(&self) -> Option<usize> {
        match &self.drawing {
            Drawing::Intervals(chart) => Some(chart.rows.len()),
            Drawing::Forest(chart) => Some(chart.rows.len()),
            _ => None,
        }
    }

    /// Without the rows that are marked, and without its title, which may be about one of them; `said` goes to the caption.
    /// A chart without rows of this kind stays as it is.
    pub fn without_rows(&self, out: &[bool], said: &str) -> Self {
        fn keep<T>(rows: &mut Vec<T>, out: &[bool]) {
            let mut out = out.iter();
            rows.retain(|_| out.next() != Some(&true));
        }
        let mut chart = self.clone();
        let (title, caption) = match &mut chart.drawing {
            Drawing::Intervals(chart) => {
                keep(&mut chart.rows, out);
                if chart.compares && out.contains(&true) {
                    chart.without_comparisons();
                }
                (&mut chart.title, &mut chart.caption)
            }
            Drawing::Forest(chart) => {
                keep(&mut chart.rows, out);
                (&mut chart.title, &mut chart.caption)
            }
            _ => return chart,
        };
        title.clear();
        caption.push_str(said);
        chart
    }

    /// The figure on a page. O(marks); of a map O(rows + pixels).
    pub fn figure(&self, screen: &Screen) -> Figure {
        self.drawing.figure(self.room.width(screen.width), screen)
    }
}
