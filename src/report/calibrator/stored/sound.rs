//! Whether the numbers of a fit can be used.

use std::ops::RangeInclusive;

use crate::evaluation::method::{ByCell, Calibrator, NEIGHBOURS};
use crate::recalibrate::affine::Affine;
use crate::recalibrate::histogram::Histogram;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::pts::Pts;
use crate::recalibrate::temperature::Temperature;

/// What the fitted curves of probabilities hold; sums of weights may round beyond.
pub(super) const UNIT: RangeInclusive<f64> = -1e-9..=1.0 + 1e-9;
/// T: fits stop at 0.01 and 100.
const TEMPERATURES: RangeInclusive<f64> = 1e-6..=1e6;
/// Slopes, intercepts and entries of matrices: no product with a logit leaves the numbers.
const COEFFICIENTS: RangeInclusive<f64> = -1e15..=1e15;
/// Weights of the network: trained ones stay in the thousands, and products of three of these are numbers.
const NETWORK: RangeInclusive<f64> = -1e9..=1e9;
/// Steps of multicalibration: within a round a score may leave [0, 1].
const SHIFTS: RangeInclusive<f64> = -100.0..=100.0;
/// Differences of two probabilities.
const GAPS: RangeInclusive<f64> = -1.0..=1.0;
/// Widths and bandwidths.
const WIDTHS: RangeInclusive<f64> = 1e-150..=1e150;

/// What makes the parameters useless, if anything: lengths that do not fit together, or a field whose values no fit has.
pub(super) fn unsound(calibrator: &Calibrator, m: usize) -> Option<String> {
    misfit(calibrator, m)
        .then(|| format!("its numbers are damaged, or do not fit together with each other and {m} classes"))
        .or_else(|| out_of_range(calibrator).err())
}

/// Whether lists have lengths or orders that do not go together, or hold what is no number.
fn misfit(calibrator: &Calibrator, m: usize) -> bool {
    let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
    let curve = |x: &[f64], y: &[f64]| x.len() == y.len() && finite(x) && finite(y) && x.is_sorted();
    let affine = |fit: &Affine, weights: usize| {
        fit.bias.len() == m && fit.weights.len() == weights && finite(&fit.bias) && finite(&fit.weights)
    };
    let edges =
        |edges: &[f64], values: usize| values > 0 && edges.len() == values + 1 && finite(edges) && edges.is_sorted();
    let isotonic = |fit: &Isotonic| !fit.x.is_empty() && curve(&fit.x, &fit.y);
    let histogram =
        |fit: &Histogram| edges(&fit.edges, fit.values.len()) && fit.values.iter().flatten().all(|v| v.is_finite());
    let fits = match calibrator {
        Calibrator::GroupHistogram(fit) => histogram(&fit.pooled) && fit.fits.values().all(histogram),
        Calibrator::Multicalibration(ByCell { fit, groups, .. }) => {
            let mut steps = fit.steps.iter();
            edges(&fit.edges, fit.edges.len().saturating_sub(1))
                && steps.all(|(group, _, shift)| (*group as usize) < groups.len() && shift.is_finite())
                && fit.rounds.is_sorted()
                && fit.rounds.iter().all(|end| *end as usize <= fit.steps.len())
        }
        Calibrator::Lcb { form, alpha, .. } => finite(alpha) && alpha.is_empty() == (*form != BiasForm::Krr),
        Calibrator::BinMeanShift { shift, .. } => {
            let (bins, cells) = (&shift.log_proximity_edges, &shift.gaps);
            let ascending = |edges: &[f64]| finite(edges) && edges.is_sorted();
            ascending(&shift.score_edges)
                && bins.len() == shift.score_edges.len() + 1
                && bins.len() == cells.len()
                && bins
                    .iter()
                    .zip(cells)
                    .all(|(edges, gaps)| ascending(edges) && finite(gaps) && gaps.len() == edges.len() + 1)
        }
        Calibrator::Isotonic(fit) | Calibrator::Mir(fit) => isotonic(fit),
        Calibrator::VennAbers(fit) => curve(&fit.lower.x, &fit.lower.y) && curve(&fit.upper.x, &fit.upper.y),
        Calibrator::Histogram(fit) => histogram(fit),
        Calibrator::Bbq(fit) => {
            let mut models = fit.models.iter();
            models.all(|model| edges(&model.edges, model.values.len()) && finite(&model.values))
        }
        Calibrator::Pts(network) | Calibrator::Ptsk { network, .. } => {
            let more = match calibrator {
                Calibrator::Pts(_) => 0,
                _ => NEIGHBOURS,
            };
            network.top <= m && network.extra == more && network.is_whole() && finite(&network.network)
        }
        Calibrator::Vector(fit) => affine(fit, m),
        Calibrator::Matrix(fit) | Calibrator::Dirichlet(fit) => affine(fit, m.saturating_mul(m)),
        // kernel and bins are checked as they are read, rows besides; single numbers have a range alone
        Calibrator::Temperature(_)
        | Calibrator::GroupTemperature(_)
        | Calibrator::Platt(_)
        | Calibrator::Beta(_)
        | Calibrator::Ets(_)
        | Calibrator::Lore { .. }
        | Calibrator::DensityRatio { .. }
        | Calibrator::Identity {} => true,
        // read part by part, never as they stand
        Calibrator::Best(_) | Calibrator::Composed { .. } | Calibrator::ProximityStratified { .. } => false,
    };
    !fits
}

