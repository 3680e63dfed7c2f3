//! How the local error is spread over the rows of a bin: its cumulative distribution.
//!
//! The bin's own gap is one number for all its rows; the curve shows how many rows do worse than that.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Rect, Text};
use super::format;
use super::key::{Entry, Sign, key};
use super::palette::Ink;
use super::place::{Obstacles, text_box};
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;

/// Cumulative distributions of the local error in one bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
pub struct CdfChart {
    /// one, or two: before and after recalibration
    pub series: Vec<CdfSeries>,
    /// title of the horizontal axis without its unit, such as "local calibration error"
    pub value_name: String,
    /// which rows, such as "bin 0.80–0.87"
    pub rows_of: String,
    /// the finding, in one line
    pub title: String,
    /// the method; a sentence is made up if empty
    pub caption: String,
    /// of the figure in CSS pixels, at least 240
    pub width: f64,
}

/// One distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
pub struct CdfSeries {
    /// such as "before"
    pub name: String,
    /// (|error|, share of rows at or below it), both rising; see [`steps`]
    pub steps: Vec<(f64, f64)>,
    /// mean of |error|
    pub mean: f64,
    /// |gap| of the bin
    pub gap: f64,
    /// rows
    pub n: u64,
}

/// The empirical distribution function of `values` (sizes are taken) at no more than `at_most` + 1 places.
///
/// The last place is the largest value with share 1. Values that are not finite are left out. Cost: O(n log n).
pub fn steps(values: &[f64], at_most: usize) -> Vec<(f64, f64)> {
    let mut sizes: Vec<f64> = values
        .iter()
        .map(|v| v.abs())
        .filter(|v| v.is_finite())
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let n = sizes.len();
    let every = n.div_ceil(at_most.max(1)).max(1);
    let mut steps: Vec<(f64, f64)> = Vec::with_capacity(n / every + 1);
    for (i, &value) in sizes.iter().enumerate() {
        if (i + 1) % every == 0 || i + 1 == n {
            let share = (i + 1) as f64 / n as f64;
            match steps.last_mut() {
                Some(last) if last.0 == value => last.1 = share,
                _ => steps.push((value, share)),
            }
        }
    }
    steps
}

/// The chart as a figure.
pub fn cdf(chart: &CdfChart) -> Figure {
    let width = chart.width.max(240.0);
    let two = chart.series.len() > 1;
    let rect = Rect::new(58.0, 10.0, width - 74.0, (0.56 * width).clamp(150.0, 260.0));
    let far = chart
        .series
        .iter()
        .flat_map(|s| [s.gap, s.steps.last().map_or(0.0, |step| step.0)])
        .fold(0.0, f64::max)
        * 100.0;
    let x = Scale::linear(0.0, if far > 0.0 { far * 1.04 } else { 1.0 });
    let shares = (0..=4).map(|i| {
        let label = format!("{}\u{a0}%", i * 25);
        Tick::new(f64::from(i) / 4.0, label)
    });
    let ticks = x.ticks((rect.width / 70.0) as usize);
    let title = format!("{}, percentage points", chart.value_name);
    let mut panel = Panel {
        rect,
        x: Axis {
            grid: false,
            ..Axis::titled(x, title, ticks)
        },
        y: Axis::titled(Scale::UNIT, "rows at or below", shares.collect()),
        marks: Vec::new(),
    };
    for (k, series) in chart.series.iter().enumerate() {
        panel.marks.push(Mark::Line {
            points: stairs(&series.steps, far),
            ink: ink(k),
            width: 2.0,
            dash: if k == 0 { Dash::Solid } else { Dash::Dashed },
        });
        for (value, dash) in [(series.gap, Dash::Dashed), (series.mean, Dash::Dotted)] {
            if value.is_finite() {
                panel.marks.push(Mark::Rule {
                    at: At::X(value * 100.0),
                    ink: ink(k),
                    width: 1.0,
                    dash,
                });
            }
        }
    }
    label(chart, &mut panel);
    let mut height = rect.bottom() + 46.0;
    let mut panels = vec![panel];
    if two {
        let entries: Vec<Entry> = chart
            .series
            .iter()
            .enumerate()
            .map(|(k, series)| {
                let dash = if k == 0 { Dash::Solid } else { Dash::Dashed };
                Entry::new(Sign::Line { ink: ink(k), dash }, &*series.name)
            })
            .collect();
        let (marks, taken) = key(&entries, 8.0, height, width - 8.0);
        height += taken + 2.0;
        panels.push(Panel::overlay(width, height, marks));
    }
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: caption(chart),
        alt: alt(chart),
        panels,
        table: table(chart),
    }
}

fn ink(k: usize) -> Ink {
    if k == 0 { Ink::Before } else { Ink::After }
}

/// Corners of the step function from 0 to the end of the axis, in percentage points.
fn stairs(steps: &[(f64, f64)], far: f64) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0)];
    let mut share = 0.0;
    for &(value, next) in steps {
        points.push((value * 100.0, share));
        points.push((value * 100.0, next));
        share = next;
    }
    points.push((far * 1.04, share));
    points
}

