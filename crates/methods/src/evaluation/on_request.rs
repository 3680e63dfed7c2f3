//! Metrics that are computed only where a request names them.
//!
//! Their replicates repeat or redraw whole samples, because most of them are not sums over rows; each metric has as many
//! as fit into a second, and the report says how many.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ndarray::Array2;

use super::resample::Replicates;
use super::scored::{Scored, why_not};
use super::vectors::Vectors;
use crate::data::Predictions;
use crate::data::pair::confidence_of_predicted;
use crate::error::Result;
use crate::metric::Reason;
use crate::metric::binning::BinOptions;
use crate::metric::entry::{self, Metric, MetricRequirement, Reweighted, Value, ValueOf};
use crate::metric::group::{FEWEST_ROWS, group_errors};
use crate::metric::registry;
use crate::metric::rows::{Arranged, ArrangedOutcomes, Pair, Prediction, ProbabilityRows};
use crate::num::cluster::{ClusteredDraws, fill_clustered_poisson};
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::table::Column;

/// Whether a metric is computed here.
pub fn is_on_request(id: &str) -> bool {
    registry::metric(id).is_some_and(|metric| metric.value.on_request())
}

/// The ids whose replicates are whole samples; those of proximity and of groups only where the run has them.
pub fn resampled(ids: &[String], with_proximity: bool, with_groups: bool) -> Vec<String> {
    let sampled = |id: &&String| {
        registry::metric(id).is_some_and(|metric| {
            metric.replicates.sample_cost().is_some()
                && match metric.value.needs() {
                    MetricRequirement::Proximity => with_proximity,
                    MetricRequirement::Groups => with_groups,
                    MetricRequirement::ScoreAndTarget
                    | MetricRequirement::EveryClass
                    | MetricRequirement::Neighbourhoods
                    | MetricRequirement::Covariates => true,
                }
        })
    };
    ids.iter().filter(sampled).cloned().collect()
}

/// Expected milliseconds of one replicate of `ids` on `n` rows, interval and floor together.
pub fn replicate_cost<'a>(ids: impl Iterator<Item = &'a String>, n: usize) -> f64 {
    let n = n as f64;
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for id in ids {
        let cost = registry::metric(id).and_then(|metric| metric.replicates.sample_cost());
        let cost = cost.map_or(0.0, |cost| cost.of_row(n));
        (largest, sum) = (largest.max(cost), sum + cost);
    }
    2.0 * n * largest.max(0.4 * sum)
}

/// Milliseconds that the replicates of a metric may take, per method, if no other is computed with it.
const METRIC_MS: f64 = 1000.0;
/// And how many there are at least.
const LEAST: usize = 20;

/// Replicates in ranges, within each of which the same metrics are computed. A metric has as many on `n` rows as fit into
/// `METRIC_MS`, and at most `most`: what else is asked for changes neither its interval nor its null range.
pub fn ranges(ids: &[String], n: usize, most: usize) -> Vec<(BTreeSet<String>, Range<usize>)> {
    let count = |id: &String| {
        let within = METRIC_MS / replicate_cost(std::iter::once(id), n);
        most.min((within as usize).max(LEAST))
    };
    let ends: BTreeSet<usize> = ids.iter().map(count).collect();
    let mut first = 0;
    let range = |last| {
        let range = std::mem::replace(&mut first, last)..last;
        (ids.iter().filter(|id| count(id) >= last).cloned().collect(), range)
    };
    ends.into_iter().map(range).collect()
}

/// Point values of the ids asked for, but those of proximity and of groups.
///
/// * `pair`: of the scored rows; what it has computed already is not computed again
///
/// # Errors
/// As the metrics' own, for what a scored sample cannot be: of different lengths, or empty.
pub fn values(
    data: &Predictions,
    scored: &Scored,
    pair: &Pair,
    ids: &BTreeSet<String>,
) -> Result<BTreeMap<String, Value>> {
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    let mut prediction = None;
    let mut of_vectors: Vec<&Metric> = Vec::new();
    for metric in registry::all().filter(|metric| metric.value.on_request() && ids.contains(metric.id)) {
        if let Some(why) = why_not(metric, pair) {
            values.insert(metric.id.to_owned(), Err(why));
            continue;
        }
        let value = match metric.value {
            ValueOf::Pair(value) => {
                let value = value(pair)?.filter(|v| v.is_finite());
                value.ok_or(Reason::undefined("not defined for these outcomes"))
            }
            ValueOf::Prediction(value) => value(prediction.get_or_insert_with(|| {
                let (confidence, correct) = confidence_of_predicted(data, &scored.rows, &scored.score, &scored.target);
                Prediction { confidence, correct }
            }))?,
            ValueOf::Vectors(_) => {
                of_vectors.push(metric);
                continue;
            }
            ValueOf::Rows(_)
            | ValueOf::Classes(_)
            | ValueOf::Proximity(_)
            | ValueOf::Groups(_)
            | ValueOf::Neighbourhoods { .. }
            | ValueOf::KlceTest(_) => continue,
        };
        values.insert(metric.id.to_owned(), value);
    }
    if !of_vectors.is_empty() {
        values.extend(vector_values(data, scored, pair, &of_vectors)?);
    }
    Ok(values)
}

