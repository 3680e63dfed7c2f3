//! Local error against the bandwidth: curves, bands, a suggested bandwidth, and charts.

pub mod part;
mod plan;
mod request;

pub use part::{RowPlaces, SweepNumbers};
pub use plan::{CurveHandles, JoinCurves, PlaceRows, Scores, SweepRange};
pub use request::{GammaGrid, SweepRequest};

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::error::{Error, Result};
use crate::evaluation::method::{title, whose_scores};
use crate::feature::within::in_words;
use crate::local::{MIN_NEIGHBORS, suggested_gamma};
use crate::metric::binning::BinOptions;
use crate::num::moments::mean_and_sd;
use crate::plot::chart::{Chart, ChartWidth, Screen};
use crate::plot::figure::{Dash, Figure};
use crate::plot::palette::Ink;
use crate::plot::sweep::{SweepChart, SweepSeries};
use crate::report::disclosure::Basis;
use crate::report::mapped_rows::own_row_in_words;
use crate::report::sheet::{Block, Sheet, only_first};
use crate::report::view::map::within_bins_in_words;
use crate::table::Column;
use crate::words::number;
use crate::words::text::capitalized;

use part::suits;

/// Maximum number of curves in the figures; the numbers contain all.
const DRAWN: usize = 8;

/// What was found of one curve.
pub struct SweepCurveParts<'a> {
    /// name of the method
    pub method: String,
    /// the map in words
    pub features: String,
    /// the file defines the calibration rows: every seed gives the same division
    pub fixed: bool,
    /// rows with a gap in a feature, in words
    pub left_out: Option<String>,
    /// by seed or fold, then by range of bandwidths
    pub parts: Vec<Vec<&'a SweepNumbers>>,
}

/// Response of `data.analyse("sweep")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepOutcome {
    /// the request, with defaults
    pub settings: SweepRequest,
    /// one per map and method: map by map, methods in the order of the run
    pub curves: Vec<SweepCurve>,
    /// a bandwidth between the plateaus of the first curve's mean LCE; see `suggested_gamma` in crates/numerics/src/local/sweep.rs
    pub suggested: Option<f64>,
    /// range of the first curve, in one sentence
    pub sentence: String,
    /// notes on the bandwidths, curves and bands
    pub notes: Vec<String>,
    /// MLCE, mean LCE and MLCE of rows with 20 neighbors against the bandwidth; the index of a mark is an index into
    /// `marks`
    pub figures: Vec<Figure>,
    /// the same before they are drawn; never in an answer
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub charts: Vec<Chart>,
    /// bandwidth of each mark of a figure
    pub marks: Column<f64>,
    /// those of the notes that count rows, before the figures are drawn; never in an answer
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    counting: Vec<String>,
    /// the panel for a document, with the basis of each value
    #[serde(default, skip_serializing_if = "Sheet::is_left_out")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    sheet: Sheet,
}

/// The response before its charts are drawn.
pub type SweepWithoutCharts = WithoutCharts<SweepOutcome>;
/// The step that draws its charts.
pub type ShowSweep = Show<SweepOutcome>;

impl HasCharts for SweepOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.settings.width = screen.width;
        self.figures = self.charts.drain(..).map(|chart| chart.figure(screen)).collect();
        let counting = std::mem::take(&mut self.counting);
        self.sheet = self.as_sheet(&counting);
    }
}

impl SweepOutcome {
    /// Sentence, figures and notes, each with what it was computed from: a mean over all rows; the largest local error
    /// of any row, which may be the error of that row alone; the largest of rows with as many effective neighbors, or
    /// more, as count as support.
    fn as_sheet(&self, counting: &[String]) -> Sheet {
        let supported = || Basis::Statistic(MIN_NEIGHBORS as u64);
        let bases = [Basis::Unknown, Basis::AllRows, supported()];
        let mut blocks = vec![Block::Reading(self.sentence.clone()).of(supported())];
        let figures = self.figures.iter().zip(bases);
        blocks.extend(figures.map(|(figure, basis)| Block::Figures(vec![figure.clone()]).of(basis)));
        blocks.extend(self.notes.iter().map(|note| {
            let basis = if counting.contains(note) { Basis::Unknown } else { Basis::AllRows };
            Block::Note(note.clone()).of(basis)
        }));
        Sheet::new(Vec::new(), blocks)
    }
}

