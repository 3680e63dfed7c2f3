//! All rows together: how far off, in which way, and whether that could be chance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Estimate, OfClusters};
use crate::data::clusters::FEW_CLUSTERS;
use crate::data::{Predictions, PresentClusters, View};
use crate::error::{Error, Result};
use crate::evaluation::request::RunRequest;
use crate::evaluation::resample::{self, default_resamples};
use crate::metric::accuracy::ACCURACY;
use crate::metric::auroc::{AUROC, auroc_ordered, delong_ordered};
use crate::metric::brier::BRIER;
use crate::metric::clinical::{self, INTERCEPT_LARGE, SLOPE, clustered_intercept_slope};
use crate::metric::ece::ECE;
use crate::metric::entry::{Interval, IntervalKind, ValueOf};
use crate::metric::log_loss::NLL;
use crate::metric::observed_expected::{OBSERVED_EXPECTED, observed_expected};
use crate::metric::registry;
use crate::metric::rows::Pair;
use crate::metric::scaled_brier::{SCALED_BRIER, scaled_brier};
use crate::num::cluster::RowClusters;
use crate::num::order::ascending;
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::num::weight::{RowWeights, Sampling, weight, weighted_mean, weighted_share};
use crate::plot::reliability::ReliabilityChart;
use crate::report::view::request::ReliabilityRequest;
use crate::report::view::{method_rows, reliability};
use crate::report::{MethodRows, RunOutcome};
use crate::scan::{ScoreTest, mean_error, score_test, score_test_of_counts};
use crate::words::number::fixed;
use crate::words::text::counted;

/// Rows of the rarer outcome from which on it is told that scores separate the outcomes.
const LEAST_SEPARATED: usize = 10;

/// All rows together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// which pair is looked at
    pub view: View,
    /// scored rows
    pub rows: usize,
    /// of them those with the event
    pub events: usize,
    /// whether the means are weighted by sample weights
    pub weighted: bool,
    /// mean score
    #[serde(rename = "says")]
    pub predicted: f64,
    /// observed share of events
    #[serde(rename = "happened")]
    pub observed: f64,
    /// z of Σ w (t − s) where every score is right
    pub mean_z: f64,
    /// of the mean error where every score is right
    pub standard_error: f64,
    /// against every smooth curve of the score
    pub test: ScoreTest,
    /// β of logit P = α + β logit s of scores other than 0 and 1, whose log-odds are those of the clipping; 1 where scores
    /// are right
    pub slope: Estimate,
    /// the rows with the lowest and the highest fifth of the scores; `None` where too few values are to divide them
    pub ends: Option<[ScoreEnd; 2]>,
    /// rows whose score is 0 or 1, which `slope` leaves out
    pub sure: usize,
    /// by metric id
    pub numbers: BTreeMap<String, Estimate>,
    /// the clusters of the rows, where there are any
    pub clusters: Option<OfClusters>,
    /// the diagram
    pub chart: ReliabilityChart,
}

/// The rows at one end of the scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScoreEnd {
    /// mean score
    pub predicted: f64,
    /// observed share of events
    pub observed: f64,
    /// z of the mean error of the scores
    pub z: f64,
    /// z of the mean error after recalibration in the large; positive: more events than predicted
    pub recalibrated_z: f64,
}

impl Overall {
    /// Whether every event, of ten or more, has a higher score than every other row, as is rare without leakage: no finite slope fits
    /// such scores.
    pub(super) fn is_separated(&self) -> bool {
        let auroc = self.numbers.get(AUROC.id).and_then(|auroc| auroc.value);
        let rarer = self.events.min(self.rows - self.events);
        self.view == View::Positive && auroc == Some(1.0) && rarer >= LEAST_SEPARATED
    }
}

