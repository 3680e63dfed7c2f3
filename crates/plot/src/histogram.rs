//! The small histogram from which a person picks a confidence bin.

use serde::{Deserialize, Serialize};

use super::figure::{Axis, Bar, Dash, Figure, Mark, Panel, Point, Rect, Symbol};
use super::palette::Ink;
use super::scale::{Scale, unit_ticks};
use super::table::TextTable;
use crate::words::number;

/// Bins to pick from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BinPicker {
    /// from low to high; empty ones may be there
    pub bins: Vec<PickBin>,
    /// index in `bins` of the one in use
    pub selected: Option<u32>,
    /// title of the horizontal axis, such as "confidence"
    pub score_name: String,
    /// heights grow with the square root of the count
    pub square_root_heights: bool,
    /// the finding, in one line
    pub title: String,
}

/// One bin of the picker.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PickBin {
    /// lower edge
    pub low: f64,
    /// upper edge
    pub high: f64,
    /// rows
    pub n: u32,
    /// mean score − share of events
    pub gap: f64,
    /// no more than chance: drawn neutral
    pub inside_band: bool,
}

/// Height of the tallest bar in pixels.
const HEIGHT: f64 = 96.0;

/// The picker as a figure of `width` CSS pixels, at least 200; each bar answers with its index.
pub fn histogram(picker: &BinPicker, width: f64) -> Figure {
    let width = width.max(200.0);
    let tall = |n: u32| {
        let n = f64::from(n);
        if picker.square_root_heights { n.sqrt() } else { n }
    };
    let most = picker.bins.iter().map(|b| b.n).max().unwrap_or(0).max(1);
    let y = Scale::linear(0.0, tall(most));
    let mut ticks = vec![super::Tick::new(0.0, "0")];
    let round = super::scale::round_below(f64::from(most)) as u32;
    ticks.push(super::Tick::new(tall(round), number::count(round.into())));

    let y = Axis { line: false, ..Axis::titled(y, "rows", ticks) };
    let left = y.room_left(HEIGHT, 58.0);
    let rect = Rect::new(left, 16.0, width - left - 12.0, HEIGHT);

    let mut bars = Vec::new();
    let mut signs = Vec::new();
    let mut chosen = Vec::new();
    let places = places(picker);
    for (i, bin) in picker.bins.iter().enumerate().filter(|(_, b)| b.n > 0) {
        let index = i as u32;
        let ink = match (bin.inside_band, bin.gap > 0.0) {
            (true, _) => Ink::Axis,
            (false, true) => Ink::Over,
            (false, false) => Ink::Under,
        };
        let selected = picker.selected == Some(index);
        let faint = picker.selected.is_some() && !selected;
        let inset = 0.06 * (bin.high - bin.low);
        let (x0, x1) = (bin.low + inset, bin.high - inset);
        bars.push(Bar {
            x0,
            x1,
            y0: 0.0,
            // A bin with a single row among thousands is still there to be picked.
            y1: tall(bin.n).max(0.02 * tall(most)),
            ink,
            opacity: if faint { 0.55 } else { 1.0 },
            index,
            hover: vec![
                number::bin(bin.low, bin.high, places),
                format!("{} rows", number::count(bin.n.into())),
                verdict(bin),
            ],
        });
        if !bin.inside_band {
            // Eight pixels above the bar.
            let y = tall(bin.n) + 8.0 / rect.height * tall(most);
            signs.push(sign(bin, index, y, ink));
        }
        if selected {
            chosen.push(Mark::Line {
                points: vec![(x0, 0.0), (x1, 0.0)],
                ink: Ink::Accent,
                width: 4.0,
                dash: Dash::Solid,
            });
        }
    }
    let height = rect.bottom() + 46.0;
    // Signs stand above their bars, beyond the top of the scale if need be.
    let above = Rect::new(rect.x, rect.y - 14.0, rect.width, rect.height + 14.0);
    let stretch = tall(most) * above.height / rect.height;
    let signs = Panel {
        rect: above,
        x: Axis::bare(Scale::UNIT),
        y: Axis::bare(Scale::linear(0.0, stretch)),
        marks: vec![Mark::Points { points: signs }],
    };
    let mut marks = vec![Mark::Bars { bars }];
    marks.extend(chosen);
    let bars = Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(Scale::UNIT, picker.score_name.clone(), unit_ticks()) },
        y,
        marks,
    };
    Figure {
        width,
        height,
        title: picker.title.clone(),
        caption: String::new(),
        alt: alt(picker),
        panels: vec![bars, signs],
        table: table(picker),
    }
    .with_whole_titles()
}

fn sign(bin: &PickBin, index: u32, y: f64, ink: Ink) -> Point {
    Point {
        x: (bin.low + bin.high) / 2.0,
        y,
        radius: 3.5,
        symbol: if bin.gap > 0.0 { Symbol::TriangleUp } else { Symbol::TriangleDown },
        ink,
        filled: true,
        index,
        hover: Vec::new(),
    }
}

fn verdict(bin: &PickBin) -> String {
    let size = number::points_size(bin.gap);
    match (bin.inside_band, bin.gap > 0.0) {
        (true, _) => format!("error {size}, within the null range"),
        (false, true) => format!("▲ overestimated by {size}"),
        (false, false) => format!("▼ underestimated by {size}"),
    }
}

fn alt(picker: &BinPicker) -> String {
    let full: Vec<&PickBin> = picker.bins.iter().filter(|b| b.n > 0).collect();
    let rows: u64 = full.iter().map(|b| u64::from(b.n)).sum();
    let over = full.iter().filter(|b| !b.inside_band && b.gap > 0.0).count();
    let under = full.iter().filter(|b| !b.inside_band && b.gap <= 0.0).count();
    format!(
        "{} rows in {} bins of {}: {over} overestimated, {under} underestimated, {} within the null range.",
        number::count(rows),
        full.len(),
        picker.score_name,
        full.len() - over - under
    )
}

/// Decimals of the ends of the bins.
fn places(picker: &BinPicker) -> usize {
    let filled = picker.bins.iter().filter(|bin| bin.n > 0);
    number::distinguishing_places(&filled.flat_map(|bin| [bin.low, bin.high]).collect::<Vec<_>>(), 2)
}

fn table(picker: &BinPicker) -> TextTable {
    let mut table = TextTable::new(&["bin", "#rows", "error"]);
    let places = places(picker);
    for bin in picker.bins.iter().filter(|bin| bin.n > 0) {
        table.rows.push(vec![number::bin(bin.low, bin.high, places), number::count(bin.n.into()), verdict(bin)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;

    #[test]
    fn wide_numbers_have_room_beside_their_title() {
        let bin = |k: u32| PickBin {
            low: 0.1 * f64::from(k),
            high: 0.1 * f64::from(k + 1),
            n: 24_000 * k,
            gap: 0.0,
            inside_band: true,
        };
        let picker = BinPicker {
            bins: (0..10).map(bin).collect(),
            selected: None,
            score_name: "confidence".into(),
            square_root_heights: true,
            title: String::new(),
        };
        for width in [200.0, 320.0] {
            assert_eq!(collisions(&histogram(&picker, width)), Vec::<String>::new(), "at {width}");
        }
    }
}
