//! The reliability diagram of one method, or of the predictions before and after recalibration.

use statrs::distribution::{Binomial, DiscreteCDF};
use std::borrow::Cow;

use super::method_rows;
use crate::data::{ClusterIds, Predictions, PresentClusters, View};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::curve::{Coverage, CurveKind, calibration_curve};
use crate::metric::reliability::ReliabilityBin;
use crate::metric::simultaneous::{Cells, Expected, critical, redraws};
use crate::num::outcome_correlation::Dependence;
use crate::num::weight::{RowWeights, weight};
use crate::plot::reliability::{
    Beyond, BinMark, FULL, Histogram, ReliabilityChart, ReliabilitySeries, fitted_axes, logit_axes, scale_of,
};
use crate::plot::scale::Scale;
use crate::report::disclosure::Audit;
use crate::report::small_cells::{enough, is_small, left_out};
use crate::report::view::request::{AxesChoice, BandChoice, ReliabilityRequest};
use crate::report::{MethodRows, RunOutcome};
use crate::words::number;

/// Bars of the histogram strip.
const STRIPS: usize = 100;

/// Scores that a diagram shows.
pub(crate) struct DiagramScores<'a> {
    /// of the series
    pub name: Cow<'a, str>,
    /// s
    pub score: &'a [f64],
    /// t
    pub target: &'a [u8],
    /// w
    pub weight: RowWeights<'a>,
    /// whether each weight is a number of rows
    pub counted: bool,
    /// clusters of dependent rows
    pub clusters: Option<&'a ClusterIds>,
    /// reliability table of both
    pub bins: &'a [ReliabilityBin],
    /// how the bins of the table are made
    pub binning: BinOptions,
}

impl<'a> DiagramScores<'a> {
    /// The rows of a method of a run.
    pub(crate) fn of(rows: &'a MethodRows, run: &RunOutcome) -> Self {
        Self {
            name: rows.title(),
            score: &rows.score,
            target: &rows.target,
            weight: rows.weights(),
            counted: rows.counted,
            clusters: Some(&rows.clusters),
            bins: &rows.bins,
            binning: run.report.settings.bins,
        }
    }

    /// What the bins of a calibrated model would show.
    fn expected(&self) -> Result<Expected> {
        let cells = Cells::of_bins(&self.binning.binning(self.score)?);
        let draws = redraws(self.score.len());
        if let Some(counts) = self.counts() {
            return Ok(Expected::of_counts(self.score, counts, &cells, draws));
        }
        let present = self.clusters.and_then(ClusterIds::present);
        let clusters = present.as_ref().map(PresentClusters::rows);
        let dependence = clusters.and_then(|clusters| Dependence::of(self.score, self.target, clusters));
        Ok(Expected::new(self.score, self.weight, dependence, &cells, draws))
    }

    /// How many rows each score stands for, where rows were counted elsewhere.
    fn counts(&self) -> Option<&'a [f64]> {
        self.weight.filter(|_| self.counted)
    }
}

/// The 95 % bands of the bins of a calibrated model: at each bin the range of its share.
pub(crate) struct ConsistencyBands {
    /// each bin by itself
    pointwise: Vec<(f64, f64)>,
    /// all bins of everything that is shown together
    simultaneous: Vec<(f64, f64)>,
}

/// The bands of every one of these, the simultaneous one over the bins of all.
///
/// # Errors
/// Those of the bins.
///
/// # Cost
/// That of [`Expected::new`] for each.
pub(crate) fn consistency_bands(shown: &[DiagramScores]) -> Result<Vec<ConsistencyBands>> {
    let expected: Vec<Expected> = shown.iter().map(DiagramScores::expected).collect::<Result<_>>()?;
    let critical = critical(&expected);
    let each = shown.iter().zip(&expected).map(|(shown, expected)| ConsistencyBands {
        pointwise: shown.bins.iter().map(|bin| consistency(bin, expected)).collect(),
        simultaneous: simultaneous(shown.bins, expected, critical).collect(),
    });
    Ok(each.collect())
}

/// At each bin the range of its share that holds all bins together.
pub(crate) fn simultaneous<'a>(
    bins: &'a [ReliabilityBin],
    expected: &'a Expected,
    critical: f64,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    bins.iter().map(move |bin| {
        // sums in another order differ in their last digits
        let half = critical * expected.error.get(bin.bin).copied().unwrap_or(0.0) + 1e-12;
        ((bin.mean_score - half).max(0.0), (bin.mean_score + half).min(1.0))
    })
}

