//! The reliability diagram of one method, or of the predictions before and after a repair.

use statrs::distribution::{Binomial, DiscreteCDF};
use std::borrow::Cow;

use super::method_rows;
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::curve::{Coverage, CurveKind, calibration_curve};
use crate::metric::reliability::ReliabilityBin;
use crate::metric::simultaneous::{Cells, Expected, critical, redraws};
use crate::num::weight::RowWeights;
use crate::plot::reliability::{Beyond, BinMark, FULL, Histogram, ReliabilityChart, ReliabilitySeries, fitted_axes};
use crate::report::view::request::{AxesChoice, BandChoice, ReliabilityRequest};
use crate::report::{MethodRows, RunOutcome};

/// Bars of the histogram strip.
const STRIPS: usize = 100;

/// Scores that a diagram shows.
pub(crate) struct Shown<'a> {
    /// of the series
    pub name: Cow<'a, str>,
    /// s
    pub score: &'a [f64],
    /// t
    pub target: &'a [u8],
    /// w
    pub weight: RowWeights<'a>,
    /// reliability table of both
    pub bins: &'a [ReliabilityBin],
    /// how the bins of the table are made
    pub binning: BinOptions,
}

impl<'a> Shown<'a> {
    /// The rows of a method of a run.
    pub(crate) fn of(rows: &'a MethodRows, run: &RunOutcome) -> Self {
        Self {
            name: rows.title(),
            score: &rows.score,
            target: &rows.target,
            weight: rows.weights(),
            bins: &rows.bins,
            binning: run.report.settings.bins,
        }
    }

    /// What the bins of a calibrated model would show.
    fn expected(&self) -> Result<Expected> {
        let cells = Cells::of_bins(&self.binning.binning(self.score)?);
        Ok(Expected::new(self.score, self.weight, &cells, redraws(self.score.len())))
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
pub(crate) fn consistency_bands(shown: &[Shown]) -> Result<Vec<ConsistencyBands>> {
    let expected: Vec<Expected> = shown.iter().map(Shown::expected).collect::<Result<_>>()?;
    let critical = critical(&expected);
    let each = shown.iter().zip(&expected).map(|(shown, expected)| ConsistencyBands {
        pointwise: shown.bins.iter().map(consistency).collect(),
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
/// `unknown_method` if it was not run.
pub fn chart(data: &Predictions, run: &RunOutcome, request: &ReliabilityRequest) -> Result<ReliabilityChart> {
    let mut shown = vec![Shown::of(method_rows(run, None)?, run)];
    if let Some(after) = request.method.as_deref() {
        shown.push(Shown::of(method_rows(run, Some(after))?, run));
    }
    diagram(data.view, &shown, request)
}

/// What a diagram of these scores holds; the bands that are drawn and the histogram are those of the first.
///
/// # Errors
/// Those of the curves and of the bins.
pub(crate) fn diagram(view: View, shown: &[Shown], request: &ReliabilityRequest) -> Result<ReliabilityChart> {
    let bands = consistency_bands(shown)?;
    let each = shown.iter().zip(&bands);
    let series: Result<Vec<_>> = each.map(|(one, bands)| series_of(one, Some(bands), request)).collect();
    Ok(over_axes(view, shown, series?, bands.first(), request, None))
}

/// One diagram each, all with the same axes; the simultaneous band holds the bins of all.
///
/// # Errors
/// Those of the curves and of the bins.
pub(crate) fn diagrams(view: View, shown: &[Shown], request: &ReliabilityRequest) -> Result<Vec<ReliabilityChart>> {
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
    }
}

pub(crate) fn over_axes(
    view: View,
    shown: &[Shown],
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
    let (histogram, beyond) = histogram(score, target, axes);
    ReliabilityChart {
        title: String::new(),
        caption: String::new(),
        small: false,
        curve_name: format!("{} curve", request.curve.name()),
        band_words: if drawn { band_words(request) } else { no_curve(request.curve) },
        events_name,
        others_name,
        score_name,
        target_name,
        consistency,
        pointwise,
        histogram,
        axes,
        beyond,
        n: score.len() as u64,
        series,
        square_root_heights: true,
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
    shown: &Shown,
    bands: Option<&ConsistencyBands>,
    request: &ReliabilityRequest,
) -> Result<ReliabilitySeries> {
    let bins = shown.bins.iter().enumerate().map(|(k, bin)| {
        let (low, high) = bands.and_then(|bands| bands.simultaneous.get(k)).copied().unwrap_or((0.0, 1.0));
        BinMark {
            low: bin.low,
            high: bin.high,
            n: bin.n as u32,
            weight: shown.weight.map(|_| bin.weight),
            score: bin.mean_score,
            target: bin.mean_target,
            gap: bin.gap,
            wilson_low: bin.target_low,
            wilson_high: bin.target_high,
            inside_band: (low..=high).contains(&bin.mean_target),
        }
    });
    let coverage = match request.band {
        BandChoice::Pointwise => Some(Coverage::Pointwise),
        BandChoice::Simultaneous => Some(Coverage::Simultaneous),
        BandChoice::Consistency | BandChoice::None => None,
    };
    let curve = calibration_curve(shown.score, shown.target, shown.weight, request.curve, coverage)?;
    Ok(ReliabilitySeries {
        name: shown.name.clone().into_owned(),
        bins: bins.collect(),
        curve: curve.points,
        band: curve.band,
    })
}

/// Pointwise 95 % range of the share of a bin in which every row happens with the bin's mean score; of as many rows as tell as much
/// where rows have weights.
fn consistency(bin: &ReliabilityBin) -> (f64, f64) {
    let (n, p) = (bin.effective, bin.mean_score.clamp(0.0, 1.0));
    match Binomial::new(p, bin.n as u64) {
        Ok(binomial) if bin.n <= 10_000 && n == bin.n as f64 => {
            (binomial.inverse_cdf(0.025) as f64 / n, binomial.inverse_cdf(0.975) as f64 / n)
        }
        _ => {
            let half = crate::num::proportion::Z_95 * (p * (1.0 - p) / n).sqrt();
            ((p - half).max(0.0), (p + half).min(1.0))
        }
    }
}

/// Counts between the ends of the axes, and the rows that lie beyond them.
fn histogram(score: &[f64], target: &[u8], (low, high): (f64, f64)) -> (Histogram, Beyond) {
    let (mut events, mut others) = (vec![0u32; STRIPS], vec![0u32; STRIPS]);
    let mut beyond = Beyond::default();
    for (&s, &t) in score.iter().zip(target) {
        if !(low..=high).contains(&s) {
            beyond.rows += 1;
            beyond.events += u64::from(t);
            continue;
        }
        let strip = (((s - low) / (high - low) * STRIPS as f64) as usize).min(STRIPS - 1);
        if t == 1 { events[strip] += 1 } else { others[strip] += 1 }
    }
    let edges = (0..=STRIPS).map(|i| low + (high - low) * i as f64 / STRIPS as f64).collect();
    (Histogram { edges, events, others }, beyond)
}
