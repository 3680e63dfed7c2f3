//! The measures of every model of a cohort, on its rows and on rows that are drawn again, the same for all models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cohort::{Cohort, CohortModel};
use crate::data::View;
use crate::error::Result;
use crate::metric::accuracy::ACCURACY;
use crate::metric::auroc::{AUROC, auroc_ascending};
use crate::metric::binning::BinOptions;
use crate::metric::brier::BRIER;
use crate::metric::clinical::{INTERCEPT_LARGE, SLOPE};
use crate::metric::ece::{ECE, ece};
use crate::metric::entry::{Better, Interval};
use crate::metric::log_loss::NLL;
use crate::metric::observed_expected::{OBSERVED_EXPECTED, observed_expected};
use crate::metric::registry;
use crate::metric::reliability::weighted_reliability_table;
use crate::metric::rows::Pair;
use crate::metric::scaled_brier::SCALED_BRIER;
use crate::num::cluster::{RowClusters, fill_clustered_poisson};
use crate::num::logistic::weighted_logistic;
use crate::num::order::{along, ascending};
use crate::num::rng::Lanes;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::num::weight::Sampling;
use crate::run::graph::{Handle, Outcomes, Step};
use crate::table::Column;

/// A line of the scorecard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// as scripts write it
    pub(super) id: &'static str,
    /// as people write it
    pub(super) name: &'static str,
    /// what is best
    pub(super) best: Best,
}

/// Which values are better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Best {
    /// small ones
    Low,
    /// large ones
    High,
    /// those near to this one; ratios are as near as their logarithms
    Near(f64),
}

impl Measure {
    /// How far a value is from the ideal, with a sign; of a ratio its logarithm.
    pub(super) fn deviation(&self, value: f64) -> f64 {
        match self.best {
            Best::Near(_) if self.id == OBSERVED_EXPECTED => value.ln(),
            Best::Near(ideal) => value - ideal,
            Best::Low | Best::High => value,
        }
    }

    /// Whether noise pushes it upwards.
    pub(super) fn pushed(&self) -> bool {
        self.id == ECE.id
    }
}

/// The lines of the scorecard: what the finding tells, and the log loss.
pub(super) fn measures(view: View) -> Vec<Measure> {
    let mut told = crate::analysis::finding::reported_metrics(view);
    if !told.iter().any(|(id, _)| *id == NLL.id) {
        told.push((NLL.id, NLL.name));
    }
    let best = |id: &str| match crate::metric::registry::metric(id).map(|metric| metric.better) {
        _ if id == OBSERVED_EXPECTED => Best::Near(1.0),
        Some(Better::Higher) => Best::High,
        Some(better) => better.ideal().map_or(Best::Low, Best::Near),
        None => Best::Low,
    };
    told.into_iter().map(|(id, name)| Measure { id, name, best: best(id) }).collect()
}

/// The ends of the interval of a measure of one model, where it is analytic ([`Interval::Analytic`], and observed : expected):
/// the same as in its own scorecard.
///
/// # Errors
/// Those of the metric.
pub(super) fn analytic(
    measure: &Measure,
    model: &CohortModel,
    (w, clusters): (Option<&[f64]>, Option<RowClusters>),
    bins: &BinOptions,
) -> Result<Option<[f64; 2]>> {
    if measure.id == OBSERVED_EXPECTED {
        let found = observed_expected(&model.score, &model.target, w, Sampling::of(clusters))?;
        return Ok(found.map(|(_, ends)| ends));
    }
    let Some(metric) = registry::metric(measure.id) else { return Ok(None) };
    if !is_analytic(measure.id) {
        return Ok(None);
    }
    metric.ends(&Pair::new(&model.score, &model.target, w, bins).clustered(clusters), &ascending(&model.score))
}

/// Whether the interval of a measure of one model needs no draws.
pub(super) fn is_analytic(id: &str) -> bool {
    id == OBSERVED_EXPECTED
        || registry::metric(id).is_some_and(|metric| matches!(metric.interval, Interval::Analytic(..)))
}

/// What every draw of one model shares.
struct Shared<'a> {
    model: &'a CohortModel,
    /// rows by ascending score
    order: Vec<u32>,
    score: Vec<f64>,
    target: Vec<u8>,
    fits: Option<Fits>,
    /// bin of each row, and their number, where the error of bins is told
    bins: Option<(Vec<u32>, usize)>,
}