/// The diagram of `none`, or of `none` and a method on one axis.
///
/// # Errors
/// `unknown_method` if it was not run; `too_few_rows` where all rows are fewer than may be shown.
pub fn chart(data: &Predictions, run: &RunOutcome, request: &ReliabilityRequest) -> Result<ReliabilityChart> {
    let mut shown = vec![DiagramScores::of(method_rows(run, None)?, run)];
    if let Some(after) = request.method.as_deref() {
        shown.push(DiagramScores::of(method_rows(run, Some(after))?, run));
    }
    let mut chart = diagram(data.view, &shown, request)?;
    if let Some(least) = request.suppress {
        enough(data.view, run, least)?;
        without_few(&mut chart, least);
        chart.caption = format!(
            "{} rows; bars below on a square-root scale. Bins and bars of fewer than {least} rows, with or without the outcome, \
             are withheld, as are those from which they could be derived, and the curve ends where they begin.",
            number::count(chart.n)
        );
    }
    Ok(chart)
}

/// What a diagram of these scores holds; the bands that are drawn and the histogram are those of the first.
///
/// # Errors
/// Those of the curves and of the bins.
pub(crate) fn diagram(view: View, shown: &[DiagramScores], request: &ReliabilityRequest) -> Result<ReliabilityChart> {
    let bands = consistency_bands(shown)?;
    let each = shown.iter().zip(&bands);
    let series: Result<Vec<_>> = each.map(|(one, bands)| series_of(one, Some(bands), request)).collect();
    Ok(over_axes(view, shown, series?, bands.first(), request, None))
}

/// One diagram each, all with the same axes; the simultaneous band holds the bins of all.
///
/// # Errors
/// Those of the curves and of the bins.
pub(crate) fn diagrams(
    view: View,
    shown: &[DiagramScores],
    request: &ReliabilityRequest,
) -> Result<Vec<ReliabilityChart>> {
    let bands = consistency_bands(shown)?;
    let each = shown.iter().zip(&bands);
    let series: Result<Vec<_>> = each.map(|(one, bands)| series_of(one, Some(bands), request)).collect();
    let series = series?;
    let ends =
        shown.iter().zip(&series).map(|(shown, series)| axes_of(shown.score, std::slice::from_ref(series), request));
    let axes = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let each = shown.iter().zip(series).zip(&bands);
    Ok(each
        .map(|((shown, series), bands)| {
            over_axes(view, std::slice::from_ref(shown), vec![series], Some(bands), request, axes)
        })
        .collect())
}

pub(crate) fn axes_of(score: &[f64], series: &[ReliabilitySeries], request: &ReliabilityRequest) -> (f64, f64) {
    match request.axes {
        AxesChoice::Fitted => fitted_axes(score, series),
        AxesChoice::Full => FULL,
        AxesChoice::Logit => logit_axes(score, series),
    }
}

pub(crate) fn over_axes(
    view: View,
    shown: &[DiagramScores],
    mut series: Vec<ReliabilitySeries>,
    bands: Option<&ConsistencyBands>,
    request: &ReliabilityRequest,
    axes: Option<(f64, f64)>,
) -> ReliabilityChart {
    let [score_name, target_name, events_name, others_name] = match view {
        View::TopLabel => ["confidence of the predicted class", "accuracy", "correct", "incorrect"],
        View::Positive => ["predicted probability", "observed proportion", "events", "non-events"],
    }
    .map(str::to_owned);
    let (score, target, bins) = shown.first().map_or((&[][..], &[][..], &[][..]), |s| (s.score, s.target, s.bins));
    let axes = axes.unwrap_or_else(|| axes_of(score, &series, request));
    if request.bins == Some(false) {
        series.iter_mut().for_each(|series| series.bins.clear());
    }
    let drawn = series.iter().all(|series| !series.curve.is_empty());
    let along = |band: &[(f64, f64)]| {
        let places = bins.iter().zip(band);
        places.map(|(bin, &(low, high))| (bin.mean_score, low, high)).collect::<Vec<_>>()
    };
    let (consistency, pointwise) = match (request.band, bands) {
        (BandChoice::Consistency, Some(bands)) => (along(&bands.simultaneous), along(&bands.pointwise)),
        _ => (Vec::new(), Vec::new()),
    };
    let counts = shown.first().and_then(DiagramScores::counts);
    let logit = request.axes == AxesChoice::Logit;
    let (histogram, beyond) = histogram(score, target, counts, scale_of(axes, logit));
    ReliabilityChart {
        title: String::new(),
        caption: String::new(),
        small: false,
        curve_name: format!("{} curve", request.curve.name()),
        band_words: match drawn {
            true if counts.is_some() && request.band != BandChoice::Consistency => band_needs_rows(request),
            true => band_words(request),
            false => no_curve(request.curve),
        },
        events_name,
        others_name,
        score_name,
        target_name,
        consistency,
        pointwise,
        histogram,
        axes,
        logit,
        beyond,
        n: counts.map_or(score.len() as u64, |counts| counts.iter().sum::<f64>().round() as u64),
        series,
        square_root_heights: true,
    }
}

