//! The mirrored histogram below the reliability diagram.

use serde::{Deserialize, Serialize};

use super::ReliabilityChart;
use crate::figure::{Anchor, At, Axis, Bar, Dash, Mark, Panel, Rect, Text};
use crate::palette::Ink;
use crate::scale::{Scale, Tick, round_below};
use crate::text;
use crate::words::number;

/// Counts of events and others between edges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// rising, one more than there are bins (100 bins as a rule)
    pub edges: Vec<f64>,
    /// rows counted as 1, per bin
    pub events: Vec<u32>,
    /// rows counted as 0, per bin
    pub others: Vec<u32>,
}

/// The gap beside a number at the left, and the letters of the title.
pub(super) const BESIDE: f64 = 18.0;

/// Room left of the strip: its widest number and what is beside it.
pub(super) fn room_left(histogram: &Histogram) -> f64 {
    let most = histogram.events.iter().chain(&histogram.others).copied().max().unwrap_or(0);
    let widest = number::count(round_below(f64::from(most)) as u64);
    (text::width(&widest, text::SMALL) + BESIDE).max(52.0).ceil()
}

/// The panel: events up, the others down, on one scale of counts.
pub(super) fn strip(chart: &ReliabilityChart, rect: Rect) -> Panel {
    let histogram = &chart.histogram;
    let (across, across_ticks) = super::axis(chart, rect.width);
    let height = |count: u32| {
        let count = f64::from(count);
        if chart.square_root_heights { count.sqrt() } else { count }
    };
    let peak = |counts: &[u32]| counts.iter().copied().max().unwrap_or(0);
    let (most_events, most_others) = (peak(&histogram.events), peak(&histogram.others));
    let (up, down) = (height(most_events), height(most_others));
    let mut bars = Vec::new();
    let places = number::distinguishing_places(&histogram.edges, 2);
    for (pair, (&events, &others)) in (histogram.edges.windows(2)).zip(histogram.events.iter().zip(&histogram.others)) {
        let &[x0, x1] = pair else { continue };
        let hover = vec![
            number::bin(x0, x1, places),
            format!("{} {}", number::count(events.into()), chart.events_name),
            format!("{} {}", number::count(others.into()), chart.others_name),
        ];
        for (count, sign, ink, opacity) in [(events, 1.0, Ink::Before, 0.8), (others, -1.0, Ink::Muted, 0.6)] {
            if count > 0 {
                bars.push(Bar {
                    x0,
                    x1,
                    y0: 0.0,
                    y1: sign * height(count),
                    ink,
                    opacity,
                    index: bars.len() as u32,
                    hover: hover.clone(),
                });
            }
        }
    }
    let zero = Mark::Rule { at: At::Y(0.0), ink: Ink::Axis, width: 1.0, dash: Dash::Solid };
    let beyond = chart.beyond;
    let name = |name: &str, counts: &[u32], outside: u64, up| {
        // of all rows: those whose scores are outside the axes are counted, although no bar is theirs
        let rows = counts.iter().map(|&c| u64::from(c)).sum::<u64>() + outside;
        let words = format!("{name}: {}", number::count(rows));
        let fitted = text::fitted(&words, text::SMALL, rect.width * 0.6);
        Name::placed(fitted, &bars, rect, across, up)
    };
    let events = name(&chart.events_name, &histogram.events, beyond.events, true);
    let others = name(&chart.others_name, &histogram.others, beyond.rows.saturating_sub(beyond.events), false);
    // Neither side is squeezed to nothing, and no name covers the bars at its end (each side grows with the other,
    // so in a few rounds).
    let least = up.max(down).max(1.0) * NAME / (rect.height - NAME);
    let (mut high, mut low) = (up.max(least) * 1.08, down.max(least) * 1.08);
    for _ in 0..4 {
        let line = (high + low) * NAME / rect.height;
        high = high.max(events.covered + line);
        low = low.max(others.covered + line);
    }
    let scale = Scale::linear(-low, high);
    // Closer to zero than a line of words the labels would touch.
    let apart = (text::SMALL + 3.0) * (high + low) / rect.height;
    let mut panel = Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(across, chart.score_name.clone(), across_ticks) },
        y: Axis { grid: false, ..Axis::titled(scale, "rows", ticks(most_events, most_others, apart, &height)) },
        marks: Vec::new(),
    };
    let names = [events.text(across, high, 10.0), others.text(across, -low, -10.0)];
    panel.marks = vec![Mark::Bars { bars }, zero];
    panel.marks.extend(names);
    panel
}