/// Values of whole probability vectors; where there is no vector, why.
fn vector_values(
    data: &Predictions,
    scored: &Scored,
    pair: &Pair,
    metrics: &[&Metric],
) -> Result<Vec<(String, Value)>> {
    let (Some(vectors), Some(y)) = (Vectors::new(data, &scored.calibrators)?, &data.y) else {
        let missing =
            |metric: &&Metric| (metric.id.to_owned(), Err(Reason::undefined("needs a probability for every class")));
        return Ok(metrics.iter().map(missing).collect());
    };
    let mut p = Array2::zeros((scored.rows.len(), vectors.width()));
    let mut vector = vec![0.0; vectors.width()];
    for (k, mut row) in p.rows_mut().into_iter().enumerate() {
        vectors.vector_into(scored.rows[k] as usize, scored.fold[k], scored.score[k], &mut vector);
        row.iter_mut().zip(&vector).for_each(|(to, from)| *to = *from);
    }
    let y: Vec<u32> = scored.rows.iter().map(|&row| y[row as usize]).collect();
    let rows = ProbabilityRows::new(p.view(), &y, pair.weights, pair.bins);
    let mut values = Vec::new();
    for metric in metrics {
        if let ValueOf::Vectors(value) = metric.value {
            values.push((metric.id.to_owned(), value(&rows)?));
        }
    }
    Ok(values)
}

/// Point values of the ids asked for that look at proximity, where the run has one.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn proximity_values(scored: &Scored, ids: &BTreeSet<String>) -> Result<Vec<(String, Value)>> {
    let placed = placed(&scored.proximity);
    let (score, proximity) = (at(&placed, &scored.score), at(&placed, &scored.proximity));
    let target = at(&placed, &scored.target);
    let arranged = Arranged::new(&score, &proximity);
    let near = ArrangedOutcomes::new(&arranged, &target);
    let missing = match scored.weights() {
        _ if scored.proximity.is_empty() => Some(Reason::FeaturesMissing),
        Some(_) if scored.counted => Some(Reason::NotFromCounts),
        Some(_) => Some(Reason::NotWithWeights),
        None => None,
    };
    let mut values = Vec::new();
    for metric in registry::computed(|id| ids.contains(id)) {
        if let ValueOf::Proximity(value) = metric.value {
            let value = match &missing {
                Some(missing) => Err(missing.clone()),
                None => value(&near)?,
            };
            values.push((metric.id.to_owned(), value));
        }
    }
    Ok(values)
}

/// Places of the scored rows that are near to some: all, but for those with a gap in a feature.
fn placed(proximity: &[f64]) -> Vec<usize> {
    let all = 0..proximity.len();
    let found: Vec<usize> = all.clone().filter(|&i| !proximity[i].is_nan()).collect();
    // With a single calibration row no row is near to any.
    if found.is_empty() { all.collect() } else { found }
}

fn at<T: Copy>(places: &[usize], values: &[T]) -> Vec<T> {
    places.iter().map(|&i| values[i]).collect()
}

/// Point values of the ids asked for that look at groups, where the run has them.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
pub fn group_values(scored: &Scored, bins: &BinOptions, ids: &BTreeSet<String>) -> Result<Vec<(String, Value)>> {
    let missing = match scored.weights() {
        Some(_) if scored.counted => Some(Reason::NotFromCounts),
        Some(_) => Some(Reason::NotWithWeights),
        None if scored.groups.is_empty() => Some(Reason::GroupsMissing),
        None => None,
    };
    let found = match missing {
        Some(missing) => Err(missing),
        None => Ok(group_errors(&scored.score, &scored.target, &scored.groups, bins)?),
    };
    let asked = registry::all().filter(|metric| ids.contains(metric.id));
    let values = asked.filter_map(|metric| {
        let ValueOf::Groups(value) = metric.value else {
            return None;
        };
        let value = match &found {
            Ok(found) => value(found).ok_or_else(|| match found.groups.is_empty() {
                true => Reason::undefined("no row has a group"),
                false => Reason::undefined(format!("no bin of a group has {FEWEST_ROWS} rows")),
            }),
            Err(missing) => Err(missing.clone()),
        };
        Some((metric.id.to_owned(), value))
    });
    Ok(values.collect())
}