/// Curves of one method in one map. Bands are empty without replicates, values expected under calibration without
/// redraws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepCurve {
    /// name of the method
    pub method: String,
    /// description of the map
    pub features: String,
    /// median of ‖Δ‖₁/d over pairs of rows: the scale of γ
    pub median_distance: f64,
    /// γ between the plateaus of this curve
    pub suggested: Option<f64>,
    /// γ, rising
    pub gammas: Column<f64>,
    /// the largest local error of any row
    pub mlce: SweepLine,
    /// largest local error over the rows with at least 20 effective neighbors at a bandwidth; NaN if there is none
    pub mlce_supported: SweepLine,
    /// the mean local error
    pub mean_lce: SweepLine,
}

/// One quantity against the bandwidth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepLine {
    /// by bandwidth; the mean over replicates where there are several
    pub value: Column<f64>,
    /// standard deviation over replicates
    pub sd: Column<f64>,
    /// mean over redraws of the labels from the scores
    pub floor: Column<f64>,
    /// its standard deviation over redraws
    pub floor_sd: Column<f64>,
    /// limit for γ → 0: max |s − t|, or mean |s − t|; null if no row has 20 neighbors
    pub at_zero: Option<f64>,
    /// limit for γ → ∞: MCE, or ECE; null if no bin has 20 rows
    pub at_infinity: Option<f64>,
}

/// Curves and figures from the parts of all curves.
///
/// # Errors
/// `internal` if parts are missing.
pub fn outcome(request: &SweepRequest, inputs: &[SweepCurveParts]) -> Result<SweepOutcome> {
    let curves = inputs.iter().map(|input| curve(input).ok_or_else(missing)).collect::<Result<Vec<_>>>()?;
    let suggested = curves.first().and_then(|curve| curve.suggested);
    let mut marks = Vec::new();
    for curve in curves.iter().take(DRAWN) {
        marks.extend_from_slice(&curve.gammas);
    }
    let gamma = request.gamma;
    let charts = vec![
        chart(request, &curves, gamma, suggested, "MLCE", |curve| &curve.mlce),
        chart(request, &curves, gamma, suggested, "mean LCE", |curve| &curve.mean_lce),
        chart(request, &curves, gamma, suggested, "MLCE (20 effective neighbors)", |curve| &curve.mlce_supported),
    ];
    Ok(SweepOutcome {
        settings: request.clone(),
        sentence: curves.first().map_or_else(String::new, sentence),
        notes: notes(request, inputs, &curves),
        counting: inputs.iter().filter_map(|input| input.left_out.clone()).collect(),
        sheet: Sheet::default(),
        curves,
        suggested,
        figures: Vec::new(),
        charts,
        marks: marks.into(),
    })
}

/// "The largest local error of the scores (20 effective neighbors or more) is 31.0 pp at γ = 0.100 and 12.0 pp at γ = 100, the ends
/// of its curve."
fn sentence(curve: &SweepCurve) -> String {
    let each = curve.gammas.iter().copied().zip(curve.mlce_supported.value.iter().copied());
    let known: Vec<(f64, f64)> = each.filter(|(_, value)| value.is_finite()).collect();
    let at =
        |(gamma, error): &(f64, f64)| format!("{} at γ = {}", number::points_size(*error), number::significant(*gamma));
    let whose = whose_scores(&curve.method);
    match known.as_slice() {
        [one] => format!("The largest local error of {whose} (20 effective neighbors or more) is {}.", at(one)),
        [first, .., last] => format!(
            "The largest local error of {whose} (20 effective neighbors or more) is {} and {}, the ends of its curve.",
            at(first),
            at(last)
        ),
        [] => "The largest local error is not reported: no row has 20 effective neighbors at any bandwidth.".to_owned(),
    }
}

