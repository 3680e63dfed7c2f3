//! What an experiment draws: quantities against a setting that varies, means beside each other, mean ranks.

use super::cell::Level;
use super::comparisons::{DifferenceVerdict, Over};
use super::grid::over_divisions;
use super::measure::Measure;
use super::outline::{Column, Outline, Settings, Variant, settings_words, symbol};
use super::ranks::{Ranking, Ranks};
use super::summary::ComparedColumn;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::critical_difference::RankChart;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::plot::palette::Ink;
use crate::report::sheet::Block;
use crate::words::number::{count, fixed};

/// Charts of one kind that are drawn.
const DRAWN: usize = 24;
/// Lines of one chart.
const LINES: usize = 12;
/// Letters of a name in a chart of half the width.
const HALF_NAME: usize = 26;
/// Methods beside each other in one chart.
const BESIDE: usize = 40;
const DASHES: [Dash; 3] = [Dash::Solid, Dash::Dashed, Dash::Dotted];

/// Every chart that there is something for.
pub fn figures(outline: &Outline, compared: &[ComparedColumn], ranking: &Ranking) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut heading = |words: &str, charts: Vec<Chart>| {
        if charts.is_empty() {
            return;
        }
        let all = charts.len();
        blocks.push(Block::Heading(words.to_owned()));
        blocks.push(Block::Charts(charts.into_iter().take(DRAWN).collect()));
        let more = (all > DRAWN).then(|| format!("Shown: the first {DRAWN} of {} charts.", count(all as u64)));
        blocks.extend(more.map(Block::Note));
    };
    heading("Mean ranks over data sets", ranking.ranks.iter().filter_map(rank_chart).collect());
    for setting in turned(outline) {
        heading(&format!("By {}", symbol(&setting)), against(&setting, outline, compared));
    }
    if outline.data.len() < 2 {
        heading("Comparison", compared.iter().filter_map(beside).collect());
    }
    blocks
}

/// Settings that take several numbers.
fn turned(outline: &Outline) -> Vec<String> {
    let mut levels: Vec<(String, Vec<f64>)> = Vec::new();
    for (name, level) in outline.cells.iter().flat_map(|cell| &cell.at) {
        let Level::Number(level) = level else { continue };
        match levels.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) if all.contains(level) => {}
            Some((_, all)) => all.push(*level),
            None => levels.push((name.clone(), vec![*level])),
        }
    }
    levels.into_iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name).collect()
}

/// One method, other settings held.
struct Line {
    variant: Variant,
    /// level, mean, standard deviation
    points: Vec<(f64, f64, Option<f64>)>,
    /// mean of a method without the setting
    flat: Option<f64>,
}

/// One quantity in one place, other settings of where it looks held.
struct Place<'a> {
    column: &'a Column,
    at: Settings,
    lines: Vec<Line>,
}

fn without(at: &Settings, setting: &str) -> Settings {
    at.iter().filter(|(name, _)| *name != setting).map(|(name, level)| (name.clone(), level.clone())).collect()
}

fn number(at: &Settings, setting: &str) -> Option<f64> {
    match at.get(setting) {
        Some(Level::Number(level)) => Some(*level),
        _ => None,
    }
}

/// A chart a quantity, space and data set: its mean against the setting, a line a method.
fn against(setting: &str, outline: &Outline, compared: &[ComparedColumn]) -> Vec<Chart> {
    let mut places: Vec<Place> = Vec::new();
    for one in compared {
        let column = one.column;
        let at = without(&column.at, setting);
        let same = |place: &Place| {
            let other = place.column;
            place.at == at
                && (&other.data, &other.space, other.measure) == (&column.data, &column.space, column.measure)
        };
        let found = match places.iter().position(same) {
            Some(found) => found,
            None => {
                places.push(Place { column, at, lines: Vec::new() });
                places.len() - 1
            }
        };
        let Some(place) = places.get_mut(found) else { continue };
        for (series, summary) in column.series.iter().zip(&one.summary) {
            let Some(mean) = summary.mean else { continue };
            let variant = Variant { method: series.variant.method.clone(), at: without(&series.variant.at, setting) };
            let level = number(&column.at, setting).or_else(|| number(&series.variant.at, setting));
            let line = match place.lines.iter().position(|line| line.variant == variant) {
                Some(line) => line,
                None => {
                    place.lines.push(Line { variant, points: Vec::new(), flat: None });
                    place.lines.len() - 1
                }
            };
            let Some(line) = place.lines.get_mut(line) else { continue };
            match level {
                Some(level) => line.points.push((level, mean, summary.sd)),
                None => line.flat = Some(mean),
            }
        }
    }
    let places: Vec<Place> =
        places.into_iter().filter(|place| place.lines.iter().any(|line| line.points.len() > 1)).collect();
    let room = if places.len() > 1 { ChartWidth::Half } else { ChartWidth::UpTo { usual: 720.0, most: 900.0 } };
    places.iter().map(|place| Chart::new(curve_chart(setting, place, outline), room)).collect()
}