/// A sample of which metrics are computed whole.
struct Sample<'a> {
    pair: Pair<'a>,
    near: Option<ArrangedOutcomes<'a>>,
    /// empty where there are none
    groups: &'a [u32],
}

impl Sample<'_> {
    /// Appends the value of every metric that the sample has the rows for. Undefined draws keep their place as NaN:
    /// replicate by replicate methods stand beside each other.
    fn push_values(&self, metrics: &[&'static Metric], into: &mut BTreeMap<String, Column<f64>>) -> Result<()> {
        for metric in metrics {
            let value = match (metric.value, &self.near) {
                (ValueOf::Pair(value), _) => value(&self.pair)?.filter(|v| v.is_finite()),
                (ValueOf::Proximity(value), Some(near)) => value(near)?.ok(),
                (ValueOf::Groups(value), _) if !self.groups.is_empty() => {
                    let Pair { score, target, bins, .. } = &self.pair;
                    value(&*self.pair.shared(|| group_errors(score, target, self.groups, bins))?)
                }
                (ValueOf::Proximity(_) | ValueOf::Groups(_), _)
                | (
                    ValueOf::Rows(_)
                    | ValueOf::Classes(_)
                    | ValueOf::Prediction(_)
                    | ValueOf::Vectors(_)
                    | ValueOf::Neighbourhoods { .. }
                    | ValueOf::KlceTest(_),
                    _,
                ) => continue,
            };
            into.entry(metric.id.to_owned()).or_default().push(value.unwrap_or(f64::NAN));
        }
        Ok(())
    }
}

/// Metrics whose replicates are samples of their own, and those that are computed from the same scores under other weights.
type Replicated<'a> = (Vec<&'static Metric>, Vec<(&'static Metric, Reweighted<'a>)>);

/// The metrics among `ids` that have replicates of whole samples; with sample weights, those that are defined with them.
fn replicated<'a>(ids: &BTreeSet<String>, whole: &'a Pair<'a>) -> Replicated<'a> {
    let (mut sampled, mut reweighted) = Replicated::default();
    let asked = registry::all().filter(|metric| ids.contains(metric.id));
    for metric in asked.filter(|metric| whole.weights.is_none() || metric.weights.is_defined()) {
        match metric.replicates {
            entry::Replicates::Samples(_) => sampled.push(metric),
            entry::Replicates::Reweighted(of, _) => reweighted.push((metric, of(whole))),
            entry::Replicates::Sums(_)
            | entry::Replicates::Classes(_)
            | entry::Replicates::Neighbourhoods { .. }
            | entry::Replicates::Test(_)
            | entry::Replicates::Never => {}
        }
    }
    (sampled, reweighted)
}