/// Why a curve of counts has no band.
fn band_needs_rows(request: &ReliabilityRequest) -> String {
    match request.band {
        BandChoice::None => String::new(),
        _ => format!("No band: that of the {} curve needs the rows.", request.curve.name()),
    }
}

/// What the band promises, and what it does not.
fn band_words(request: &ReliabilityRequest) -> String {
    let curve = request.curve.name();
    let cover = match request.band {
        BandChoice::None => return String::new(),
        BandChoice::Consistency => {
            return "Gray: simultaneous 95% null band, which contains all bins of a calibrated model in 95% of \
                    samples; thin lines: pointwise 95% null band."
                .to_owned();
        }
        BandChoice::Pointwise => "pointwise; simultaneous coverage is lower",
        BandChoice::Simultaneous => "simultaneous over all scores",
    };
    format!("Band: 95% confidence band of the {curve} curve, {cover}.")
}

fn no_curve(curve: CurveKind) -> String {
    format!(
        "No {} curve can be estimated: all outcomes are the same, or the scores separate them perfectly.",
        curve.name()
    )
}

/// Curve and bins of one; without bands no bin is marked.
pub(crate) fn series_of(
    shown: &DiagramScores,
    bands: Option<&ConsistencyBands>,
    request: &ReliabilityRequest,
) -> Result<ReliabilitySeries> {
    let coverage = match request.band {
        // of a curve of counts the band would take each cell for one row
        _ if shown.counted => None,
        BandChoice::Pointwise => Some(Coverage::Pointwise),
        BandChoice::Simultaneous => Some(Coverage::Simultaneous),
        BandChoice::Consistency | BandChoice::None => None,
    };
    let curve = calibration_curve(shown.score, shown.target, shown.weight, request.curve, coverage)?;
    Ok(ReliabilitySeries {
        name: shown.name.clone().into_owned(),
        bins: bin_marks(shown, bands),
        curve: curve.points,
        band: curve.band,
    })
}

/// The bins as they are drawn; without bands none is marked.
pub(crate) fn bin_marks(shown: &DiagramScores, bands: Option<&ConsistencyBands>) -> Vec<BinMark> {
    let marks = shown.bins.iter().enumerate().map(|(k, bin)| {
        let (low, high) = bands.and_then(|bands| bands.simultaneous.get(k)).copied().unwrap_or((0.0, 1.0));
        BinMark {
            low: bin.low,
            high: bin.high,
            n: bin.n as u32,
            events: bin.events as u32,
            weight: shown.weight.filter(|_| !shown.counted).map(|_| bin.weight),
            score: bin.mean_score,
            target: bin.mean_target,
            gap: bin.gap,
            wilson_low: bin.target_low,
            wilson_high: bin.target_high,
            inside_band: (low..=high).contains(&bin.mean_target),
        }
    });
    marks.collect()
}

/// Pointwise 95 % range of the share of a bin in which every row happens with the bin's mean score; of as many rows as tell as much
/// where rows have weights or are dependent.
fn consistency(bin: &ReliabilityBin, expected: &Expected) -> (f64, f64) {
    let effect = expected.design_effect.get(bin.bin).copied().unwrap_or(1.0);
    let (n, p) = (bin.effective / effect, bin.mean_score.clamp(0.0, 1.0));
    match Binomial::new(p, bin.n as u64) {
        Ok(binomial) if bin.n <= 10_000 && n == bin.n as f64 => {
            (binomial.inverse_cdf(0.025) as f64 / n, binomial.inverse_cdf(0.975) as f64 / n)
        }
        _ => {
            let half = crate::num::special::NORMAL_975 * (p * (1.0 - p) / n).sqrt();
            ((p - half).max(0.0), (p + half).min(1.0))
        }
    }
}