/// Metrics of a kind of problem in the order in which they are told.
pub fn reported_metrics(view: View) -> Vec<(&'static str, &'static str)> {
    match view {
        View::Positive => vec![
            (OBSERVED_EXPECTED, "O:E ratio"),
            (INTERCEPT_LARGE.id, INTERCEPT_LARGE.name),
            (SLOPE.id, SLOPE.name),
            (AUROC.id, AUROC.name),
            (BRIER.id, BRIER.name),
            (SCALED_BRIER.id, SCALED_BRIER.name),
        ],
        View::TopLabel => vec![
            (ACCURACY.id, ACCURACY.name),
            (ECE.id, ECE.name),
            (NLL.id, NLL.name),
            (BRIER.id, BRIER.name),
            (AUROC.id, "AUROC of correctness"),
        ],
    }
}

/// The numbers of all scored rows: those of the last run with their intervals, else computed here, with the intervals that a
/// run gives them.
///
/// # Errors
/// `unknown_method`; `too_few_rows` where no row is scored; those of the diagram.
///
/// # Cost
/// That of [`score_test`], of two logistic fits, and a sort.
pub fn overall(data: &Predictions, run: &RunOutcome, seed: u64) -> Result<Overall> {
    let rows = method_rows(run, None)?;
    let (s, t, w) = (&rows.score, &rows.target, rows.weights());
    if s.is_empty() {
        return Err(Error::new("too_few_rows", "0 rows are scored.", "Include rows to score."));
    }
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let told_clusters = clusters.zip(data.clusters.as_ref()).map(|(clusters, all)| {
        OfClusters::new(&all.column, clusters.count, outcome_correlation(s, t, clusters.of, clusters.count))
    });
    let numbers = numbers(data.view, run, rows, clusters)?;
    let error = mean_error(s, t, w, rows.counted, clusters);
    let (slope, sure) = slope(rows, clusters, &numbers)?;
    let large = numbers.get(INTERCEPT_LARGE.id).and_then(|found| found.value);
    let (n, events) = rows.tally();
    Ok(Overall {
        view: data.view,
        rows: n,
        events,
        weighted: w.is_some() && !rows.counted,
        predicted: weighted_mean(s, w),
        observed: weighted_share(t, w),
        mean_z: error.z,
        standard_error: error.standard_error,
        test: match w {
            Some(counts) if rows.counted => score_test_of_counts(s, t, counts),
            _ => score_test(s, t, w, clusters.map(|clusters| (clusters.of, clusters.count)), seed, 0),
        },
        slope,
        ends: large.and_then(|large| ends(rows, large)),
        sure,
        numbers,
        clusters: told_clusters,
        chart: reliability::chart(data, run, &ReliabilityRequest::default())?,
    })
}

/// The slope of scores other than 0 and 1, and how many rows have these; where there are none, that of the numbers.
fn slope(
    rows: &MethodRows,
    clusters: Option<RowClusters>,
    numbers: &BTreeMap<String, Estimate>,
) -> Result<(Estimate, usize)> {
    let (s, t, w) = (&rows.score, &rows.target, rows.weights());
    let fitted = |s: &[f64], t: &[u8], w: RowWeights, clusters: Option<RowClusters>| -> Result<Estimate> {
        Ok(of_fit(clustered_intercept_slope(s, t, w, Sampling { clusters, counted: rows.counted })?.slope))
    };
    let is_sure = |s: f64| s <= PROB_CLIP || s >= 1.0 - PROB_CLIP;
    let inside: Vec<u32> = (0..s.len() as u32).filter(|&i| !is_sure(s[i as usize])).collect();
    if inside.len() == s.len() {
        return Ok((numbers.get(SLOPE.id).copied().map_or_else(|| fitted(s, t, w, clusters), Ok)?, 0));
    }
    let stands_for = |i: usize| if rows.counted { weight(w, i).round() as usize } else { 1 };
    let sure = (0..s.len()).filter(|&i| is_sure(s[i])).map(stands_for).sum();
    if inside.is_empty() {
        return Ok((Estimate::default(), sure));
    }
    let of_inside = |all: &[f64]| -> Vec<f64> { inside.iter().filter_map(|&i| all.get(i as usize).copied()).collect() };
    let targets: Vec<u8> = inside.iter().map(|&i| t[i as usize]).collect();
    let present = rows.clusters.at(&inside).present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    Ok((fitted(&of_inside(s), &targets, w.map(of_inside).as_deref(), clusters)?, sure))
}