/// Names beside the upright lines, where they cover least.
fn label(chart: &CdfChart, panel: &mut Panel) {
    let mut taken = Obstacles::default();
    let two = chart.series.len() > 1;
    for mark in &panel.marks {
        match mark {
            Mark::Line { points, .. } => {
                let line: Vec<_> = points.iter().map(|&(x, y)| panel.place(x, y)).collect();
                taken.add_line(&line);
            }
            Mark::Rule { at: At::X(x), .. } => {
                taken.add_line(&[panel.place(*x, 0.0), panel.place(*x, 1.0)]);
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    for (k, series) in chart.series.iter().enumerate() {
        let of = if two {
            format!(" {}", series.name)
        } else {
            String::new()
        };
        let named = [("gap of the bin", series.gap), ("mean", series.mean)];
        for (name, value) in named.into_iter().filter(|(_, v)| v.is_finite()) {
            let words = format!("{name}{of} {}", format::significant(value * 100.0));
            let heights = [0.08, 0.16, 0.24, 0.32, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
            let candidates: Vec<_> = heights
                .into_iter()
                .flat_map(|y| [(y, 6.0, Anchor::Start), (y, -6.0, Anchor::End)])
                .map(|choice @ (y, dx, anchor)| {
                    let (px, py) = panel.place(value * 100.0, y);
                    (text_box(&words, text::SMALL, (px + dx, py), anchor), choice)
                })
                .collect();
            if let Some((y, dx, anchor)) = taken.settle(&candidates, &panel.rect) {
                texts.push(Mark::Text(
                    Text::new(value * 100.0, y, words)
                        .ink(ink(k))
                        .anchor(anchor)
                        .shifted(dx, 0.0)
                        .with_halo(),
                ));
            }
        }
    }
    panel.marks.extend(texts);
}

/// Share of rows with an error at or below `value`.
fn share_at(series: &CdfSeries, value: f64) -> f64 {
    series
        .steps
        .iter()
        .take_while(|step| step.0 <= value)
        .last()
        .map_or(0.0, |step| step.1)
}

/// The smallest value that at least `share` of the rows do not exceed.
fn quantile(series: &CdfSeries, share: f64) -> f64 {
    let step = series.steps.iter().find(|step| step.1 >= share - 1e-12);
    step.or(series.steps.last()).map_or(f64::NAN, |step| step.0)
}

fn alt(chart: &CdfChart) -> String {
    let parts: Vec<String> = chart
        .series
        .iter()
        .map(|series| {
            let name = if chart.series.len() > 1 {
                format!("{}: ", series.name)
            } else {
                String::new()
            };
            format!(
                "{name}the bin's gap is {}, the mean over its {} rows {}; {} of them have a larger error than the gap",
                format::points_size(series.gap),
                format::count(series.n),
                format::points_size(series.mean),
                format::percent(1.0 - share_at(series, series.gap)),
            )
        })
        .collect();
    format!(
        "Distribution of the {} in {}: {}.",
        chart.value_name,
        chart.rows_of,
        parts.join("; ")
    )
}

fn caption(chart: &CdfChart) -> String {
    if chart.caption.is_empty() {
        format!(
            "{}. Share of rows whose {} is at most the value below. Dashed upright line: the gap of the bin, \
             which is what a reliability diagram shows for all of them; dotted: their mean.",
            chart.rows_of, chart.value_name
        )
    } else {
        chart.caption.clone()
    }
}

fn table(chart: &CdfChart) -> TextTable {
    let mut titles = vec!["share of rows".to_string()];
    titles.extend(chart.series.iter().map(|s| format!("#{}, points", s.name)));
    let mut table = TextTable::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let mut row = |head: String, value: &dyn Fn(&CdfSeries) -> f64| {
        let cells = chart
            .series
            .iter()
            .map(|s| format::significant(value(s) * 100.0));
        table
            .rows
            .push(std::iter::once(head).chain(cells).collect());
    };
    for share in [0.1, 0.25, 0.5, 0.75, 0.9, 1.0] {
        row(format!("{}\u{a0}% at most", (share * 100.0) as u32), &|s| {
            quantile(s, share)
        });
    }
    row("mean".into(), &|s| s.mean);
    row("gap of the bin".into(), &|s| s.gap);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_the_empirical_distribution() {
        let all = steps(&[0.3, -0.1, 0.2, 0.2, f64::NAN], 100);
        assert_eq!(all, [(0.1, 0.25), (0.2, 0.75), (0.3, 1.0)]);
        let many: Vec<f64> = (1..=1000).map(f64::from).collect();
        let few = steps(&many, 50);
        assert!(few.len() <= 51);
        assert_eq!(few.last(), Some(&(1000.0, 1.0)));
        // Thinned steps still lie on the true function.
        assert!(few.iter().all(|&(v, s)| (v / 1000.0 - s).abs() < 1e-12));
        assert!(steps(&[], 10).is_empty());
    }

    #[test]
    fn quantiles_and_shares_agree() {
        let series = CdfSeries {
            name: "before".into(),
            steps: steps(&[0.01, 0.02, 0.03, 0.04], 10),
            mean: 0.025,
            gap: 0.02,
            n: 4,
        };
        assert_eq!(share_at(&series, 0.02), 0.5);
        assert_eq!(quantile(&series, 0.5), 0.02);
        assert_eq!(quantile(&series, 0.51), 0.03);
        assert_eq!(share_at(&series, 0.001), 0.0);
    }
}
