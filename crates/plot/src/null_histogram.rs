//! Where a statistic stands among what scores that are right would show: a histogram of draws with the statistic marked.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, At, Axis, Bar, Dash, Figure, Mark, Panel, Rect, Text};
use super::palette::Ink;
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::words::number;
use crate::words::text::counted;
use localcal_ground::table::Column;

/// Name of the observed value.
const OBSERVED: &str = "observed";
/// Bars of the histogram.
const BARS: usize = 30;

/// Draws of a statistic under a null, and the statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NullChart {
    /// the draws
    pub draws: Column<f64>,
    /// what was observed
    pub observed: f64,
    /// at least this counts as beyond chance
    pub critical: f64,
    /// what is drawn, for the axis
    pub value_name: String,
    /// the finding, in one line
    pub title: String,
    /// how it was made
    pub caption: String,
}

/// The histogram as a figure of `width` CSS pixels, at least 200; bars beyond the critical value
/// stand out by color, what was observed by a line with words.
pub fn null_histogram(chart: &NullChart, width: f64) -> Figure {
    let width = width.max(200.0);
    let finite = chart.draws.iter().copied().filter(|draw| draw.is_finite());
    let ends = finite.clone().chain([chart.observed]);
    let low = ends.clone().fold(f64::INFINITY, f64::min);
    let high = ends.fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
    let margin = 0.03 * (high - low);
    let (low, high) = (low - margin, high + margin);
    let step = (high - low) / BARS as f64;
    let mut counts = [0_u64; BARS];
    for draw in finite {
        counts[(((draw - low) / step) as usize).min(BARS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let x = Scale::linear(low, high);
    let bar = |(i, &count): (usize, &u64)| {
        let (x0, x1) = (low + i as f64 * step, low + (i + 1) as f64 * step);
        let beyond = x0 + 0.5 * step >= chart.critical;
        Bar {
            x0,
            x1,
            y0: 0.0,
            y1: count as f64,
            ink: if beyond { Ink::Accent } else { Ink::Axis },
            opacity: if beyond { 0.8 } else { 0.55 },
            index: i as u32,
            hover: vec![
                format!("{} to {}", number::significant(x0), number::significant(x1)),
                format!("{} draws", number::count(count)),
            ],
        }
    };
    let round = super::scale::round_below(most as f64);
    let ticks = vec![Tick::new(0.0, "0"), Tick::new(round, number::count(round as u64))];
    let y = Axis { line: false, ..Axis::titled(Scale::linear(0.0, 1.08 * most as f64), "draws", ticks) };
    let left = y.room_left(130.0, 58.0);
    let rect = Rect::new(left, 26.0, width - left - 16.0, 130.0);
    let (anchor, dx) = beside_observed(chart, x, rect.width);
    let words = Text::new(chart.observed, most as f64, OBSERVED).ink(Ink::Ink).anchor(anchor).shifted(dx, 6.0);
    let panel = Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(x, chart.value_name.clone(), x.ticks_across(rect.width)) },
        y,
        marks: vec![
            Mark::Bars { bars: counts.iter().enumerate().filter(|(_, n)| **n > 0).map(bar).collect() },
            Mark::Rule { at: At::X(chart.critical), ink: Ink::Muted, width: 1.0, dash: Dash::Dotted },
            Mark::Rule { at: At::X(chart.observed), ink: Ink::Ink, width: 2.0, dash: Dash::Solid },
            Mark::Text(words.with_halo()),
        ],
    };
    let beyond = chart.draws.iter().filter(|draw| **draw >= chart.observed).count();
    Figure {
        width,
        height: rect.bottom() + 46.0,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: format!(
            "Histogram of {}, of which {} at least as large as the observed value, {}.",
            counted(chart.draws.len(), "draw"),
            if beyond == 1 { "1 is".to_owned() } else { format!("{} are", number::count(beyond as u64)) },
            number::significant(chart.observed)
        ),
        panels: vec![panel],
        table: table(low, step, &counts),
    }
    .with_whole_titles()
}

/// On which side of the observed value its name is, on an axis of so many pixels: toward the middle, unless only on the
/// other side the critical value does not cross it.
fn beside_observed(chart: &NullChart, x: Scale, width: f64) -> (Anchor, f64) {
    let room = text::width(OBSERVED, text::SMALL) + 8.0;
    let observed = x.position(chart.observed) * width;
    let critical = x.position(chart.critical) * width;
    let is_free = |from: f64, to: f64| from >= 0.0 && to <= width && !(from..=to).contains(&critical);
    let (left, right) = (is_free(observed - room, observed), is_free(observed, observed + room));
    let toward_left = observed > 0.5 * width;
    match if toward_left { left || !right } else { left && !right } {
        true => (Anchor::End, -5.0),
        false => (Anchor::Start, 5.0),
    }
}

fn table(low: f64, step: f64, counts: &[u64]) -> TextTable {
    let mut table = TextTable::new(&["from", "to", "#draws"]);
    for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let edge = |k: usize| number::significant(low + k as f64 * step);
        table.rows.push(vec![edge(i), edge(i + 1), number::count(*count)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::crossings;

    #[test]
    fn the_critical_value_does_not_cross_the_name_of_the_observed_one() {
        let draws: Vec<f64> = (0..=100).map(f64::from).collect();
        for (observed, critical) in [(95.0, 5.0), (60.0, 55.0), (40.0, 45.0), (100.0, 50.0), (0.0, 60.0)] {
            let chart = NullChart {
                draws: Column::from(draws.clone()),
                observed,
                critical,
                value_name: "statistic".into(),
                title: String::new(),
                caption: String::new(),
            };
            for width in [320.0, 560.0, 900.0] {
                let figure = null_histogram(&chart, width);
                assert_eq!(crossings(&figure), Vec::<String>::new(), "{observed} and {critical} at {width}");
            }
        }
    }
}