/// The rows with the lowest and the highest fifth of the scores. O(n).
///
/// * `large`: the intercept of the recalibration in the large
fn ends(rows: &MethodRows, large: f64) -> Option<[ScoreEnd; 2]> {
    let mut scores = rows.score.to_vec();
    let place = scores.len() / 5;
    let (_, low, _) = (place < scores.len()).then(|| scores.select_nth_unstable_by(place, f64::total_cmp))?;
    let low = *low;
    let (_, high, _) = scores.select_nth_unstable_by(rows.score.len() - 1 - place, f64::total_cmp);
    let high = *high;
    let of = |inside: &dyn Fn(f64) -> bool| {
        let places: Vec<u32> = (0..).zip(rows.score.iter()).filter(|(_, s)| inside(**s)).map(|(i, _)| i).collect();
        let s: Vec<f64> = places.iter().map(|&i| rows.score[i as usize]).collect();
        let t: Vec<u8> = places.iter().map(|&i| rows.target[i as usize]).collect();
        let w: Option<Vec<f64>> =
            rows.weights().map(|w| places.iter().filter_map(|&i| w.get(i as usize).copied()).collect());
        let present = rows.clusters.at(&places).present();
        let clusters = present.as_ref().map(PresentClusters::rows);
        let recalibrated: Vec<f64> = s.iter().map(|&s| sigmoid(logit(s, PROB_CLIP) + large)).collect();
        let z = |s: &[f64]| mean_error(s, &t, w.as_deref(), rows.counted, clusters).z;
        let (predicted, observed) = (weighted_mean(&s, w.as_deref()), weighted_share(&t, w.as_deref()));
        ScoreEnd { predicted, observed, z: z(&s), recalibrated_z: z(&recalibrated) }
    };
    (low < high).then(|| [of(&|s| s <= low), of(&|s| s >= high)])
}

impl OfClusters {
    /// "400 clusters (patient_id): their rows are treated as dependent (intraclass correlation 0.21)."
    fn new(column: &str, count: usize, icc: f64) -> Self {
        let few = match count < FEW_CLUSTERS {
            true => " With so few, tests and intervals are approximate.",
            false => "",
        };
        Self {
            column: column.to_owned(),
            count,
            icc,
            sentence: format!(
                "{} ({column}): rows of one cluster are treated as dependent (intraclass correlation {}).{few}",
                counted(count, "cluster"),
                fixed(icc, 2)
            ),
        }
    }
}

fn of_fit(fit: Option<clinical::WaldEstimate>) -> Estimate {
    fit.filter(|fit| [fit.value, fit.low, fit.high].iter().all(|v| v.is_finite()))
        .map_or_else(Estimate::default, |fit| estimate(fit.value, Some([fit.low, fit.high]), IntervalKind::Wald))
}

/// Replicates of an interval that is computed here as in the run: as many as that has made; of a run without any, as many as are
/// usual.
pub(super) fn resamples(settings: &RunRequest, rows: usize) -> usize {
    settings.resamples.filter(|made| *made > 0).unwrap_or_else(|| default_resamples(rows))
}

