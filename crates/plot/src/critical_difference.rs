//! The critical-difference diagram: methods at their mean ranks, and bars over those that are not significantly different.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Dash, Figure, Mark, Panel, Point, Symbol, Text};
use super::palette::Ink;
use super::table::TextTable;
use super::text;
use crate::words::number;

/// Mean ranks of methods over data sets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RankChart {
    /// name and mean rank, by rank
    pub methods: Vec<(String, f64)>,
    /// mean ranks closer than this are not significantly different
    pub critical_difference: f64,
    /// runs of `methods` that are not significantly different: first and last place
    pub together: Vec<(usize, usize)>,
    /// the finding, in one line; may be empty
    pub title: String,
    /// the method
    pub caption: String,
}

/// Height of a name.
const ROW: f64 = 20.0;
/// Height of a bar that holds methods together.
const BAR: f64 = 8.0;
/// Where the axis stands.
const AXIS: f64 = 58.0;

/// The chart as a figure of `width` CSS pixels, at least 280: the better half of the names on the left, the other on the
/// right.
///
/// # Source
/// Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", figure 1.
pub fn critical_difference(chart: &RankChart, width: f64) -> Figure {
    let width = width.max(280.0);
    let k = chart.methods.len();
    let left_count = k.div_ceil(2);
    let label = |(name, rank): &(String, f64)| (name.clone(), number::fixed(*rank, 2));
    let room = |methods: &[(String, f64)]| {
        let widths = methods.iter().map(label).map(|(name, rank)| text::width(&format!("{name}  {rank}"), text::BODY));
        (widths.fold(0.0, f64::max) + 14.0).min(0.36 * width).ceil()
    };
    let (left_half, right_half) = chart.methods.split_at(left_count.min(k));
    let (left, right) = (room(left_half).max(24.0), width - room(right_half).max(24.0));
    let most = k.max(2) as f64;
    let at = |rank: f64| left + (rank.clamp(1.0, most) - 1.0) / (most - 1.0) * (right - left);
    let line = |points: Vec<(f64, f64)>, ink: Ink, width: f64| Mark::Line { points, ink, width, dash: Dash::Solid };
    let mut marks = vec![line(vec![(left, AXIS), (right, AXIS)], Ink::Ink, 1.5)];
    // as many ticks as have room
    let step = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|step| (right - left) * *step as f64 / (most - 1.0) >= 24.0);
    for rank in (1..=k.max(2)).step_by(step.unwrap_or(100)) {
        let x = at(rank as f64);
        marks.push(line(vec![(x, AXIS - 5.0), (x, AXIS)], Ink::Ink, 1.0));
        marks.push(Mark::Text(Text::new(x, AXIS - 14.0, rank.to_string()).anchor(Anchor::Middle)));
    }
    let wide = (at(1.0 + chart.critical_difference.max(0.0)) - left).max(1.0);
    let words = format!("critical difference {}", number::fixed(chart.critical_difference, 2));
    marks.push(line(vec![(left, 26.0), (left + wide, 26.0)], Ink::Accent, 2.0));
    for end in [left, left + wide] {
        marks.push(line(vec![(end, 22.0), (end, 30.0)], Ink::Accent, 2.0));
    }
    let after = left + text::width(&words, text::SMALL) > width - 4.0;
    let (x, anchor) = if after { (width - 4.0, Anchor::End) } else { (left, Anchor::Start) };
    marks.push(Mark::Text(Text::new(x, 11.0, words).anchor(anchor)));
    for (i, (first, last)) in chart.together.iter().enumerate() {
        let rank = |place: &usize| chart.methods.get(*place).map(|one| at(one.1));
        if let Some((from, to)) = rank(first).zip(rank(last)) {
            let y = AXIS + BAR * (i as f64 + 1.0);
            marks.push(line(vec![(from - 3.0, y), (to + 3.0, y)], Ink::Ink, 4.0));
        }
    }
    let names = AXIS + BAR * (chart.together.len() as f64 + 1.0) + 0.5 * ROW;
    let mut points = Vec::new();
    for (i, one) in chart.methods.iter().enumerate() {
        let is_left = i < left_count;
        // from the outside inwards, so that no line crosses another
        let row = if is_left { i } else { k - 1 - i };
        let (x, y) = (at(one.1), names + ROW * row as f64);
        let edge = if is_left { left - 4.0 } else { right + 4.0 };
        marks.push(line(vec![(x, AXIS), (x, y), (edge, y)], Ink::Axis, 1.0));
        let (name, rank) = label(one);
        let limit = (if is_left { left } else { width - right }) - 14.0;
        let name = text::fitted(&name, text::BODY, limit - text::width(&format!("  {rank}"), text::BODY));
        let (place, anchor) = if is_left { (left - 8.0, Anchor::End) } else { (right + 8.0, Anchor::Start) };
        let words = if is_left { format!("{name}  {rank}") } else { format!("{rank}  {name}") };
        let mut words = Text::new(place, y, words).ink(Ink::Ink).anchor(anchor);
        words.size = text::BODY;
        marks.push(Mark::Text(words));
        points.push(Point {
            x,
            y: AXIS,
            radius: 4.0,
            symbol: Symbol::Circle,
            ink: Ink::Ink,
            filled: true,
            index: i as u32,
            hover: vec![one.0.clone(), format!("mean rank {}", number::fixed(one.1, 2))],
        });
    }
    marks.push(Mark::Points { points });
    let height = names + ROW * left_count.max(1) as f64;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        alt: alt(chart),
        panels: vec![Panel::overlay(width, height, marks)],
        table: table(chart),
    }
}