/// Appends the values of metrics of the same scores under other targets and numbers of rows.
fn push_reweighted(
    reweighted: &[(&'static Metric, Reweighted)],
    target: &[u8],
    counts: Option<&[u8]>,
    into: &mut BTreeMap<String, Column<f64>>,
) {
    for (metric, value) in reweighted {
        let value = Some(value(target, counts)).filter(|v| v.is_finite());
        into.entry(metric.id.to_owned()).or_default().push(value.unwrap_or(f64::NAN));
    }
}

/// Rows drawn with replacement, as many of each as `counts` says.
struct Resampled {
    score: Vec<f64>,
    target: Vec<u8>,
    weights: Option<Vec<f64>>,
    /// empty where there are none
    groups: Vec<u32>,
    /// of those that are near to some
    near: (Vec<f64>, Vec<u8>, Vec<f64>),
}

impl Resampled {
    /// * `placed`: places of the rows that are near to some, with their proximity
    fn new(scored: &Scored, placed: &[usize], counts: &[u8]) -> Self {
        let repeated = |places: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            places.flat_map(|i| std::iter::repeat_n(i, usize::from(counts[i]))).collect()
        };
        let drawn = repeated(&mut (0..counts.len()));
        let near = repeated(&mut placed.iter().copied());
        Self {
            score: at(&drawn, &scored.score),
            target: at(&drawn, &scored.target),
            weights: scored.weights().map(|w| at(&drawn, w)),
            groups: if scored.groups.is_empty() { Vec::new() } else { at(&drawn, &scored.groups) },
            near: (at(&near, &scored.score), at(&near, &scored.target), at(&near, &scored.proximity)),
        }
    }

    /// Appends the values of the metrics; nothing where no row was drawn.
    fn push_values(
        &self,
        metrics: &[&'static Metric],
        bins: &BinOptions,
        into: &mut BTreeMap<String, Column<f64>>,
    ) -> Result<()> {
        if self.score.is_empty() {
            return Ok(());
        }
        let (score, target, proximity) = &self.near;
        let arranged = (!proximity.is_empty()).then(|| Arranged::new(score, proximity));
        let sample = Sample {
            pair: Pair::new(&self.score, &self.target, self.weights.as_deref(), bins),
            near: arranged.as_ref().map(|arranged| ArrangedOutcomes::new(arranged, target)),
            groups: &self.groups,
        };
        sample.push_values(metrics, into)
    }
}

/// Replicates `first..last` of the ids that have them: rows repeated by Poisson(1) weights, and targets redrawn from the
/// scores. The weights are those of the scorecard's replicates, so differences between methods are paired.
///
/// # Errors
/// As [`values`].
pub fn replicates(
    scored: &Scored,
    options: &BinOptions,
    ids: &BTreeSet<String>,
    seed: u64,
    range: Range<usize>,
) -> Result<Replicates> {
    let mut out = Replicates::default();
    if scored.counted {
        // what is computed from counts has an analytic interval, or none
        return Ok(out);
    }
    let weights = scored.weights();
    let whole = Pair::new(&scored.score, &scored.target, weights, options);
    let (sampled, reweighted) = replicated(ids, &whole);
    let n = scored.rows.len();
    let thresholds: Vec<i32> = scored.score.iter().map(|&s| bernoulli_threshold(s)).collect();
    let has_near = !scored.proximity.is_empty() && weights.is_none();
    let placed = if has_near { placed(&scored.proximity) } else { Vec::new() };
    let (score, proximity) = (at(&placed, &scored.score), at(&placed, &scored.proximity));
    let arranged = has_near.then(|| Arranged::new(&score, &proximity));
    let (mut counts, mut redrawn) = (vec![0u8; n], vec![0u8; n]);
    let (clusters, present) = (&scored.clusters, scored.clusters.present());
    let clustered = present.as_ref().map(|present| {
        let rho = outcome_correlation(&scored.score, &scored.target, &present.of, present.count);
        ClusteredDraws::new(rho, &scored.score, &present.of, present.count)
    });
    for r in range {
        let mut lanes = Lanes::seeded(seed, 2 * r as u64);
        match clustered.is_some() {
            true => fill_clustered_poisson(&mut lanes, &clusters.of, clusters.count, &mut counts),
            false => lanes.fill_poisson(&mut counts),
        }
        let resampled = Resampled::new(scored, &placed, &counts);
        resampled.push_values(&sampled, options, &mut out.bootstrap)?;
        // where no row was drawn, or none that is near to any, the replicate keeps its place
        let undefined = sampled.iter().filter(|metric| match metric.value {
            ValueOf::Proximity(_) => has_near && resampled.near.0.is_empty(),
            ValueOf::Groups(_) => !scored.groups.is_empty() && resampled.score.is_empty(),
            _ => resampled.score.is_empty(),
        });
        undefined.for_each(|metric| out.bootstrap.entry(metric.id.to_owned()).or_default().push(f64::NAN));
        push_reweighted(&reweighted, &scored.target, Some(&counts), &mut out.bootstrap);
        let mut lanes = Lanes::seeded(seed, 2 * r as u64 + 1);
        match &clustered {
            Some(draws) => draws.fill(&mut lanes, &thresholds, &mut redrawn),
            None => lanes.fill_bernoulli(&thresholds, &mut redrawn),
        }
        let near_redrawn = at(&placed, &redrawn);
        let sample = Sample {
            pair: Pair::new(&scored.score, &redrawn, weights, options),
            near: arranged.as_ref().map(|arranged| ArrangedOutcomes::new(arranged, &near_redrawn)),
            groups: &scored.groups,
        };
        sample.push_values(&sampled, &mut out.floor)?;
        push_reweighted(&reweighted, &redrawn, None, &mut out.floor);
    }
    Ok(out)
}