/// The first field with a value that no fit has.
fn out_of_range(calibrator: &Calibrator) -> Result<(), String> {
    let isotonic = |fit: &Isotonic| each("y", &fit.y, &UNIT).and(rising("y", &fit.y));
    let histogram = |fit: &Histogram| {
        let values: Vec<f64> = fit.values.iter().flatten().copied().collect();
        each("values", &values, &UNIT)
    };
    let temperature = |fit: &Temperature| one("temperature", fit.temperature, &TEMPERATURES);
    let affine = |fit: &Affine| {
        each("weights", &fit.weights, &COEFFICIENTS)?;
        each("bias", &fit.bias, &COEFFICIENTS)
    };
    let network = |fit: &Pts| each("network", &fit.network, &NETWORK);
    match calibrator {
        Calibrator::Temperature(fit) => temperature(fit),
        Calibrator::GroupTemperature(fit) => {
            temperature(&fit.pooled).map_err(|what| format!("pooled: {what}"))?;
            within(&fit.fits, temperature)
        }
        Calibrator::Platt(fit) => {
            one("a", fit.a, &COEFFICIENTS)?;
            one("b", fit.b, &COEFFICIENTS)
        }
        Calibrator::Beta(fit) => {
            one("a", fit.a, &COEFFICIENTS)?;
            one("b", fit.b, &COEFFICIENTS)?;
            one("c", fit.c, &COEFFICIENTS)
        }
        Calibrator::Isotonic(fit) | Calibrator::Mir(fit) => isotonic(fit),
        Calibrator::VennAbers(fit) => {
            each("lower.y", &fit.lower.y, &UNIT)?;
            each("upper.y", &fit.upper.y, &UNIT)
        }
        Calibrator::Histogram(fit) => histogram(fit),
        Calibrator::GroupHistogram(fit) => {
            histogram(&fit.pooled).map_err(|what| format!("pooled: {what}"))?;
            within(&fit.fits, histogram)
        }
        Calibrator::Bbq(fit) => {
            let weights: Vec<f64> = fit.models.iter().map(|model| model.weight).collect();
            shares("weight", &weights)?;
            let mut models = fit.models.iter();
            models.try_for_each(|model| each("values", &model.values, &UNIT))
        }
        Calibrator::Ets(fit) => {
            one("temperature", fit.temperature, &TEMPERATURES)?;
            shares("weights", &fit.weights)
        }
        Calibrator::Pts(fit) | Calibrator::Ptsk { network: fit, .. } => network(fit),
        Calibrator::Vector(fit) | Calibrator::Matrix(fit) | Calibrator::Dirichlet(fit) => affine(fit),
        Calibrator::Lcb { form, width_p, gamma, alpha, .. } => {
            if *form == BiasForm::Product {
                one("width_p", width_p.unwrap_or(f64::NAN), &WIDTHS)?;
            }
            one("gamma", *gamma, &(0.0..=*WIDTHS.end()))?;
            each("alpha", alpha, &COEFFICIENTS)
        }
        Calibrator::BinMeanShift { shift, .. } => {
            one("lambda", shift.lambda, &(0.0..=1.0))?;
            let mut gaps = shift.gaps.iter();
            gaps.try_for_each(|gaps| each("gaps", gaps, &GAPS))
        }
        Calibrator::Multicalibration(ByCell { fit, .. }) => {
            let shifts: Vec<f64> = fit.steps.iter().map(|step| step.2).collect();
            each("steps", &shifts, &SHIFTS)
        }
        Calibrator::Lore { .. }
        | Calibrator::DensityRatio { .. }
        | Calibrator::Identity {}
        | Calibrator::Best(_)
        | Calibrator::Composed { .. }
        | Calibrator::ProximityStratified { .. } => Ok(()),
    }
}

