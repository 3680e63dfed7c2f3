//! Whether the numbers of a fit can be used.

use crate::evaluation::method::{ByCell, Calibrator, NEIGHBOURS};
use crate::recalibrate::affine::Affine;
use crate::recalibrate::histogram::Histogram;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::temperature::Temperature;

/// What makes the parameters useless, if anything: lengths that do not fit together, or values that are no numbers.
pub(super) fn unsound(calibrator: &Calibrator, m: usize) -> Option<String> {
    let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
    let curve =
        |x: &[f64], y: &[f64]| x.len() == y.len() && finite(x) && finite(y) && x.is_sorted();
    let affine = |fit: &Affine, weights: usize| {
        fit.bias.len() == m
            && fit.weights.len() == weights
            && finite(&fit.bias)
            && finite(&fit.weights)
    };
    let edges = |edges: &[f64], values: usize| {
        values > 0 && edges.len() == values + 1 && finite(edges) && edges.is_sorted()
    };
    let isotonic = |fit: &Isotonic| !fit.x.is_empty() && curve(&fit.x, &fit.y);
    let histogram = |fit: &Histogram| {
        edges(&fit.edges, fit.values.len()) && fit.values.iter().flatten().all(|v| v.is_finite())
    };
    let temperature = |fit: &Temperature| fit.temperature > 0.0 && fit.temperature.is_finite();
    let sound = match calibrator {
        Calibrator::Temperature(fit) => temperature(fit),
        Calibrator::GroupTemperature(fit) => {
            temperature(&fit.pooled) && fit.fits.values().all(temperature)
        }
        Calibrator::GroupHistogram(fit) => {
            histogram(&fit.pooled) && fit.fits.values().all(histogram)
        }
        Calibrator::Multicalibration(ByCell { fit, groups, .. }) => {
            let steps = fit.steps.iter();
            edges(&fit.edges, fit.edges.len().saturating_sub(1))
                && steps
                    .clone()
                    .all(|(group, _, shift)| (*group as usize) < groups.len() && shift.is_finite())
                && fit.rounds.is_sorted()
                && fit.rounds.iter().all(|end| *end as usize <= steps.len())
                && fit.shares.is_none_or(|(a, b)| finite(&[a, b]))
        }
        Calibrator::Lcb {
            form,
            width_p,
            gamma,
            alpha,
            ..
        } => {
            let width = match form {
                BiasForm::Product => *width_p,
                _ => Some(1.0),
            };
            *gamma >= 0.0
                && finite(&[*gamma])
                && width.is_some_and(|width| width > 0.0)
                && finite(alpha)
                && alpha.is_empty() == (*form != BiasForm::Krr)
        }
        Calibrator::BinMeanShift { shift, .. } => {
            let (bins, cells) = (&shift.log_proximity_edges, &shift.gaps);
            let ascending = |edges: &[f64]| finite(edges) && edges.is_sorted();
            finite(&[shift.lambda])
                && ascending(&shift.score_edges)
                && bins.len() == shift.score_edges.len() + 1
                && bins.len() == cells.len()
                && bins.iter().zip(cells).all(|(edges, gaps)| {
                    ascending(edges) && finite(gaps) && gaps.len() == edges.len() + 1
                })
        }
        Calibrator::Platt(fit) => finite(&[fit.a, fit.b]),
        Calibrator::Beta(fit) => finite(&[fit.a, fit.b, fit.c]),
        Calibrator::Isotonic(fit) | Calibrator::Mir(fit) => isotonic(fit),
        Calibrator::VennAbers(fit) => {
            curve(&fit.lower.x, &fit.lower.y) && curve(&fit.upper.x, &fit.upper.y)
        }
        Calibrator::Histogram(fit) => histogram(fit),
        Calibrator::Bbq(fit) => fit.models.iter().all(|model| {
            edges(&model.edges, model.values.len())
                && finite(&model.values)
                && model.weight.is_finite()
        }),
        Calibrator::Ets(fit) => fit.temperature > 0.0 && finite(&fit.weights),
        Calibrator::Pts(network) | Calibrator::Ptsk { network, .. } => {
            let more = match calibrator {
                Calibrator::Pts(_) => 0,
                _ => NEIGHBOURS,
            };
            network.top <= m
                && network.extra == more
                && network.is_whole()
                && finite(&network.network)
        }
        Calibrator::Vector(fit) => affine(fit, m),
        Calibrator::Matrix(fit) | Calibrator::Dirichlet(fit) => affine(fit, m.saturating_mul(m)),
        // kernel and bins are checked as they are read, rows besides
        Calibrator::Lore { .. } | Calibrator::DensityRatio { .. } | Calibrator::Identity {} => true,
        // read part by part, never as they stand
        Calibrator::Best(_)
        | Calibrator::Composed { .. }
        | Calibrator::ProximityStratified { .. } => false,
    };
    (!sound).then(|| {
        format!("its numbers are damaged, or do not fit together with each other and {m} classes")
    })
}