/// Height of a line of words with the room round it, pixels.
const NAME: f64 = 21.0;

/// What one side of the histogram is called, at the end where its bars are lower.
struct Name {
    words: String,
    left: bool,
    /// the tallest bar below the words
    covered: f64,
}

impl Name {
    fn placed(words: String, bars: &[Bar], rect: Rect, across: Scale, up: bool) -> Name {
        let share = (text::width(&words, text::SMALL) + 10.0) / rect.width;
        let at = |x: f64| across.position(x);
        let tallest = |from: f64, to: f64| {
            bars.iter()
                .filter(|bar| at(bar.x1) > from && at(bar.x0) < to && (bar.y1 > 0.0) == up)
                .map(|bar| bar.y1.abs())
                .fold(0.0, f64::max)
        };
        let (at_left, at_right) = (tallest(0.0, share), tallest(1.0 - share, 1.0));
        Name { words, left: at_left <= at_right, covered: at_left.min(at_right) }
    }

    fn text(self, across: Scale, y: f64, dy: f64) -> Mark {
        let (end, dx, anchor) = if self.left { (0.0, 6.0, Anchor::Start) } else { (1.0, -6.0, Anchor::End) };
        Mark::Text(Text::new(across.value(end), y, self.words).anchor(anchor).shifted(dx, dy).with_halo())
    }
}

/// Zero, and a round count on each side where it stands `apart` from zero.
fn ticks(most_events: u32, most_others: u32, apart: f64, height: &dyn Fn(u32) -> f64) -> Vec<Tick> {
    let mut ticks = vec![Tick::new(0.0, "0")];
    for (most, sign) in [(most_events, 1.0), (most_others, -1.0)] {
        let round = round_below(f64::from(most)) as u32;
        if round > 0 && height(round) >= apart {
            ticks.push(Tick::new(sign * height(round), number::count(round.into())));
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_five_digits_have_room_beside_their_title() {
        let of = |most: u32| room_left(&Histogram { edges: vec![0.0, 1.0], events: vec![most], others: vec![0] });
        assert_eq!([0, 900, 7_000].map(of), [52.0; 3]);
        // the numbers end 7 pixels before the axis; the letters of the title take as much as the rest
        let left = of(70_000) - 7.0 - text::width("50,000", text::SMALL);
        assert!(left >= 11.0 && of(700_000) > of(70_000), "{left}");
    }

    #[test]
    fn names_never_cover_the_bars_below_them() {
        for (most_events, most_others) in [(250, 1000), (1000, 250), (1000, 3), (7, 7)] {
            let chart = ReliabilityChart {
                series: Vec::new(),
                consistency: Vec::new(),
                pointwise: Vec::new(),
                axes: super::super::FULL,
                logit: false,
                beyond: Default::default(),
                band_words: String::new(),
                histogram: Histogram {
                    edges: (0..=10).map(|i| f64::from(i) / 10.0).collect(),
                    events: vec![most_events; 10],
                    others: vec![most_others; 10],
                },
                score_name: "probability".into(),
                target_name: "share".into(),
                events_name: "events".into(),
                others_name: "non-events".into(),
                curve_name: String::new(),
                n: 10,
                square_root_heights: false,
                title: String::new(),
                caption: String::new(),
                small: false,
            };
            let rect = Rect::new(52.0, 500.0, 454.0, 82.0);
            let panel = strip(&chart, rect);
            let Scale::Linear { low, high } = panel.y.scale else { panic!("counts stand on a linear scale") };
            let height = |count: u32| f64::from(count) * rect.height / (high - low);
            let up = high * rect.height / (high - low);
            assert!(up - height(most_events) >= NAME - 1.0, "{most_events}: {up}");
            assert!(rect.height - up - height(most_others) >= NAME - 1.0);
        }
    }
}
