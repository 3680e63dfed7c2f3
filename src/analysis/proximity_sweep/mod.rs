//! PIECE and the bias index against the number of neighbors, for both distances.

mod plan;
mod request;

pub use plan::SweepNeighbors;
pub use request::ProximitySweepRequest;

use serde::{Deserialize, Serialize};

use super::proximity::{RowsWithProximity, left_out_of, methods, rows_with_proximity};
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::title;
use crate::evaluation::proximity::Proximities;
use crate::feature::no_independent_test;
use crate::feature::proximity::{MOST_NEIGHBORS, ProximityOptions};
use crate::metric::bias_index::{Replacement, bias_index, fair_p, matched_pairs};
use crate::metric::piece::piece;
use crate::plot::chart::{Chart, ChartWidth, Screen};
use crate::plot::figure::Dash;
use crate::plot::scatter::{ScatterAxis, ScatterChart, ScatterPoint, ScatterSeries};
use crate::proximity::{Form, Metric};
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Sheet};
use crate::report::verdict::{LEVEL, Verdict};
use crate::words::number::{count, points, points_size};

/// Default numbers of neighbors.
const USUAL: [usize; 18] = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
/// Default methods.
const METHODS: usize = 4;

/// Response of `data.analyse("proximity_sweep")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProximitySweepOutcome {
    /// the request, with defaults
    pub settings: ProximitySweepRequest,
    /// distance by distance, then method by method
    pub curves: Vec<ProximityCurve>,
    /// verdict on the first method: the smallest p-value, adjusted for all cases
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type ProximitySweepWithoutCharts = WithoutCharts<ProximitySweepOutcome>;
/// The step that draws its charts.
pub type ShowProximitySweep = Show<ProximitySweepOutcome>;

impl HasCharts for ProximitySweepOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.settings.width = screen.width;
        self.sheet.draw(screen);
    }
}

/// One method under one distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProximityCurve {
    /// name of the method
    pub method: String,
    /// `euclidean` or `cosine`
    pub distance: Metric,
    /// K, rising
    pub neighbours: Vec<usize>,
    /// PIECE at each
    pub piece: Vec<f64>,
    /// bias index at each
    pub bias_index: Vec<Option<f64>>,
    /// two-sided probability of each, by the rank-sum test
    pub p: Vec<Option<f64>>,
    /// two-sided probability of each, rows counted once; see [`fair_p`]
    pub p_rows: Vec<Option<f64>>,
}

impl ProximitySweepRequest {
    /// What it says about proximity.
    pub fn proximity(&self) -> ProximityOptions {
        ProximityOptions {
            features: self.features.clone(),
            neighbours: None,
            distance: None,
            form: self.form,
            row_normalise: self.row_normalise,
        }
    }
}

/// Numbers of neighbors of a complete request.
pub fn numbers(request: &ProximitySweepRequest) -> Vec<usize> {
    request.neighbours.clone().unwrap_or_else(|| USUAL.to_vec())
}

/// The request with every default filled in; `references` rows can be neighbors, in `d` coordinates.
///
/// # Errors
/// `invalid_option` for numbers that are not from 1 to 1,000 or no distance; `unknown_method`.
pub fn filled(
    run: &RunOutcome,
    request: &ProximitySweepRequest,
    options: &ProximityOptions,
    (references, d): (usize, usize),
) -> Result<ProximitySweepRequest> {
    let mut ks = match &request.neighbours {
        None => {
            let within = |k: &usize| *k < references.max(2);
            USUAL.into_iter().filter(within).collect()
        }
        Some(ks) => ks.clone(),
    };
    ks.sort_unstable();
    ks.dedup();
    if ks.is_empty() || ks.len() > 50 || ks.iter().any(|k| !(1..=MOST_NEIGHBORS).contains(k)) {
        return Err(Error::new(
            "invalid_option",
            format!("{} numbers of neighbors were requested: {ks:?}.", ks.len()),
            "Request 1 to 50 integers from 1 to 1,000.",
        ));
    }
    let distances = match &request.distances {
        // Rows of one number all lie in one direction, or in the two opposite ones.
        None if d == 1 => vec![Metric::Euclidean],
        None => vec![Metric::Euclidean, Metric::Cosine],
        Some(distances) => distances.clone(),
    };
    if distances.is_empty() || distances.len() > 2 {
        return Err(Error::new(
            "invalid_option",
            format!("{} distances were requested.", distances.len()),
            "Use euclidean, cosine, or both.",
        ));
    }
    let (shown, _) = methods(run, request.methods.as_deref())?;
    let most = if request.methods.is_some() { shown.len() } else { METHODS };
    Ok(ProximitySweepRequest {
        methods: Some(shown.iter().take(most).map(|rows| rows.method.name.clone()).collect()),
        features: options.features.clone(),
        neighbours: Some(ks),
        distances: Some(distances),
        form: options.form,
        row_normalise: options.row_normalise,
        width: None,
    })
}