fn missing() -> Error {
    Error::internal("Parts of the sweep are missing.")
}

fn curve(input: &SweepCurveParts) -> Option<SweepCurve> {
    let firsts: Vec<&SweepNumbers> = input.parts.iter().map(|ranges| ranges.first().copied()).collect::<Option<_>>()?;
    let first = firsts.first()?;
    let points = |ranges: &Vec<&SweepNumbers>| ranges.iter().flat_map(|r| &r.points).copied().collect();
    let replicates: Vec<Vec<[f64; 9]>> = input.parts.iter().map(points).collect();
    let line = |quantity: usize| {
        let over = |of: &dyn Fn(&SweepNumbers) -> f64| {
            let each: Vec<f64> = firsts.iter().map(|numbers| of(numbers)).collect();
            mean_and_sd(&each).0
        };
        let known = |value: f64| value.is_finite().then_some(value);
        let mut line = SweepLine {
            at_zero: known(over(&|numbers| numbers.at_zero.get(quantity).copied().unwrap_or(f64::NAN))),
            at_infinity: known(over(&|numbers| numbers.at_infinity[quantity])),
            ..SweepLine::default()
        };
        for g in 0..first.gammas.len() {
            let over = |slot: usize| {
                let at = |points: &Vec<[f64; 9]>| points.get(g).map_or(f64::NAN, |p| p[slot]);
                mean_and_sd(&replicates.iter().map(at).collect::<Vec<f64>>())
            };
            let (value, sd) = over(quantity);
            line.value.push(value);
            if replicates.len() > 1 {
                line.sd.push(sd);
            }
            let (floor, floor_sd) = (over(3 + 2 * quantity).0, over(4 + 2 * quantity).0);
            if !floor.is_nan() {
                line.floor.push(floor);
                line.floor_sd.push(floor_sd);
            }
        }
        line
    };
    let (mlce, mean_lce, mlce_supported) = (line(0), line(1), line(2));
    let ends = mean_lce.at_zero.zip(mean_lce.at_infinity);
    let suggested = ends.and_then(|(zero, infinity)| suggested_gamma(&first.gammas, &mean_lce.value, zero, infinity));
    Some(SweepCurve {
        method: input.method.clone(),
        features: input.features.clone(),
        median_distance: first.median_distance,
        suggested: suggested.map(|gamma| number::to_digits(gamma, 2)),
        gammas: first.gammas.clone().into(),
        mlce,
        mlce_supported,
        mean_lce,
    })
}

fn notes(request: &SweepRequest, inputs: &[SweepCurveParts], curves: &[SweepCurve]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for curve in curves {
        if told.contains(&curve.features.as_str()) {
            continue;
        }
        told.push(&curve.features);
        let asked = request.gammas.low.is_some() || request.gammas.high.is_some();
        let why = match (asked, suits(curve.median_distance)) {
            (true, _) => "as requested",
            (false, true) => "the default range",
            (false, false) => "around the median distance, which the default range of 0.01 to 100 misses",
        };
        let (low, high) = (curve.gammas.first(), curve.gammas.last());
        notes.push(format!(
            "{}: γ from {} to {}, {why}. Median distance of a pair of rows: {} per feature.",
            curve.features,
            number::significant(low.copied().unwrap_or(f64::NAN)),
            number::significant(high.copied().unwrap_or(f64::NAN)),
            number::significant(curve.median_distance),
        ));
    }
    for said in inputs.iter().filter_map(|input| input.left_out.as_ref()) {
        if !notes.contains(said) {
            notes.push(said.clone());
        }
    }
    if let Some(bins) = &request.bins {
        notes.push(compared(bins, request));
    }
    let (own, kernel) = (request.leave_one_out.unwrap_or_default(), request.kernel.as_deref().unwrap_or("laplacian"));
    notes.push(format!("{} kernel; {}.", capitalized(kernel), own_row_in_words(own)));
    let replicates = inputs.first().map_or(1, |input| input.parts.len());
    if replicates > 1 {
        let of = if request.folds { "folds" } else { "splits of the rows" };
        notes.push(format!("Curves are means over {replicates} {of}; bands are ± one standard deviation."));
        if inputs.iter().any(|input| input.fixed) {
            notes.push(format!(
                "The file specifies the calibration rows, so all {replicates} splits are identical; bands show only \
                 the randomness of the methods."
            ));
        }
    }
    if request.floor > 0 {
        notes.push(format!(
            "Expected if calibrated: mean over {} simulations of outcomes from the scores.",
            request.floor
        ));
    }
    notes.extend(only_first(DRAWN, curves.len(), "curves"));
    notes
}

