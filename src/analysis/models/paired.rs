//! Models of one cohort against the open one: the same rows, drawn again together.

use serde::{Deserialize, Serialize};

use super::cohort::{Cohort, CohortModel, LeftOut};
use super::describe::{GroupGap, ModelBenefit, ModelDescription};
use super::measures::{Best, Measure, ModelDraws, analytic, is_analytic, measures, values};
use crate::data::PresentClusters;
use crate::error::Result;
use crate::hypothesis::multiplicity::holm;
use crate::metric::binning::BinOptions;
use crate::metric::entry::{Interval, Range};
use crate::num::moments::mean_and_sd;
use crate::num::proportion::too_few_to_resample;
use crate::num::special::wald_p;
use crate::num::weight::tally;
use crate::report::interval::{CorrectedInterval, TOO_FEW};
use crate::report::verdict::{Evidence, LEVEL, Verdict};
use crate::words::text::capitalized;

/// Models of one cohort, on the rows that all of them scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedModels {
    /// rows that every one of them scored
    pub rows: usize,
    /// names of the models, the open one first
    pub models: Vec<String>,
    /// models of other rows: no number of theirs is paired
    pub left_out: Vec<LeftOut>,
    /// number of resamples of the rows, the same for all models
    pub resamples: usize,
    /// number of differences tested, for which p-values are adjusted
    pub comparisons: usize,
    /// the scorecard
    pub metrics: Vec<PairedMetric>,
    /// the gap of every group under every model
    pub groups: Vec<GroupGap>,
    /// decision curves; empty where scores are no probabilities of an event
    pub decision: Vec<ModelBenefit>,
    /// verdict on the difference with the smallest adjusted p-value
    pub verdict: Verdict,
    /// the result in one or more sentences
    pub sentence: String,
}

/// A line of the scorecard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedMetric {
    /// metric id, or `observed_expected`
    pub id: String,
    /// display name
    pub name: String,
    /// in the order of the models
    pub values: Vec<PairedValue>,
}

/// A metric of one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedValue {
    /// name of the model
    pub model: String,
    /// value on the rows that all models scored; null if undefined
    pub value: Option<f64>,
    /// value corrected for resampling bias, for metrics that noise inflates: the interval refers to it; null for others
    pub corrected: Option<f64>,
    /// lower limit of the 95% CI
    pub low: Option<f64>,
    /// upper limit of that interval
    pub high: Option<f64>,
    /// difference from the current model on the same rows; null for the current model
    pub difference: Option<ModelDifference>,
}

/// A metric of a model minus that of the current model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelDifference {
    /// observed difference
    pub value: f64,
    /// difference corrected for resampling bias, for metrics that noise inflates: the interval refers to it; null for
    /// others
    pub corrected: Option<f64>,
    /// lower limit of the paired 95% CI
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// two-sided p-value of no difference, for the quantity of the interval
    pub p: f64,
    /// p-value adjusted for all differences of the table of metrics (Holm)
    pub p_holm: f64,
    /// for a metric with an ideal value inside its range: p-value of equal distance from that value, the larger of the
    /// p-values that both values are equal and that one equals the other mirrored at the ideal; null for other metrics
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_nearer: Option<f64>,
    /// comparison with the current model, by the adjusted p-value
    pub standing: ModelVerdict,
}

/// Comparison of a model with the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelVerdict {
    /// significantly better
    Better,
    /// significantly worse
    Worse,
    /// significantly different; the metric has an ideal value inside its range, and which model is closer to it is not
    /// significant
    Differs,
    /// not significantly different
    #[default]
    Unclear,
}

/// A center with its interval and the two-sided probability of 0.
struct Tested {
    estimate: CorrectedInterval,
    /// standard deviation of the draws
    sd: f64,
    p: f64,
}

impl Tested {
    /// About another center, which is nearer to 0.
    fn about(self, estimate: CorrectedInterval) -> Self {
        let center = estimate.corrected.unwrap_or(0.0);
        Self { estimate, p: self.p.max(wald_p(center, self.sd)), ..self }
    }
}

/// Of a quantity and its draws. p is that of the normal distribution with the spread of the draws, and at least twice the
/// smaller share of draws beyond 0, so that no interval that holds 0 goes with a small p.
fn tested(value: f64, draws: &[f64], pushed: bool) -> Option<Tested> {
    let mut known: Vec<f64> = draws.iter().copied().filter(|v| v.is_finite()).collect();
    // Half of the draws undefined: few events, and what is left is no fair sample of them.
    if !value.is_finite() || known.len() < 2 || 2 * known.len() < draws.len() {
        return None;
    }
    known.sort_unstable_by(f64::total_cmp);
    let kind = if pushed { Interval::Basic } else { Interval::Percentile };
    let estimate = CorrectedInterval::of((kind, Range::Any), value, &known);
    let center = estimate.corrected.unwrap_or(value);
    let sd = mean_and_sd(&known).1;
    let mirrored = |v: &f64| if pushed { 2.0 * value - v } else { *v };
    let share =
        |beyond: &dyn Fn(f64) -> bool| known.iter().filter(|v| beyond(mirrored(v))).count() as f64 / known.len() as f64;
    let tail = 2.0 * share(&|v| v <= 0.0).min(share(&|v| v >= 0.0));
    Some(Tested { estimate, sd, p: wald_p(center, sd).max(tail).min(1.0) })
}

