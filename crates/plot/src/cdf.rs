//! How the local error is spread over the rows of a bin: its cumulative distribution.
//!
//! The bin's own gap is one number for all its rows; the curve shows how many rows do worse than that.

use serde::{Deserialize, Serialize};

use super::figure::{Anchor, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, Text};
use super::palette::Ink;
use super::place::{Obstacles, text_box};
use super::scale::{Scale, Tick};
use super::table::TextTable;
use super::text;
use crate::num::order::sort_short;
use crate::words::number;

/// Cumulative distributions of the local error in one bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CdfChart {
    /// one; two: before and after recalibration; or three: all rows, the best and the worst bin
    pub series: Vec<CdfSeries>,
    /// title of the horizontal axis without its unit, such as "local calibration error"
    pub value_name: String,
    /// which rows, such as "the rows of bin 0.80–0.87"
    pub rows_of: String,
    /// the finding, in one line
    pub title: String,
    /// the method; a sentence is made up if empty
    pub caption: String,
}

/// One distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    let mut sizes: Vec<f64> = values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).collect();
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

/// The chart as a figure of `width` CSS pixels, at least 240.
pub fn cdf(chart: &CdfChart, width: f64) -> Figure {
    let width = width.max(240.0);
    let gaps = leaders(chart);
    let top = 4.0 + ROW * gaps.len() as f64;
    let side = (0.56 * width).clamp(150.0, 260.0).round();
    let rect = Rect::new(58.0, top, width - 74.0, side);
    let far = far(chart) * 100.0;
    let x = Scale::linear(0.0, far);
    let shares = (0..=4).map(|i| {
        let label = format!("{}%", i * 25);
        Tick::new(f64::from(i) / 4.0, label)
    });
    let title = format!("{}, pp", chart.value_name);
    let ticks = x.ticks_across(rect.width);
    let mut panel = Panel {
        rect,
        x: Axis { grid: false, ..Axis::titled(x, title, ticks) },
        y: Axis::titled(Scale::UNIT, "rows at or below", shares.collect()),
        marks: Vec::new(),
    };
    for (k, series) in chart.series.iter().enumerate() {
        panel.marks.push(Mark::Line {
            points: stairs(&series.steps, far),
            ink: ink(k),
            width: 2.0,
            dash: if k == 1 { Dash::Dashed } else { Dash::Solid },
        });
    }
    let mut overlay = Vec::new();
    for (row, &(k, gap)) in gaps.iter().enumerate() {
        gap_line(chart, &panel, k, gap, row, &mut overlay);
    }
    let means = chart.series.iter().enumerate().filter_map(mean_point);
    panel.marks.push(Mark::Points { points: means.collect() });
    name_means(chart, &mut panel, &gaps);
    let height = rect.bottom() + 46.0;
    Figure {
        width,
        height,
        title: chart.title.clone(),
        caption: caption(chart),
        alt: alt(chart),
        panels: vec![Panel::overlay(width, height, overlay), panel],
        table: table(chart),
    }
    .with_whole_titles()
}

/// Height of a line of words above the panel.
const ROW: f64 = 19.0;

/// The gaps to be drawn, (series, gap), in the order of their labels from the top: leftmost first, so that no
/// leader crosses a label.
fn leaders(chart: &CdfChart) -> Vec<(usize, f64)> {
    let gaps = chart.series.iter().map(|s| s.gap).enumerate();
    let mut gaps: Vec<(usize, f64)> = gaps.filter(|g| g.1.is_finite()).collect();
    sort_short(&mut gaps, |a, b| a.1 < b.1);
    gaps
}

/// Where the axis ends: at the largest error, unless one row in a hundred would take a third of the width.
fn far(chart: &CdfChart) -> f64 {
    let largest = |s: &CdfSeries| s.steps.last().map_or(0.0, |step| step.0);
    let most = chart.series.iter().map(largest).fold(0.0, f64::max);
    let usual = chart.series.iter().map(|s| quantile(s, 0.99));
    let usual = usual.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let named = chart.series.iter().flat_map(|s| [s.gap, s.mean]);
    let named = named.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let end = if most > 1.5 * usual { usual } else { most };
    match 1.04 * end.max(named) {
        end if end > 0.0 => end,
        _ => 0.01,
    }
}

/// The dashed line at a bin's gap, with its name above the panel.
fn gap_line(chart: &CdfChart, panel: &Panel, k: usize, gap: f64, row: usize, overlay: &mut Vec<Mark>) {
    let (x, bottom) = panel.place(gap * 100.0, 0.0);
    // Beside the line there is room on one of two sides; where neither holds the whole, a shorter form does.
    let widest = (panel.rect.right() + 12.0 - x).max(x - 6.0);
    let mut forms = gap_words(chart, k, gap).into_iter();
    let mut words = forms.next().unwrap_or_default();
    for shorter in forms {
        if text::width(&words, text::SMALL) + 6.0 > widest {
            words = shorter;
        }
    }
    let y = ROW * (row as f64 + 0.5);
    overlay.push(Mark::Line { points: vec![(x, bottom), (x, y - 6.0)], ink: ink(k), width: 1.0, dash: Dash::Dashed });
    let (edge, wide) = (panel.rect.right() + 12.0, text::width(&words, text::SMALL) + 6.0);
    // across the line where no side holds it
    let (dx, anchor) = if wide <= edge - x {
        (6.0, Anchor::Start)
    } else if wide <= x {
        (-6.0, Anchor::End)
    } else {
        (edge - x, Anchor::End)
    };
    overlay.push(Mark::Text(Text::new(x, y, words).ink(ink(k)).anchor(anchor).shifted(dx, 0.0).with_halo()));
}