/// Counts between the ends of the axes, in bars of equal width there, and the rows that lie beyond them.
fn histogram(score: &[f64], target: &[u8], counts: Option<&[f64]>, axis: Scale) -> (Histogram, Beyond) {
    let (low, high) = axis.ends();
    let (mut events, mut others) = (vec![0.0; STRIPS], vec![0.0; STRIPS]);
    let mut beyond = Beyond::default();
    for (i, (&s, &t)) in score.iter().zip(target).enumerate() {
        let rows = weight(counts, i);
        if !(low..=high).contains(&s) {
            beyond.rows += rows as u64;
            beyond.events += if t == 1 { rows as u64 } else { 0 };
            continue;
        }
        let strip = ((axis.position(s) * STRIPS as f64) as usize).min(STRIPS - 1);
        if t == 1 { events[strip] += rows } else { others[strip] += rows }
    }
    let [events, others] = [events, others].map(|rows| rows.into_iter().map(|rows: f64| rows as u32).collect());
    let edge = |i: usize| match axis {
        Scale::Linear { .. } => low + (high - low) * i as f64 / STRIPS as f64,
        _ => axis.value(i as f64 / STRIPS as f64),
    };
    let edges = (0..=STRIPS).map(edge).collect();
    (Histogram { edges, events, others }, beyond)
}

/// Takes out bins and bars of few rows, those from which they could be worked out, and the curve outside of the bins that
/// stay: at its ends it would be of few rows.
pub(crate) fn without_few(chart: &mut ReliabilityChart, least: u64) -> Audit {
    let mut audit = Audit::default();
    chart.consistency.clear();
    chart.pointwise.clear();
    chart.beyond = Beyond::default();
    for (place, series) in chart.series.iter_mut().enumerate() {
        let counts = |bin: &BinMark| [bin.n, bin.events, bin.n.saturating_sub(bin.events)].map(u64::from).to_vec();
        let lines: Vec<Vec<u64>> = series.bins.iter().map(counts).collect();
        let out = bins_left_out(&lines, least);
        for (line, _) in lines.iter().zip(&out).filter(|(_, out)| **out) {
            audit.values += 1;
            audit.complementary += u64::from(!line.iter().any(|count| is_small(*count, least)));
        }
        let mut flags = out.into_iter();
        series.bins.retain(|_| !flags.next().unwrap_or(true));
        let bins: Vec<(f64, f64)> = series.bins.iter().filter(|bin| bin.n > 0).map(|bin| (bin.low, bin.high)).collect();
        let within = |score: f64| bins.iter().any(|(low, high)| (*low..=*high).contains(&score));
        // one stretch: a line would be drawn across the gap of a bin that is left out
        let mut stretch = series.curve.iter().skip_while(|at| !within(at.0)).take_while(|at| within(at.0));
        let ends = stretch.next().map(|first| (first.0, stretch.last().unwrap_or(first).0));
        let kept = |score: f64| ends.is_some_and(|(low, high)| (low..=high).contains(&score));
        series.curve.retain(|at| kept(at.0));
        series.band.retain(|at| kept(at.0));
        // bins of other scores of the same rows could be taken from those of the first
        if place > 0 {
            audit.values += series.bins.len() as u64;
            audit.complementary += series.bins.len() as u64;
            series.bins.clear();
        }
    }
    // bars of other widths than the bins would tell what a bin and a bar do not share
    let bins = chart.series.first().map_or(&[][..], |first| &first.bins);
    chart.histogram = match bins.is_empty() {
        true => coarser(&chart.histogram, least),
        false => of_bins(bins, &chart.histogram.edges),
    };
    audit
}

/// Which bins are withheld, by rows, events and others of each. Bins of few rows are mostly those of the scores of the rarer
/// outcome; further ones are taken from that end on, so that those of most rows stay. The total, which is told, says which
/// end that is.
fn bins_left_out(lines: &[Vec<u64>], least: u64) -> Vec<bool> {
    let total = |place: usize| lines.iter().filter_map(|line| line.get(place)).sum::<u64>();
    let from_the_top = 2 * total(1) < total(0);
    let mut lines = lines.to_vec();
    if from_the_top {
        lines.reverse();
    }
    let mut out = left_out(&lines, least).unwrap_or_else(|| vec![true; lines.len()]);
    if from_the_top {
        out.reverse();
    }
    out
}