/// The logistic fits to all rows.
struct Fits {
    /// logit s
    z: Vec<f64>,
    /// intercept beside a slope of 1, and what it makes of each row
    large: Option<(f64, Vec<f64>)>,
    /// intercept and slope, and what they make of each row
    joint: Option<([f64; 2], Vec<f64>)>,
}

impl Fits {
    fn new(model: &CohortModel, w: Option<&[f64]>) -> Self {
        let z: Vec<f64> = model.score.iter().map(|&s| logit(s, PROB_CLIP)).collect();
        let large = weighted_logistic(&[], Some(&z), &model.target, w);
        let joint = weighted_logistic(&[&z], None, &model.target, w);
        let large = large.and_then(|fit| fit.coefficients.first().copied());
        let joint = joint.and_then(|fit| Some([*fit.coefficients.first()?, *fit.coefficients.get(1)?]));
        let of = |a: f64, b: f64| z.iter().map(|z| sigmoid(a + b * z)).collect::<Vec<_>>();
        Self { large: large.map(|a| (a, of(a, 1.0))), joint: joint.map(|[a, b]| ([a, b], of(a, b))), z }
    }

    /// One Newton step from the fits to all rows towards those to rows of these weights: (intercept, slope).
    ///
    /// What is left out is of order 1/n. Source: Davidson and MacKinnon (1999), Bootstrap testing in nonlinear models.
    fn drawn(&self, t: &[u8], w: &[f64]) -> [f64; 2] {
        let mut out = [f64::NAN; 2];
        if let Some((a, p)) = &self.large {
            let (mut g, mut h) = (0.0, 0.0);
            for ((&p, &t), &w) in p.iter().zip(t).zip(w) {
                g += w * (f64::from(t) - p);
                h += w * p * (1.0 - p);
            }
            out[0] = a + g / h;
        }
        if let Some(([_, b], p)) = &self.joint {
            let (mut g, mut gz, mut h, mut hz, mut hzz) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (((&p, &t), &w), &z) in p.iter().zip(t).zip(w).zip(&self.z) {
                let (r, v) = (w * (f64::from(t) - p), w * p * (1.0 - p));
                g += r;
                gz += r * z;
                h += v;
                hz += v * z;
                hzz += v * z * z;
            }
            out[1] = b + (h * gz - hz * g) / (h * hzz - hz * hz);
        }
        out
    }
}

impl<'a> Shared<'a> {
    fn new(model: &'a CohortModel, view: View, w: Option<&[f64]>, bins: &BinOptions) -> Result<Self> {
        let order = ascending(&model.score);
        let binned = match view {
            View::TopLabel => {
                let binning = bins.binning(&model.score)?;
                let count = binning.count();
                Some((binning.assignment, count))
            }
            View::Positive => None,
        };
        Ok(Self {
            score: along(&order, &model.score),
            target: along(&order, &model.target),
            order,
            fits: (view == View::Positive).then(|| Fits::new(model, w)),
            bins: binned,
            model,
        })
    }

    /// Every measure of rows of these weights; `NaN` where one is not defined.
    fn drawn(&self, measures: &[Measure], w: &[f64]) -> Vec<f64> {
        let model = self.model;
        let [mut n, mut s, mut t, mut nll, mut brier, mut right] = [0.0; 6];
        for (i, &w) in w.iter().enumerate() {
            n += w;
            s += w * model.score[i];
            t += w * f64::from(model.target[i]);
            nll += w * model.nll[i];
            brier += w * model.brier[i];
            right += w * f64::from(model.correct[i]);
        }
        let [intercept, slope] = self.fits.as_ref().map_or([f64::NAN; 2], |fits| fits.drawn(&model.target, w));
        let of = |measure: &Measure| match measure.id {
            OBSERVED_EXPECTED => t / s,
            id if id == INTERCEPT_LARGE.id => intercept,
            id if id == SLOPE.id => slope,
            id if id == AUROC.id => {
                let at = |i: usize| w[self.order[i] as usize];
                auroc_ascending(&self.score, &self.target, at).unwrap_or(f64::NAN)
            }
            id if id == BRIER.id => brier / n,
            id if id == SCALED_BRIER.id => 1.0 - brier / n / (t / n * (1.0 - t / n)),
            id if id == NLL.id => nll / n,
            id if id == ACCURACY.id => right / n,
            id if id == ECE.id => self.gaps(w) / n,
            _ => f64::NAN,
        };
        measures.iter().map(of).collect()
    }

