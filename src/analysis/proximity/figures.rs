//! The charts of proximity.

use super::{MethodProximity, RowsWithProximity};
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::evaluation::method::after_another;
use crate::evaluation::method::title;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::num::order;
use crate::num::proportion::wilson_interval;
use crate::plot::bars::BarChart;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::figure::{Dash, Symbol};
use crate::plot::palette::Ink;
use crate::plot::scatter::{ScatterAxis, ScatterChart, ScatterPoint, ScatterSeries};
use crate::recalibrate::recalibrator::Place;
use crate::report::sheet::only_first;
use crate::words::text::counted;

/// Groups by proximity in the charts of one method.
const GROUPS: usize = 5;
/// Groups by proximity where the course is what counts.
const FINE: usize = 10;
/// Score bins of each group.
const BINS: usize = 8;
/// Lines that a chart can hold.
const MOST_LINES: usize = 6;

/// Sums over some rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    s: f64,
    t: f64,
}

impl Sums {
    fn add(&mut self, s: f64, t: u8) {
        self.n += 1.0;
        self.s += s;
        self.t += f64::from(t);
    }

    /// Share that happened against `x`, in per cent, with its Wilson interval.
    fn point(&self, x: f64) -> ScatterPoint {
        let (low, high) = wilson_interval(self.t, self.n);
        ScatterPoint {
            x,
            y: 100.0 * self.t / self.n,
            interval: Some((100.0 * low, 100.0 * high)),
            note: counted(self.n as u64, "row"),
            ..ScatterPoint::default()
        }
    }
}

fn ranked(values: &[f64], parts: usize) -> Result<Vec<u32>> {
    let bins = BinOptions::equal_width(parts).with_scheme(BinScheme::EqualMassRank);
    Ok(bins.binning(values)?.assignment)
}

fn observed_label(view: View) -> &'static str {
    match view {
        View::TopLabel => "accuracy, %",
        View::Positive => "observed, %",
    }
}

pub(super) fn predicted_label(view: View) -> &'static str {
    match view {
        View::TopLabel => "mean confidence, %",
        View::Positive => "mean predicted probability, %",
    }
}

/// Reliability of the nearest and of the farthest fifth of the rows.
pub(super) fn reliability(view: View, one: &RowsWithProximity) -> Result<Chart> {
    let (s, t) = (&one.rows.score, &one.rows.target);
    let group = ranked(&one.ln_d, GROUPS)?;
    let sides = [
        ("typical rows (highest fifth of proximity)", GROUPS as u32 - 1, Ink::Before, Symbol::Circle, Dash::Solid),
        ("isolated rows (lowest fifth)", 0, Ink::Category(2), Symbol::Diamond, Dash::Dashed),
    ];
    let mut series = Vec::new();
    for (k, (name, wanted, ink, symbol, dash)) in sides.into_iter().enumerate() {
        let rows: Vec<usize> = (0..s.len()).filter(|&i| group[i] == wanted).collect();
        let scores: Vec<f64> = rows.iter().map(|&i| s[i]).collect();
        let mut bins = [Sums::default(); BINS];
        if !scores.is_empty() {
            for (&i, bin) in rows.iter().zip(ranked(&scores, BINS)?) {
                bins[bin as usize].add(s[i], t[i]);
            }
        }
        let points = bins.iter().filter(|bin| bin.n > 0.0);
        let points = points.map(|bin| bin.point(100.0 * bin.s / bin.n)).collect();
        let one = ScatterSeries::new(name, k, points);
        series.push(ScatterSeries { ink, symbol, ..one }.joined(dash));
    }
    Ok(Chart::new(
        ScatterChart {
            series,
            x: ScatterAxis {
                ends: Some((if view == View::TopLabel { low_end(s) } else { 0.0 }, 100.0)),
                ..ScatterAxis::new(predicted_label(view))
            },
            y: ScatterAxis { ends: Some((0.0, 100.0)), ..ScatterAxis::new(observed_label(view)) },
            diagonal: true,
            title: "Typical and isolated rows".to_owned(),
            caption: format!(
                "{}. Bins of equal size by score within the fifths of rows with the highest and the lowest \
                 proximity; bars: pointwise 95% intervals. Dashed: perfect calibration.",
                one.rows.title()
            ),
        },
        ChartWidth::Half,
    ))
}