/// One model's value and draws of a metric.
type Drawn<'a> = (f64, &'a [f64]);

fn difference(measure: &Measure, (ours, our_draws): Drawn, (theirs, their_draws): Drawn) -> Option<ModelDifference> {
    let pairs = || our_draws.iter().zip(their_draws);
    let less: Vec<f64> = pairs().map(|(a, b)| a - b).collect();
    let mut found = tested(ours - theirs, &less, measure.pushed())?;
    if measure.pushed() {
        let made = (Interval::Basic, Range::Share);
        found = found.about(CorrectedInterval::of_difference(made, (ours, our_draws), (theirs, their_draws)));
    }
    let (p_nearer, better) = match measure.best {
        Best::Low => (None, ours < theirs),
        Best::High => (None, ours > theirs),
        Best::Near(_) => {
            // a is nearer than b where a − b and a + b differ in sign: both must be known.
            let (a, b) = (measure.deviation(ours), measure.deviation(theirs));
            let off = |v: &f64| measure.deviation(*v);
            let apart: Vec<f64> = pairs().map(|(x, y)| off(x) - off(y)).collect();
            let mirrored: Vec<f64> = pairs().map(|(x, y)| off(x) + off(y)).collect();
            let (apart, mirrored) = (tested(a - b, &apart, false)?, tested(a + b, &mirrored, false)?);
            (Some(apart.p.max(mirrored.p)), a.abs() < b.abs())
        }
    };
    Some(ModelDifference {
        value: ours - theirs,
        corrected: found.estimate.corrected,
        low: found.estimate.low?,
        high: found.estimate.high?,
        p: found.p,
        p_holm: found.p,
        p_nearer,
        // until it is corrected, which way it would be
        standing: if better { ModelVerdict::Better } else { ModelVerdict::Worse },
    })
}

/// The scorecard, with paired differences to the open model.
fn scorecard(cohort: &Cohort, bins: &BinOptions, parts: &[&ModelDraws]) -> Result<(Vec<PairedMetric>, usize)> {
    let values = values(cohort, bins)?;
    let present = cohort.clusters.present();
    let draws = |model: usize, id: &str| -> Vec<f64> {
        let parts = parts.iter().filter_map(|part| part.models.get(model)?.get(id));
        parts.flat_map(|draws| draws.iter().copied()).collect()
    };
    let mut found = Vec::new();
    for (j, measure) in measures(cohort.view).iter().enumerate() {
        let value = |k: usize| values.get(k).and_then(|values| values.get(j)).copied().unwrap_or(f64::NAN);
        let drawn: Vec<Vec<f64>> = (0..cohort.models.len()).map(|k| draws(k, measure.id)).collect();
        let base = drawn.first().map(|draws| (value(0), draws.as_slice()));
        let each = cohort.models.iter().zip(&drawn).enumerate().map(|(k, (model, draws))| {
            let estimate = match is_analytic(measure.id) {
                true => {
                    let rows = (cohort.weights(), present.as_ref().map(PresentClusters::rows));
                    let ends = analytic(measure, model, rows, bins)?.filter(|_| value(k).is_finite());
                    let (low, high) = ends.map(|[low, high]| (low.min(value(k)), high.max(value(k)))).unzip();
                    CorrectedInterval { corrected: None, low, high }
                }
                false => tested(value(k), draws, measure.pushed()).map(|found| found.estimate).unwrap_or_default(),
            };
            Ok(PairedValue {
                model: model.name.clone(),
                value: Some(value(k)).filter(|value| value.is_finite()),
                corrected: estimate.corrected.map(|value| value.clamp(0.0, 1.0)),
                low: estimate.low.map(|low| if measure.pushed() { low.clamp(0.0, 1.0) } else { low }),
                high: estimate.high.map(|high| if measure.pushed() { high.clamp(0.0, 1.0) } else { high }),
                difference: (base.filter(|_| k > 0 && !too_few(cohort, model)))
                    .and_then(|base| difference(measure, (value(k), draws), base)),
            })
        });
        let values = each.collect::<Result<_>>()?;
        found.push(PairedMetric { id: measure.id.to_owned(), name: measure.name.to_owned(), values });
    }
    let mut differences: Vec<&mut ModelDifference> =
        found.iter_mut().flat_map(|metric| &mut metric.values).filter_map(|value| value.difference.as_mut()).collect();
    adjust(&mut differences);
    let comparisons = differences.len();
    Ok((found, comparisons))
}