/// Curves and figures; `near`: distance by distance, for each number of neighbors.
///
/// # Errors
/// `unknown_method`.
///
/// # Cost
/// A few sorts for each method, distance and number of neighbors.
pub fn sweep(
    data: &Predictions,
    run: &RunOutcome,
    request: &ProximitySweepRequest,
    near: &[Proximities],
) -> Result<ProximitySweepOutcome> {
    let ks = numbers(request);
    let (shown, _) = methods(run, request.methods.as_deref())?;
    let choice = request.features.as_ref();
    let no_test = choice.and_then(|choice| no_independent_test(data, choice));
    let mut curves = Vec::new();
    let mut fewest = u64::MAX;
    let distances = request.distances.clone().unwrap_or_default();
    for (distance, near) in distances.iter().zip(near.chunks(ks.len())) {
        for rows in &shown {
            let mut curve = ProximityCurve {
                method: rows.method.name.clone(),
                distance: *distance,
                neighbours: ks.clone(),
                piece: Vec::new(),
                bias_index: Vec::new(),
                p: Vec::new(),
                p_rows: Vec::new(),
            };
            for near in near {
                let RowsWithProximity { rows, ln_d } = rows_with_proximity(near, rows);
                let (s, t) = (&rows.score, &rows.target);
                curve.piece.push(piece(s, t, &ln_d, Form::Paper)?);
                let pairs = matched_pairs(s, &ln_d, Replacement::With, 0)?;
                fewest = fewest.min(pairs.len() as u64);
                let bias = bias_index(&pairs, s, t);
                curve.bias_index.push(bias.index);
                let tested = |p: Option<f64>| p.filter(|_| no_test.is_none());
                curve.p.push(tested(bias.p));
                curve.p_rows.push(tested(fair_p(&pairs, s, t)));
            }
            curves.push(curve);
        }
    }
    let charts = vec![
        chart(&curves, "PIECE, pp", true, |curve, k| Some(curve.piece[k])),
        chart(&curves, "proximity bias, pp", false, |curve, k| curve.bias_index[k]),
    ];
    let verdict = verdict(&curves, no_test);
    let reading = Block::Reading(reading(&curves, &verdict));
    let of = if curves.is_empty() { Basis::Setting } else { Basis::Statistic(fewest) };
    let mut blocks = vec![reading.of(of.clone()), Block::Charts(charts).of(of)];
    if shown.len() < run.rows.len() {
        let words = format!("Computed for {} of the {} methods of the run.", shown.len(), run.rows.len());
        blocks.push(Block::Note(words).of(Basis::Setting));
    }
    blocks.extend(left_out_of(data, choice, &shown).map(|words| Block::Note(words).of(Basis::Unknown)));
    let how = Block::Note(format!(
        "{} numbers of neighbors from {} to {}{}. Both measures depend only on the order of proximities.",
        ks.len(),
        ks.first().copied().unwrap_or(0),
        count(ks.last().copied().unwrap_or(0) as u64),
        match distances.as_slice() {
            [_, _, ..] => "; solid: Euclidean distance, dashed: cosine",
            _ => "",
        }
    ));
    blocks.push(how.of(Basis::Setting));
    Ok(ProximitySweepOutcome { settings: request.clone(), curves, verdict, sheet: Sheet::new(Vec::new(), blocks) })
}