    /// Σ over bins of |Σ w (s − t)|.
    fn gaps(&self, w: &[f64]) -> f64 {
        let Some((bins, count)) = &self.bins else { return f64::NAN };
        let mut sums = vec![0.0; *count];
        for (((&bin, &s), &t), &w) in bins.iter().zip(self.model.score.iter()).zip(self.model.target.iter()).zip(w) {
            if let Some(sum) = sums.get_mut(bin as usize) {
                *sum += w * (s - f64::from(t));
            }
        }
        sums.iter().map(|sum| sum.abs()).sum()
    }
}

/// Every measure of every model on the rows as they are; `NaN` where one is not defined.
///
/// # Errors
/// Those of the bins.
pub(super) fn values(cohort: &Cohort, bins: &BinOptions) -> Result<Vec<Vec<f64>>> {
    let measures = measures(cohort.view);
    let once = vec![1.0; cohort.rows.len()];
    let w = cohort.weights();
    let each = cohort.models.iter().map(|model| {
        let shared = Shared::new(model, cohort.view, w, bins)?;
        let mut found = shared.drawn(&measures, w.unwrap_or(&once));
        for (value, measure) in found.iter_mut().zip(&measures) {
            // ties across bins of equal mass are parted in the table alone
            if measure.id == ECE.id {
                let table = weighted_reliability_table(&model.score, &model.target, w, bins)?;
                *value = ece(&table).unwrap_or(f64::NAN);
            }
        }
        Ok(found)
    });
    each.collect()
}

/// Draws `first` to `last` of every model and measure: replicate r weighs the rows by Poisson(1) numbers of stream 2r, the
/// same for all models, so that their differences are paired, and for all rows of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawModels {
    pub(super) cohort: Handle<Cohort>,
    pub(super) bins: BinOptions,
    pub(super) seed: u64,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// By model, by measure: the value of every draw, `NaN` where it is not defined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelDraws {
    pub(super) models: Vec<BTreeMap<String, Column<f64>>>,
}

impl Step for DrawModels {
    type Output = ModelDraws;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<ModelDraws> {
        let cohort = at.the(&self.cohort)?;
        if cohort.models.len() < 2 || cohort.rows.is_empty() {
            return Ok(ModelDraws::default());
        }
        let measures = measures(cohort.view);
        let own = cohort.weights();
        let shared = cohort.models.iter().map(|model| Shared::new(model, cohort.view, own, &self.bins));
        let shared: Vec<Shared> = shared.collect::<Result<_>>()?;
        let draws = self.last.saturating_sub(self.first);
        let mut found = vec![vec![Vec::with_capacity(draws); measures.len()]; shared.len()];
        let mut counts = vec![0u8; cohort.rows.len()];
        let mut w = vec![0.0; cohort.rows.len()];
        for r in self.first..self.last {
            let (mut lanes, clusters) = (Lanes::seeded(self.seed, 2 * r as u64), &cohort.clusters);
            match clusters.of.is_empty() {
                true => lanes.fill_poisson(&mut counts),
                false => fill_clustered_poisson(&mut lanes, &clusters.of, clusters.count, &mut counts),
            }
            for (i, (w, &count)) in w.iter_mut().zip(&counts).enumerate() {
                *w = f64::from(count) * own.map_or(1.0, |own| own[i]);
            }
            for (shared, found) in shared.iter().zip(&mut found) {
                for (value, draws) in shared.drawn(&measures, &w).into_iter().zip(found) {
                    draws.push(value);
                }
            }
            progress((r + 1 - self.first) as f64 / draws as f64);
        }
        let named = |columns: Vec<Vec<f64>>| {
            measures.iter().zip(columns).map(|(measure, draws)| (measure.id.to_owned(), draws.into())).collect()
        };
        Ok(ModelDraws { models: found.into_iter().map(named).collect() })
    }
}
