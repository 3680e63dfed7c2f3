//! The mirrored histogram below the reliability diagram.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::ReliabilityChart;
use crate::plot::figure::{Anchor, At, Axis, Bar, Dash, Mark, Panel, Rect, Text};
use crate::plot::format;
use crate::plot::palette::Ink;
use crate::plot::scale::{Scale, Tick, round_below, unit_ticks};
use crate::plot::text;

/// Counts of events and others between edges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
pub struct Histogram {
    /// rising, one more than there are bins (100 bins as a rule)
    pub edges: Vec<f64>,
    /// rows counted as 1, per bin
    pub events: Vec<u32>,
    /// rows counted as 0, per bin
    pub others: Vec<u32>,
}

/// The panel: events up, the others down, on one scale of counts.
pub(super) fn strip(chart: &ReliabilityChart, rect: Rect) -> Panel {
    let histogram = &chart.histogram;
    let height = |count: u32| {
        let count = f64::from(count);
        if chart.square_root_heights {
            count.sqrt()
        } else {
            count
        }
    };
    let peak = |counts: &[u32]| counts.iter().copied().max().unwrap_or(0);
    let (most_events, most_others) = (peak(&histogram.events), peak(&histogram.others));
    let (up, down) = (height(most_events), height(most_others));
    // Neither side is squeezed to nothing: its name must fit beside the line.
    let least = up.max(down).max(1.0) * 21.0 / (rect.height - 21.0);
    let (high, low) = (up.max(least) * 1.08, -down.max(least) * 1.08);

    let mut bars = Vec::new();
    for (pair, (&events, &others)) in
        (histogram.edges.windows(2)).zip(histogram.events.iter().zip(&histogram.others))
    {
        let &[x0, x1] = pair else { continue };
        let hover = vec![
            format!("{}–{}", format::fixed(x0, 2), format::fixed(x1, 2)),
            format!("{} {}", format::count(events.into()), chart.events_name),
            format!("{} {}", format::count(others.into()), chart.others_name),
        ];
        for (count, sign, ink, opacity) in [
            (events, 1.0, Ink::Before, 0.8),
            (others, -1.0, Ink::Muted, 0.6),
        ] {
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
    let zero = Mark::Rule {
        at: At::Y(0.0),
        ink: Ink::Axis,
        width: 1.0,
        dash: Dash::Solid,
    };
    let total = |counts: &[u32]| counts.iter().map(|&c| u64::from(c)).sum::<u64>();
    let scale = Scale::linear(low, high);
    let mut panel = Panel {
        rect,
        x: Axis {
            grid: false,
            ..Axis::titled(Scale::UNIT, chart.score_name.clone(), unit_ticks())
        },
        y: Axis {
            grid: false,
            ..Axis::titled(scale, "rows", ticks(most_events, most_others, &height))
        },
        marks: Vec::new(),
    };
    let names = [
        (&chart.events_name, total(&histogram.events), high, 10.0),
        (&chart.others_name, total(&histogram.others), low, -10.0),
    ];
    let labels: Vec<Mark> = names
        .into_iter()
        .map(|(name, count, y, dy)| {
            let words = text::fitted(
                &format!("{name}: {}", format::count(count)),
                text::SMALL,
                rect.width * 0.6,
            );
            let left = free_side(&bars, &panel, &words, y > 0.0);
            let (x, dx, anchor) = if left {
                (0.0, 6.0, Anchor::Start)
            } else {
                (1.0, -6.0, Anchor::End)
            };
            Mark::Text(
                Text::new(x, y, words)
                    .anchor(anchor)
                    .shifted(dx, dy)
                    .with_halo(),
            )
        })
        .collect();
    panel.marks = vec![Mark::Bars { bars }, zero];
    panel.marks.extend(labels);
    panel
}

/// Whether the words cover less of the bars at the left end than at the right.
fn free_side(bars: &[Bar], panel: &Panel, words: &str, up: bool) -> bool {
    let share = (text::width(words, text::SMALL) + 10.0) / panel.rect.width;
    let tallest = |from: f64, to: f64| {
        bars.iter()
            .filter(|bar| bar.x1 > from && bar.x0 < to && (bar.y1 > 0.0) == up)
            .map(|bar| bar.y1.abs())
            .fold(0.0, f64::max)
    };
    tallest(0.0, share) <= tallest(1.0 - share, 1.0)
}

/// Zero, and a round count on each side that has room for it.
fn ticks(most_events: u32, most_others: u32, height: &dyn Fn(u32) -> f64) -> Vec<Tick> {
    let mut ticks = vec![Tick::new(0.0, "0")];
    let whole = height(most_events).max(height(most_others));
    for (most, sign) in [(most_events, 1.0), (most_others, -1.0)] {
        let round = round_below(f64::from(most)) as u32;
        // Closer to zero than this the labels would touch.
        if round > 0 && height(round) > 0.3 * whole {
            ticks.push(Tick::new(sign * height(round), format::count(round.into())));
        }
    }
    ticks
}