/// Adjusts the p-values of all differences, and says which models differ, and which are better.
fn adjust(differences: &mut [&mut ModelDifference]) {
    let corrected = holm(&differences.iter().map(|one| one.p).collect::<Vec<_>>());
    let nearer = holm(&differences.iter().map(|one| one.p_nearer.unwrap_or(one.p)).collect::<Vec<_>>());
    for ((one, p), nearer) in differences.iter_mut().zip(corrected).zip(nearer) {
        one.p_holm = p;
        one.standing = match one.standing {
            _ if p > LEVEL => ModelVerdict::Unclear,
            // of a measure without an ideal in the middle, the lower or the higher value is better
            _ if one.p_nearer.is_some() && nearer > LEVEL => ModelVerdict::Differs,
            standing => standing,
        };
    }
}

/// The comparison of the models of one cohort, without its sentence.
///
/// # Errors
/// Those of the bins.
pub(super) fn paired(
    cohort: &Cohort,
    bins: &BinOptions,
    parts: &[&ModelDraws],
    looks: &[&ModelDescription],
) -> Result<PairedModels> {
    let (metrics, comparisons) = match cohort.models.len() > 1 && !cohort.rows.is_empty() {
        true => scorecard(cohort, bins, parts)?,
        false => (Vec::new(), 0),
    };
    let drawn = parts.iter().filter_map(|part| Some(part.models.first()?.values().next()?.len()));
    let mut groups: Vec<GroupGap> = looks.iter().flat_map(|look| look.groups.iter().cloned()).collect();
    for (group, p) in
        groups.iter_mut().zip(holm(&looks.iter().flat_map(|l| l.groups.iter().map(|g| g.p)).collect::<Vec<_>>()))
    {
        group.p_holm = p;
    }
    // by column and group, the models of each together
    let mut order: Vec<(String, String)> = Vec::new();
    for group in &groups {
        let key = (group.column.clone(), group.group.clone());
        if !order.contains(&key) {
            order.push(key);
        }
    }
    let of = |(column, name): &(String, String)| {
        groups.iter().filter(|one| one.column == *column && one.group == *name).cloned().collect::<Vec<_>>()
    };
    let groups = order.iter().flat_map(of).collect();
    Ok(PairedModels {
        rows: cohort.rows.len(),
        models: cohort.models.iter().map(|model| model.name.clone()).collect(),
        left_out: cohort.left_out.clone(),
        resamples: drawn.sum(),
        comparisons,
        verdict: verdict(cohort, &metrics),
        metrics,
        groups,
        decision: looks.iter().filter_map(|look| look.benefit.clone()).collect(),
        sentence: String::new(),
    })
}

/// About the difference that is least like chance.
fn verdict(cohort: &Cohort, metrics: &[PairedMetric]) -> Verdict {
    let all = metrics.iter().flat_map(|metric| metric.values.iter());
    let differences = all.filter_map(|value| Some((&value.model, value.difference.as_ref()?)));
    let least = differences.reduce(|a, b| if (b.1.p_holm, b.1.p) < (a.1.p_holm, a.1.p) { b } else { a });
    match least {
        Some((model, found)) => Verdict::new(model.clone(), Some(found.value), Evidence::P(found.p_holm)),
        None if metrics.is_empty() => {
            Verdict::untested("", None, "No other model scored the same rows, so no difference was tested")
        }
        None if cohort.models.iter().skip(1).all(|model| too_few(cohort, model)) => {
            Verdict::untested("", None, capitalized(TOO_FEW))
        }
        None => Verdict::untested("", None, "Without resamples no difference is tested"),
    }
}

/// Whether too few rows have one of the outcomes under the model or under the open one.
fn too_few(cohort: &Cohort, model: &CohortModel) -> bool {
    cohort.models.first().into_iter().chain([model]).any(|one| too_few_to_resample(tally(&one.target, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_brier_score_is_better_whatever_the_slope_does() {
        let one = |p: f64, p_nearer: Option<f64>| ModelDifference {
            value: -0.001,
            corrected: None,
            low: -0.002,
            high: -0.0001,
            p,
            p_holm: p,
            p_nearer,
            standing: ModelVerdict::Better,
        };
        // Brier, scaled Brier, slope, calibration in the large; four differences in all
        let mut all = [one(0.015, None), one(0.012, None), one(0.001, Some(0.29)), one(0.8, Some(0.9))];
        adjust(&mut all.iter_mut().collect::<Vec<_>>());
        let standings: Vec<ModelVerdict> = all.iter().map(|one| one.standing).collect();
        assert!(all[0].p_holm <= LEVEL && all[1].p_holm <= LEVEL, "{all:?}");
        assert_eq!(
            standings,
            [ModelVerdict::Better, ModelVerdict::Better, ModelVerdict::Differs, ModelVerdict::Unclear]
        );
    }
}