/// Which rows are compared, in a sentence.
fn compared(bins: &BinOptions, request: &SweepRequest) -> String {
    let with = in_words(request.within.as_deref()).map_or_else(String::new, |with| format!(", {with}"));
    match bins.count {
        1 => format!("All rows are compared, as one bin{with}."),
        _ => format!("Rows are compared {}{with}.", within_bins_in_words(bins)),
    }
}

/// How rows are compared, and which curves are left to the table.
fn caption(request: &SweepRequest, curves: usize) -> String {
    let bins = request.bins.as_ref();
    let compared = bins.map(|bins| compared(bins, request));
    let parts = [compared, only_first(DRAWN, curves, "curves")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn chart(
    request: &SweepRequest,
    curves: &[SweepCurve],
    gamma: Option<f64>,
    suggested: Option<f64>,
    quantity: &str,
    line: impl Fn(&SweepCurve) -> &SweepLine,
) -> Chart {
    let maps = curves.iter().any(|curve| curve.features != curves[0].features);
    let methods = curves.iter().any(|curve| curve.method != curves[0].method);
    let mut index = 0;
    let mut series = Vec::new();
    let finite = |values: &(f64, f64)| values.1.is_finite();
    for (k, curve) in curves.iter().take(DRAWN).enumerate() {
        let line = line(curve);
        let around = |middle: &[f64], sd: &[f64]| -> Vec<(f64, f64, f64)> {
            let each = curve.gammas.iter().zip(middle).zip(sd);
            let each = each.filter(|((_, m), sd)| m.is_finite() && sd.is_finite());
            each.map(|((g, m), sd)| (*g, (m - sd).max(0.0), m + sd)).collect()
        };
        let values = || curve.gammas.iter().copied().zip(line.value.iter().copied());
        // rows have few neighbors at the small bandwidths: values that lack come first
        let without = values().take_while(|values| !finite(values)).count() as u32;
        series.push(SweepSeries {
            name: match (methods, maps) {
                (true, true) => format!("{}, {}", title(&curve.method), curve.features),
                (false, true) => curve.features.clone(),
                _ => title(&curve.method).into_owned(),
            },
            ink: Ink::Category(k as u8),
            dash: if k < 4 { Dash::Solid } else { Dash::Dashed },
            values: values().filter(finite).collect(),
            at_zero: line.at_zero,
            at_infinity: line.at_infinity,
            band: around(&line.value, &line.sd),
            // One floor is enough to see by; those of other methods lie close to it.
            floor: if k == 0 { around(&line.floor, &line.floor_sd) } else { Vec::new() },
            first_mark: Some(index + without),
        });
        index += curve.gammas.len() as u32;
    }
    let chart = SweepChart {
        series,
        gamma,
        suggested,
        value_name: format!("{quantity}, pp"),
        in_points: true,
        title: String::new(),
        caption: caption(request, curves.len()),
        height: None,
    };
    Chart::new(chart, ChartWidth::all(560.0))
}