/// Bias index and p of the first method, number by number and distance by distance.
fn cases(curves: &[ProximityCurve]) -> Vec<(f64, f64)> {
    let first = curves.first().map(|curve| curve.method.as_str());
    let of_method = curves.iter().filter(|curve| Some(curve.method.as_str()) == first);
    of_method
        .flat_map(|curve| curve.bias_index.iter().zip(&curve.p_rows))
        .filter_map(|(index, p)| Some(((*index)?, (*p)?)))
        .collect()
}

/// Whether any case is significant, adjusted for all cases (Bonferroni).
fn verdict(curves: &[ProximityCurve], no_test: Option<String>) -> Verdict {
    if let Some(why) = no_test {
        return Verdict::untested("", None, why);
    }
    let all = cases(curves);
    let least = all.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a });
    match least {
        Some((index, p)) => Verdict::by_p("", index, Some((p * all.len() as f64).min(1.0)), ""),
        None => Verdict::untested("", None, "Proximity bias could not be estimated"),
    }
}

/// Whether the finding depends on the choice of K and of the distance.
fn reading(curves: &[ProximityCurve], verdict: &Verdict) -> String {
    let Some(first) = curves.first() else {
        return "There is nothing to draw.".to_owned();
    };
    let of_method = || curves.iter().filter(|curve| curve.method == first.method);
    let all = cases(curves);
    let pieces = || of_method().flat_map(|curve| curve.piece.iter().copied());
    let (low, high) = (pieces().fold(f64::INFINITY, f64::min), pieces().fold(f64::NEG_INFINITY, f64::max));
    let spread = format!("PIECE ranges from {} to {}", points_size(low), points_size(high));
    let sure = all.iter().filter(|(_, p)| *p <= LEVEL).count();
    let (least, most) =
        all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), (index, _)| (l.min(*index), m.max(*index)));
    let range = format!("from {} to {}", points(least), points(most));
    let one_side = least > 0.0 || most < 0.0;
    verdict.headline(
        || {
            if sure == all.len() && one_side {
                return format!(
                    "Proximity bias has the same direction at every K and distance, {range}, and is significant \
                     each time (unadjusted); {spread}."
                );
            }
            format!(
                "Proximity bias depends on K and distance ({range}): {sure} of {} settings are significant unadjusted, \
                 at least one after adjustment{}; {spread}.",
                all.len(),
                verdict.p_in_brackets()
            )
        },
        || {
            format!(
                "Proximity bias is not significant at any of {} settings of K and distance after adjustment for their \
                 number ({range}); {spread}.",
                all.len()
            )
        },
    )
}

fn chart(
    curves: &[ProximityCurve],
    value_name: &str,
    zero: bool,
    value: impl Fn(&ProximityCurve, usize) -> Option<f64>,
) -> Chart {
    let mut names: Vec<&str> = Vec::new();
    for curve in curves {
        if !names.contains(&curve.method.as_str()) {
            names.push(&curve.method);
        }
    }
    let several = curves.iter().any(|curve| curve.distance != curves[0].distance);
    let series = curves.iter().map(|curve| {
        let place = names.iter().position(|name| *name == curve.method).unwrap_or(0);
        let points = curve.neighbours.iter().enumerate().filter_map(|(k, &neighbours)| {
            Some(ScatterPoint { x: neighbours as f64, y: 100.0 * value(curve, k)?, ..ScatterPoint::default() })
        });
        let (words, dash) = match curve.distance {
            Metric::Euclidean => ("Euclidean", Dash::Solid),
            Metric::Cosine => ("cosine", Dash::Dashed),
        };
        let method = title(&curve.method);
        let name = if several { format!("{method}, {words}") } else { method.into_owned() };
        ScatterSeries::new(name, place, points.collect()).joined(dash)
    });
    let chart = ScatterChart {
        series: series.collect(),
        x: ScatterAxis { log: true, ..ScatterAxis::new("neighbors K") },
        y: ScatterAxis { zero, ..ScatterAxis::new(value_name) },
        ..ScatterChart::default()
    };
    Chart::new(chart, ChartWidth::Half)
}