fn curve_chart(setting: &str, place: &Place, outline: &Outline) -> CurveChart {
    let measure = place.column.measure;
    let scaled = |v: f64| v * measure.factor;
    let levels = || place.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let (least, most) = (levels().fold(f64::INFINITY, f64::min), levels().fold(f64::NEG_INFINITY, f64::max));
    let order = |variant: &Variant| {
        let of = |one: &Variant| one.method == variant.method && without(&one.at, setting) == variant.at;
        outline.variants.iter().position(of).unwrap_or(usize::MAX)
    };
    let mut lines: Vec<&Line> = place.lines.iter().collect();
    crate::num::order::sort(&mut lines, &|a, b| order(&a.variant).cmp(&order(&b.variant)));
    let all = lines.len();
    let curve = |(k, line): (usize, &&Line)| {
        let mut points: Vec<(f64, f64, Option<f64>)> = line.points.clone();
        crate::num::order::sort(&mut points, &|a, b| a.0.total_cmp(&b.0));
        let flat = line.flat.filter(|_| points.is_empty());
        let band = points.iter().filter_map(|(x, mean, sd)| Some((*x, scaled(mean - (*sd)?), scaled(mean + (*sd)?))));
        Curve {
            name: line.variant.label(),
            band: band.collect(),
            points: match flat {
                Some(mean) => vec![(least, scaled(mean)), (most, scaled(mean))],
                None => points.iter().map(|(x, mean, _)| (*x, scaled(*mean))).collect(),
            },
            ink: Ink::Category((k % 8) as u8),
            dash: if flat.is_some() { Dash::Dotted } else { DASHES.get(k / 8).copied().unwrap_or_default() },
            name_at: None,
        }
    };
    let curves: Vec<Curve> = lines.iter().take(LINES).enumerate().map(curve).collect();
    let spread = if place.column.divisions.len() > 1 { "; bands: ± one standard deviation" } else { "" };
    let flat = if curves.iter().any(|curve| curve.dash == Dash::Dotted) {
        " Dotted: methods without the setting."
    } else {
        ""
    };
    let rest = if all > LINES { format!(" Shown: the first {LINES} of {all} methods.") } else { String::new() };
    let mean = if place.column.divisions.len() > 1 { "Mean" } else { "Value" };
    CurveChart {
        log_x: by_ratio(levels()),
        y_range: range(&curves),
        x_name: symbol(setting).to_owned(),
        y_name: measure.head(),
        marked: None,
        title: title(place.column, &place.at),
        caption: format!("{mean} {}{spread}.{flat}{rest}", over_divisions(place.column)),
        curves,
    }
}

fn title(column: &Column, at: &Settings) -> String {
    let more = column
        .space
        .iter()
        .cloned()
        .chain((!at.is_empty()).then(|| settings_words(at)))
        .chain(column.data.iter().cloned());
    std::iter::once(column.measure.name.to_owned()).chain(more).collect::<Vec<_>>().join(", ")
}

/// Whether numbers are spaced by ratios rather than by differences.
fn by_ratio(levels: impl Iterator<Item = f64>) -> bool {
    let mut levels: Vec<f64> = levels.collect();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    if levels.len() < 3 || levels.iter().any(|level| *level <= 0.0) {
        return false;
    }
    // the widest step against the narrowest one
    let uneven = |step: &dyn Fn(f64, f64) -> f64| {
        let steps = || levels.windows(2).filter_map(|pair| Some(step(*pair.first()?, *pair.last()?)));
        steps().fold(0.0, f64::max) / steps().fold(f64::INFINITY, f64::min)
    };
    uneven(&|a, b| (b / a).ln()) < uneven(&|a, b| b - a)
}