/// One bar for each bin, nothing between them. `edges`: of the bars, the first and last of which are the ends of the axis.
fn of_bins(bins: &[BinMark], edges: &[f64]) -> Histogram {
    let (Some(&low), Some(&high)) = (edges.first(), edges.last()) else { return Histogram::default() };
    let mut bars = Histogram { edges: vec![low], ..Histogram::default() };
    let mut bar = |end: f64, events: u32, others: u32| {
        if bars.edges.last().is_some_and(|last| *last < end) {
            bars.edges.push(end);
            bars.events.push(events);
            bars.others.push(others);
        }
    };
    for bin in bins.iter().filter(|bin| bin.low < high) {
        bar(bin.low, 0, 0);
        bar(bin.high.min(high), bin.events, bin.n.saturating_sub(bin.events));
    }
    bar(high, 0, 0);
    bars
}

/// Bars of five each, without those of few rows.
fn coarser(histogram: &Histogram, least: u64) -> Histogram {
    const TOGETHER: usize = 5;
    let sums = |counts: &[u32]| counts.chunks(TOGETHER).map(|some| some.iter().sum::<u32>()).collect::<Vec<_>>();
    let (mut events, mut others) = (sums(&histogram.events), sums(&histogram.others));
    let both = events.iter().zip(&others);
    let lines: Vec<Vec<u64>> = both.map(|(a, b)| vec![u64::from(*a), u64::from(*b), u64::from(a + b)]).collect();
    let out = left_out(&lines, least).unwrap_or_else(|| vec![true; lines.len()]);
    for ((events, others), out) in events.iter_mut().zip(&mut others).zip(out) {
        if out {
            (*events, *others) = (0, 0);
        }
    }
    let last = histogram.edges.last().copied();
    let mut edges: Vec<f64> = histogram.edges.iter().step_by(TOGETHER).copied().collect();
    if edges.last().copied() != last {
        edges.extend(last);
    }
    Histogram { edges, events, others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_for_each_bin_that_is_shown() {
        let bin = |low, high, n, events| BinMark { low, high, n, events, ..BinMark::default() };
        let bins = [bin(0.0, 0.1, 40, 10), bin(0.1, 0.2, 50, 20), bin(0.4, 0.7, 60, 30)];
        let found = of_bins(&bins, &[0.05, 0.3, 0.6]);
        assert_eq!(found.edges, [0.05, 0.1, 0.2, 0.4, 0.6]);
        assert_eq!((found.events, found.others), (vec![10, 20, 0, 30], vec![30, 30, 0, 30]));
        // a bin beyond the axis has no bar
        assert_eq!(of_bins(&bins, &[0.0, 0.4]).events, [10, 20, 0]);
        assert_eq!(of_bins(&bins[2..], &[0.8, 1.0]).events, [0]);
    }

    /// Rare events: nearly all rows are in the first bin, which has to stay for the diagram to say anything.
    #[test]
    fn the_bin_of_most_rows_stays() {
        let bins = [[11_587, 253], [349, 23], [49, 6], [14, 4], [1, 1]];
        let lines =
            |of: &[[u64; 2]]| of.iter().map(|[rows, events]| vec![*rows, *events, rows - events]).collect::<Vec<_>>();
        assert_eq!(bins_left_out(&lines(&bins), 10), [false, true, true, true, true]);
        let turned: Vec<[u64; 2]> = bins.iter().rev().map(|[rows, events]| [*rows, rows - events]).collect();
        assert_eq!(bins_left_out(&lines(&turned), 10), [true, true, true, true, false]);
        assert_eq!(bins_left_out(&lines(&bins[..2]), 10), [false, false]);
    }

    #[test]
    fn bars_have_equal_width_on_their_axis() {
        let logit = scale_of((0.01, 0.99), true);
        let (found, beyond) = histogram(&[0.0, 0.01, 0.1, 0.49, 0.51, 0.99], &[1, 0, 1, 0, 1, 1], None, logit);
        let places: Vec<f64> = found.edges.iter().map(|edge| logit.position(*edge) * STRIPS as f64).collect();
        assert!(places.iter().enumerate().all(|(i, place)| (place - i as f64).abs() < 1e-6), "{places:?}");
        // log-odds of 1/9 are 26.1% of the way from those of 1/99 to those of 99
        assert_eq!(
            (found.others[0], found.events[26], found.others[49], found.events[50], found.events[99]),
            (1, 1, 1, 1, 1)
        );
        assert_eq!(beyond, Beyond { rows: 1, events: 1 });
        let linear = histogram(&[0.1, 0.5], &[1, 1], None, scale_of(FULL, false)).0;
        assert_eq!((linear.events[10], linear.events[50], linear.edges[25]), (1, 1, 0.25));
    }
}