/// A round number below the lowest score, in per cent.
fn low_end(s: &[f64]) -> f64 {
    let lowest = s.iter().copied().fold(1.0, f64::min);
    ((10.0 * lowest).floor() * 10.0).clamp(0.0, 90.0)
}

/// The observed rate and the mean score of each method, from the farthest rows to the nearest.
pub(super) fn by_proximity(view: View, methods: &[RowsWithProximity]) -> Result<Chart> {
    let (predicted, observed) = match view {
        View::TopLabel => ("confidence", "accuracy"),
        View::Positive => ("predicted", "observed"),
    };
    let mut series: Vec<ScatterSeries> = Vec::new();
    for (k, one) in methods.iter().take(MOST_LINES).enumerate() {
        let group = ranked(&one.ln_d, FINE)?;
        let mut sums = [Sums::default(); FINE];
        let rows = one.rows.score.iter().zip(one.rows.target.iter());
        for ((&s, &t), &g) in rows.zip(&group) {
            sums[g as usize].add(s, t);
        }
        let place = |g: usize| 100.0 * (g as f64 + 0.5) / FINE as f64;
        let known = || sums.iter().enumerate().filter(|(_, sum)| sum.n > 0.0);
        if k == 0 {
            let points = known().map(|(g, sum)| sum.point(place(g))).collect();
            let line = ScatterSeries::new(observed, 0, points);
            series.push(ScatterSeries { ink: Ink::Ink, ..line }.joined(Dash::Solid));
        }
        let points = known().map(|(g, sum)| ScatterPoint {
            x: place(g),
            y: 100.0 * sum.s / sum.n,
            note: counted(sum.n as u64, "row"),
            ..ScatterPoint::default()
        });
        let name = format!("{}, {predicted}", one.rows.title());
        let line = ScatterSeries::new(name, k + 1, points.collect());
        series.push(line.joined(if k == 0 { Dash::Dashed } else { Dash::Dotted }));
    }
    Ok(Chart::new(
        ScatterChart {
            series,
            x: ScatterAxis {
                ends: Some((0.0, 100.0)),
                ..ScatterAxis::new("rows by proximity, most isolated first, %")
            },
            y: ScatterAxis::new("%"),
            title: "From isolated to typical rows".to_owned(),
            caption: [
                "Tenths of the rows by proximity: observed proportion with its pointwise 95% interval, and the mean \
             score of each method. Scores above the solid line are overestimated."
                    .to_owned(),
            ]
            .into_iter()
            .chain(only_first(MOST_LINES, methods.len(), "methods"))
            .collect::<Vec<_>>()
            .join(" "),
            ..ScatterChart::default()
        },
        ChartWidth::Half,
    ))
}

/// Outcomes by proximity, for each value of a column.
pub(super) fn by_group(data: &Predictions, one: &RowsWithProximity, column: &str) -> Result<Chart> {
    let groups = grouping(data, &[column.to_owned()], QUANTILES)?;
    let near = ranked(&one.ln_d, GROUPS)?;
    let mut sums = vec![[Sums::default(); GROUPS]; groups.names.len()];
    let rows = one.rows.rows.iter().zip(one.rows.score.iter().zip(one.rows.target.iter()));
    for ((&row, (&s, &t)), &g) in rows.zip(&near) {
        let code = groups.code.get(row as usize).copied().unwrap_or(u32::MAX);
        if let Some(sums) = sums.get_mut(code as usize) {
            sums[g as usize].add(s, t);
        }
    }
    let size = |sums: &[Sums; GROUPS]| sums.iter().map(|sum| sum.n).sum::<f64>();
    let mut order: Vec<usize> = (0..sums.len()).filter(|&g| size(&sums[g]) > 0.0).collect();
    order::sort(&mut order, &|&a, &b| size(&sums[b]).total_cmp(&size(&sums[a])));
    let left_out = order.len().saturating_sub(MOST_LINES);
    order.truncate(MOST_LINES);
    let series = order.iter().enumerate().map(|(k, &g)| {
        let known = sums[g].iter().enumerate().filter(|(_, sum)| sum.n > 0.0);
        let place = |h: usize| 100.0 * (h as f64 + 0.5) / GROUPS as f64;
        let points = known.map(|(h, sum)| sum.point(place(h))).collect();
        ScatterSeries::new(groups.names[g].clone(), k, points).joined(Dash::Solid)
    });
    let rest = if left_out > 0 {
        format!(" Shown: the {MOST_LINES} largest groups; {left_out} smaller ones are omitted.")
    } else {
        String::new()
    };
    Ok(Chart::new(
        ScatterChart {
            series: series.collect(),
            x: ScatterAxis {
                ends: Some((0.0, 100.0)),
                ..ScatterAxis::new("rows by proximity, most isolated first, %")
            },
            y: ScatterAxis::new(observed_label(data.view)),
            title: format!("{} by proximity", groups.title),
            caption: format!("Fifths of all rows by proximity; bars: pointwise 95% intervals.{rest}"),
            ..ScatterChart::default()
        },
        ChartWidth::UpTo { usual: 640.0, most: 640.0 },
    ))
}