/// Ends of the vertical axis: from zero where that costs little room, else what lines and bands need.
fn range(curves: &[Curve]) -> Option<(f64, f64)> {
    let lines = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let bands = curves.iter().flat_map(|curve| curve.band.iter().flat_map(|band| [band.1, band.2]));
    let values: Vec<f64> = lines.chain(bands).filter(|v| v.is_finite()).collect();
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let room = match high - low {
        0.0 if high == 0.0 => 1.0,
        0.0 => 0.05 * high.abs(),
        span => 0.06 * span,
    };
    match low >= 0.0 && low < 0.4 * high {
        true => Some((0.0, high + room)),
        false => Some((low - room, high + room)),
    }
}

/// Means of every method by one quantity, one under the other; none where the quantity depends on a setting that varies, where there is
/// one method, and where there are very many.
fn beside(compared: &ComparedColumn) -> Option<Chart> {
    let column = compared.column;
    let measure: Measure = column.measure;
    let swept = !column.at.is_empty() || column.series.iter().any(|series| !series.variant.at.is_empty());
    let known = compared.summary.iter().filter(|one| one.mean.is_some()).count();
    if swept || !(2..=BESIDE).contains(&known) {
        return None;
    }
    let rows = column.series.iter().zip(&compared.summary).enumerate().filter_map(|(place, (series, summary))| {
        let mean = summary.mean?;
        let end = |side: f64| summary.sd.map_or(f64::NAN, |sd| measure.factor * (mean + side * sd));
        let verdict = compared.to_best(place).and_then(|one| one.verdict);
        let standing = match (summary.best, verdict) {
            (true, _) => "the best".to_owned(),
            (_, Some(DifferenceVerdict::Worse)) => "significantly worse than the best".to_owned(),
            (_, Some(_)) => "not significantly different from the best".to_owned(),
            (_, None) => String::new(),
        };
        Some(IntervalRow {
            name: series.variant.label(),
            value: measure.factor * mean,
            low: end(-1.0),
            high: end(1.0),
            together: None,
            faint: verdict == Some(DifferenceVerdict::Worse),
            more: std::iter::once(standing).filter(|words| !words.is_empty()).collect(),
        })
    });
    let rows: Vec<IntervalRow> = rows.collect();
    let hollow = if rows.iter().any(|row| row.faint) { " Hollow: significantly worse than the best." } else { "" };
    let what = if column.divisions.len() > 1 { "Mean ± one standard deviation" } else { "Value" };
    let chart = IntervalChart {
        rows,
        value_name: measure.head(),
        counted: Counted::Plain,
        signed: false,
        compares: false,
        title: title(column, &column.at),
        caption: format!("{what} {}.{hollow}", over_divisions(column)),
    };
    // long names want the width of the page
    let long = chart.rows.iter().any(|row| row.name.chars().count() > HALF_NAME);
    Some(Chart::new(chart, if long { ChartWidth::UpTo { usual: 720.0, most: 900.0 } } else { ChartWidth::Half }))
}

/// The critical-difference diagram; none where ranks are not tested.
fn rank_chart(ranks: &Ranks) -> Option<Chart> {
    let measure = Measure::of(&ranks.metric)?;
    let critical_difference = ranks.critical_difference.filter(|_| ranks.over == Over::DataSets)?;
    let test = ranks.friedman?;
    let more = ranks.space.iter().cloned().chain((!ranks.at.is_empty()).then(|| settings_words(&ranks.at)));
    let title = std::iter::once(measure.name.to_owned()).chain(more).collect::<Vec<_>>().join(", ");
    let unclear = if ranks.differ() { "" } else { " The test finds no significant difference among the methods." };
    let chart = RankChart {
        methods: ranks.methods.iter().map(|one| (one.variant().label(), one.rank)).collect(),
        critical_difference,
        together: ranks.together(),
        title,
        caption: format!(
            "Mean ranks over {} data sets, 1 the best. Bars join methods that are not significantly different at .05 (Nemenyi). \
             Friedman’s test: χ² = {}, F = {}.{unclear}",
            count(ranks.n as u64),
            fixed(test.chi2, 2),
            test.f.map_or_else(|| "∞".to_owned(), |f| fixed(f, 2)),
        ),
    };
    Some(Chart::new(chart, ChartWidth::UpTo { usual: 720.0, most: 900.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_as_values_are_spaced() {
        assert!(by_ratio([0.1, 0.2, 0.4, 0.8].into_iter()));
        assert!(by_ratio([1.0, 10.0, 100.0].into_iter()));
        assert!(!by_ratio([5.0, 10.0, 15.0, 20.0].into_iter()));
        assert!(!by_ratio([0.0, 0.1, 1.0].into_iter()));
        assert!(!by_ratio([1.0, 10.0].into_iter()));
    }
}