fn numbers(
    view: View,
    run: &RunOutcome,
    rows: &MethodRows,
    clusters: Option<RowClusters>,
) -> Result<BTreeMap<String, Estimate>> {
    let of_run = run.report.methods.iter().find(|method| method.name == rows.method.name);
    let known = |id: &str| -> Option<Estimate> {
        let found = of_run?.metrics.get(id).filter(|found| found.value.is_some())?;
        Some(Estimate {
            value: found.value,
            low: found.low,
            high: found.high,
            corrected: found.corrected,
            interval: found.interval,
        })
    };
    let settings = &run.report.settings;
    let rows = Rows {
        view,
        pair: Pair::new(&rows.score, &rows.target, rows.weights(), &settings.bins)
            .clustered(clusters)
            .counting(rows.counted),
        order: ascending(&rows.score),
        resamples: resamples(settings, rows.score.len()),
        drawn: (!rows.clusters.of.is_empty())
            .then(|| RowClusters { of: &rows.clusters.of, count: rows.clusters.count }),
        seed: settings.seed,
    };
    let each = reported_metrics(view).into_iter().map(|(id, _)| {
        let found = match known(id) {
            Some(found) if found.low.is_some() => found,
            // a run without replicates has no interval that could be another
            Some(found) => Some(rows.estimate(id)?).filter(|own| own.low.is_some()).unwrap_or(found),
            None => rows.estimate(id)?,
        };
        Ok((id.to_owned(), found))
    });
    each.collect()
}

/// Where a number is found that the run does not hold: with the interval that the run would have given it.
struct Rows<'a> {
    view: View,
    pair: Pair<'a>,
    /// ascending scores
    order: Vec<u32>,
    /// of bootstrap intervals
    resamples: usize,
    /// clusters by which they draw rows: those of the data, by their numbers there
    drawn: Option<RowClusters<'a>>,
    seed: u64,
}

impl Rows<'_> {
    fn estimate(&self, id: &str) -> Result<Estimate> {
        let Pair { score, target, weights, .. } = self.pair;
        if id == OBSERVED_EXPECTED {
            let found = observed_expected(score, target, weights, self.pair.sampling())?;
            return Ok(found.map_or_else(Estimate::default, |(ratio, ends)| {
                estimate(ratio, Some(ends), IntervalKind::ExactOrWald)
            }));
        }
        let (Some(metric), pair) = (registry::metric(id), self.view == View::Positive) else {
            return Ok(Estimate::default());
        };
        if let Interval::Analytic(kind, _) = metric.interval {
            let value = match metric.value {
                ValueOf::Pair(value) => value(&self.pair)?.filter(|value| value.is_finite()),
                _ if id == AUROC.id => auroc_of(&self.pair, &self.order),
                _ if id == SCALED_BRIER.id => scaled_brier(score, target, weights)?,
                _ => None,
            };
            let Some(value) = value else { return Ok(Estimate::default()) };
            return Ok(estimate(value, metric.ends(&self.pair, &self.order)?, kind));
        }
        let losses: Vec<f64> = match () {
            () if id == BRIER.id && pair => {
                score.iter().zip(target).map(|(s, &t)| (s - f64::from(t)) * (s - f64::from(t))).collect()
            }
            () if id == ACCURACY.id && !pair => target.iter().map(|&t| f64::from(t)).collect(),
            () => return Ok(Estimate::default()),
        };
        let found = match weights {
            Some(counts) if self.pair.counted => {
                let [found] = resample::means_of_counts([&losses], counts, self.seed, self.resamples);
                found
            }
            _ => resample::mean(&losses, weights, self.drawn, self.seed, self.resamples),
        };
        Ok(estimate(weighted_mean(&losses, weights), found, IntervalKind::BootstrapPercentile))
    }
}

/// A value with an interval of this kind; sums in another order never put a value outside of it.
fn estimate(value: f64, ends: Option<[f64; 2]>, kind: IntervalKind) -> Estimate {
    Estimate {
        value: Some(value),
        low: ends.map(|[low, _]| low.min(value)),
        high: ends.map(|[_, high]| high.max(value)),
        corrected: None,
        interval: ends.map(|_| kind),
    }
}

fn auroc_of(pair: &Pair, order: &[u32]) -> Option<f64> {
    match pair.weights {
        None => auroc_ordered(pair.score, pair.target, order),
        Some(_) => {
            delong_ordered(pair.score, pair.target, (pair.weights, pair.sampling()), order).map(|(area, _)| area)
        }
    }
}