/// Every fit of the groups, the name of the group before what is said.
fn within<P>(
    fits: &std::collections::BTreeMap<String, P>,
    check: impl Fn(&P) -> Result<(), String>,
) -> Result<(), String> {
    fits.iter().try_for_each(|(name, fit)| check(fit).map_err(|what| format!("fits.{name}: {what}")))
}

/// Refuses a number that lies outside of a range.
pub(super) fn one(name: &str, value: f64, range: &RangeInclusive<f64>) -> Result<(), String> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(told(name, value, range)),
    }
}

/// Refuses a list with a number outside of a range.
pub(super) fn each(name: &str, values: &[f64], range: &RangeInclusive<f64>) -> Result<(), String> {
    match values.iter().position(|value| !range.contains(value)) {
        None => Ok(()),
        Some(place) => {
            let name = format!("{name}, at place {},", place + 1);
            Err(told(&name, values[place], range))
        }
    }
}

/// Refuses values that fall: the curve would turn the order of scores round.
fn rising(name: &str, values: &[f64]) -> Result<(), String> {
    let fall = values.windows(2).position(|pair| pair[1] < pair[0] - 1e-9);
    match fall {
        None => Ok(()),
        Some(place) => Err(format!("{name} falls after place {}", place + 1)),
    }
}

/// Refuses shares that are negative or do not sum to 1.
fn shares(name: &str, values: &[f64]) -> Result<(), String> {
    each(name, values, &UNIT)?;
    let sum: f64 = values.iter().sum();
    match (sum - 1.0).abs() <= 1e-6 {
        true => Ok(()),
        false => Err(format!("{name} sums to {sum}, not to 1")),
    }
}

fn told(name: &str, value: f64, range: &RangeInclusive<f64>) -> String {
    let written = |x: f64| match x != 0.0 && !(1e-4..1e6).contains(&x.abs()) {
        true => format!("{x:e}"),
        false => format!("{}", (x * 1e6).round() / 1e6),
    };
    let exact = match value.is_finite() && (1e-4..1e6).contains(&value.abs()) {
        true => value.to_string(),
        false => written(value),
    };
    // what a sum may round beyond is no part of the range
    let (low, high) = match *range == UNIT {
        true => (0.0, 1.0),
        false => (*range.start(), *range.end()),
    };
    format!("{name} is {exact}; it lies between {} and {}", written(low), written(high))
}