fn alt(chart: &RankChart) -> String {
    let methods: Vec<String> =
        chart.methods.iter().map(|(name, rank)| format!("{name} {}", number::fixed(*rank, 2))).collect();
    let name = |place: &usize| chart.methods.get(*place).map(|one| one.0.clone());
    let runs = chart.together.iter().filter_map(|(first, last)| Some(format!("{} to {}", name(first)?, name(last)?)));
    let runs: Vec<String> = runs.collect();
    let together = match runs.is_empty() {
        true => "all differ significantly".to_owned(),
        false => format!("not significantly different: {}", runs.join("; ")),
    };
    format!(
        "Mean ranks, best first: {}. Critical difference {}; {together}.",
        methods.join(", "),
        number::fixed(chart.critical_difference, 2)
    )
}

fn table(chart: &RankChart) -> TextTable {
    let mut table = TextTable::new(&["method", "#mean rank"]);
    table.rows = chart.methods.iter().map(|(name, rank)| vec![name.clone(), number::fixed(*rank, 2)]).collect();
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;

    #[test]
    fn words_never_collide_and_never_leave_the_figure() {
        for k in [0, 1, 2, 3, 5, 12, 40] {
            for long in [1, 6] {
                let methods: Vec<(String, f64)> = (0..k)
                    .map(|i| {
                        (
                            format!("{} {i}", "method".repeat(long)),
                            1.0 + (k as f64 - 1.0) * (i as f64 / k as f64).powi(2),
                        )
                    })
                    .collect();
                for critical_difference in [0.3, 3.0, 300.0] {
                    let together = if k > 2 { vec![(0, k / 2), (k / 2, k - 1)] } else { Vec::new() };
                    let chart =
                        RankChart { methods: methods.clone(), critical_difference, together, ..RankChart::default() };
                    for width in [0.0, 320.0, 520.0, 900.0] {
                        let figure = super::critical_difference(&chart, width);
                        assert_eq!(collisions(&figure), Vec::<String>::new(), "{k} methods at {width}");
                        assert_eq!(figure.table.rows.len(), k);
                    }
                }
            }
        }
    }

    #[test]
    fn it_says_what_it_shows() {
        let methods = vec![("a".to_owned(), 1.25), ("b".to_owned(), 2.0), ("c".to_owned(), 2.75)];
        let chart = RankChart { methods, critical_difference: 1.0, together: vec![(0, 1)], ..RankChart::default() };
        assert_eq!(
            super::critical_difference(&chart, 500.0).alt,
            "Mean ranks, best first: a 1.25, b 2.00, c 2.75. Critical difference 1.00; not significantly different: a to b."
        );
    }
}