/// What stands at the gap of a series, the longest form first. With three series the mean stands there too: inside the
/// panel three names cannot be close to their own curve and apart from each other.
fn gap_words(chart: &CdfChart, k: usize, gap: f64) -> Vec<String> {
    let size = number::points_size(gap);
    let Some(series) = chart.series.get(k) else {
        return Vec::new();
    };
    let name = &series.name;
    match chart.series.len() {
        1 => vec![format!("mean error of the bin: {size}"), format!("bin: {size}")],
        2 => vec![format!("{name}: mean error of its bin {size}"), format!("{name}: bin {size}")],
        _ => {
            let short = name.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let bare = size.split('\u{a0}').next().unwrap_or_default();
            let both = format!("bin {bare}, mean {}", number::points_size(series.mean));
            vec![format!("{name}: {both}"), format!("{short}: {both}"), format!("{short}: bin {size}")]
        }
    }
}

/// The mean as a point on its own curve.
fn mean_point((k, series): (usize, &CdfSeries)) -> Option<Point> {
    series.mean.is_finite().then(|| Point {
        x: series.mean * 100.0,
        y: share_at(series, series.mean),
        radius: 4.5,
        symbol: if k == 0 { Symbol::Circle } else { Symbol::Diamond },
        ink: ink(k),
        filled: k == 0,
        index: k as u32,
        hover: vec![
            format!("{}, {} rows", series.name, number::count(series.n)),
            format!("mean {}", number::points_size(series.mean)),
            format!("mean error of the bin {}", number::points_size(series.gap)),
        ],
    })
}

fn ink(k: usize) -> Ink {
    match k {
        0 => Ink::Before,
        1 => Ink::After,
        _ => Ink::Accent,
    }
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
    points.push((far.max(points.last().map_or(0.0, |p| p.0)), share));
    points
}

/// Names beside the means, where they cover least.
fn name_means(chart: &CdfChart, panel: &mut Panel, gaps: &[(usize, f64)]) {
    let mut taken = Obstacles::default();
    for mark in &panel.marks {
        if let Mark::Line { points, .. } = mark {
            let line: Vec<_> = points.iter().map(|&(x, y)| panel.place(x, y)).collect();
            taken.add_line(&line);
        }
    }
    for &(_, gap) in gaps {
        taken.add_line(&[panel.place(gap * 100.0, 0.0), panel.place(gap * 100.0, 1.0)]);
    }
    for (k, series) in chart.series.iter().enumerate() {
        if !series.mean.is_finite() {
            continue;
        }
        let (x, y) = (series.mean * 100.0, share_at(series, series.mean));
        let (px, py) = panel.place(x, y);
        let size = number::points_size(series.mean);
        let words = match chart.series.len() {
            1 => format!("mean: {size}"),
            2 => format!("{}: mean {size}", series.name),
            _ => return, // they stand at the gaps
        };
        let offsets = [8.0, 14.0, 22.0, 32.0, -10.0, 44.0];
        let candidates: Vec<_> = offsets
            .into_iter()
            .flat_map(|dy| {
                let right = [10.0, 34.0, 58.0].map(|dx| (dx, dy, Anchor::Start));
                [right.as_slice(), &[(-10.0, dy, Anchor::End)]].concat()
            })
            .map(|choice @ (dx, dy, anchor)| {
                let area = text_box(&words, text::SMALL, (px + dx, py + dy), anchor);
                (area, choice)
            })
            .collect();
        if let Some((dx, dy, anchor)) = taken.settle(&candidates, &panel.rect) {
            panel.marks.push(Mark::Text(Text::new(x, y, words).ink(ink(k)).anchor(anchor).shifted(dx, dy).with_halo()));
        }
    }
}

/// Share of rows with an error at or below `value`.
fn share_at(series: &CdfSeries, value: f64) -> f64 {
    series.steps.iter().take_while(|step| step.0 <= value).last().map_or(0.0, |step| step.1)
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
            let name = if chart.series.len() > 1 { format!("{}: ", series.name) } else { String::new() };
            format!(
                "{name}mean error of the bin {}, mean local error over its {} rows {}; {} of them have a larger local error than the bin",
                number::points_size(series.gap),
                number::count(series.n),
                number::points_size(series.mean),
                number::percent(1.0 - share_at(series, series.gap)),
            )
        })
        .collect();
    format!("Distribution of the {} in {}: {}.", chart.value_name, chart.rows_of, parts.join("; "))
}

fn caption(chart: &CdfChart) -> String {
    let beyond = |s: &CdfSeries| s.steps.last().is_some_and(|step| step.0 > far(chart));
    let cut = if chart.series.iter().any(beyond) { ", cut at the 99th percentile" } else { "" };
    if chart.caption.is_empty() {
        format!(
            "Cumulative distribution of the {} in {}{cut}. Dashed: mean error of the bin, which is all a reliability diagram \
             shows.",
            chart.value_name, chart.rows_of
        )
    } else {
        chart.caption.clone()
    }
}

fn table(chart: &CdfChart) -> TextTable {
    let mut titles = vec!["proportion of rows".to_string()];
    titles.extend(chart.series.iter().map(|s| format!("#{}, pp", s.name)));
    let mut table = TextTable::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let mut row = |head: String, value: &dyn Fn(&CdfSeries) -> f64| {
        let cells = chart.series.iter().map(|s| number::significant(value(s) * 100.0));
        table.rows.push(std::iter::once(head).chain(cells).collect());
    };
    for share in [0.1, 0.25, 0.5, 0.75, 0.9, 1.0] {
        row(format!("{}%, at most", (share * 100.0) as u32), &|s| quantile(s, share));
    }
    row("mean".into(), &|s| s.mean);
    row("mean error of the bin".into(), &|s| s.gap);
    table
}

#[cfg(test)]
mod tests;