/// PIECE of methods, and of the same methods with a method of proximity after them.
pub(super) fn plug_ins(rows: &[RowsWithProximity], found: &[MethodProximity]) -> Option<Chart> {
    let of = |base: &str, then: Option<&str>| {
        let id = then.map_or_else(|| base.to_owned(), |then| format!("{base}+{then}"));
        let mut methods = rows.iter().zip(found);
        methods.find(|(one, _)| one.rows.method.kind.id() == id).map(|(_, found)| 100.0 * found.piece)
    };
    const INKS: [u8; 3] = [3, 1, 5];
    let after = after_another().filter_map(|entry| match entry.place {
        Place::After { chart, .. } => Some((entry.id, chart)),
        Place::Anywhere | Place::First | Place::Untouched => None,
    });
    let after: Vec<_> = after.zip(INKS.into_iter().cycle()).collect();
    let mut bases: Vec<String> = Vec::new();
    for one in rows {
        let kind = &one.rows.method.kind;
        let Some(base) = kind.base().filter(|_| matches!(kind.last().place, Place::After { .. })) else { continue };
        if !bases.contains(&base.id().to_string()) {
            bases.push(base.id().into_owned());
        }
    }
    if bases.is_empty() {
        return None;
    }
    let used: Vec<_> =
        after.iter().filter(|((id, _), _)| bases.iter().any(|base| of(base, Some(id)).is_some())).collect();
    let mut series = vec![("alone".to_owned(), Ink::Before)];
    series.extend(used.iter().map(|((_, words), ink)| ((*words).to_owned(), Ink::Category(*ink))));
    let groups = bases.into_iter().map(|base| {
        let mut values = vec![of(&base, None)];
        values.extend(used.iter().map(|((id, _), _)| of(&base, Some(id))));
        (base, values)
    });
    Some(Chart::new(
        BarChart {
            series,
            groups: groups.collect(),
            value_name: "PIECE, pp".to_owned(),
            title: "Gain from proximity-informed methods".to_owned(),
            caption: "PIECE of each method alone and followed by a proximity-informed method; lower is better."
                .to_owned(),
        },
        ChartWidth::Half,
    ))
}

/// PIECE against ECE, a point a method.
pub(super) fn against_ece(found: &[MethodProximity]) -> Option<Chart> {
    if found.len() < 2 {
        return None;
    }
    let points = found.iter().map(|method| ScatterPoint {
        name: title(&method.method).into_owned(),
        x: 100.0 * method.ece,
        y: 100.0 * method.piece,
        note: method
            .bias_index
            .map_or_else(String::new, |index| format!("proximity bias {}", crate::words::number::points(index))),
        ..ScatterPoint::default()
    });
    let most = found.iter().map(|method| 100.0 * method.piece).fold(0.0, f64::max);
    let ends = Some((0.0, if most > 0.0 { 1.08 * most } else { 1.0 }));
    Some(Chart::new(
        ScatterChart {
            series: vec![ScatterSeries { ink: Ink::Before, ..ScatterSeries::new("", 0, points.collect()) }],
            x: ScatterAxis { ends, ..ScatterAxis::new("ECE in the same score bins, pp") },
            y: ScatterAxis { ends, ..ScatterAxis::new("PIECE, pp") },
            diagonal: true,
            title: "ECE and PIECE".to_owned(),
            caption: "One point per method. The height above the dashed line is error that appears only when rows are \
                 also divided by proximity; it includes noise."
                .to_owned(),
        },
        ChartWidth::Half,
    ))
}
