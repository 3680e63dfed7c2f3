//! Comparison of methods: means over repeats, paired differences, and which of them are significant.

mod plan;
mod request;

pub use plan::Compare;
pub use request::{CompareLayout, CompareRequest};

mod fields;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Method;
use crate::hypothesis::paired_t::paired_t;
use crate::metric::Reason;
use crate::metric::entry::{Better, Metric, Value};
use crate::metric::registry::metric;
use crate::num::moments::mean_and_sd;
use crate::num::proportion::too_few_to_resample;
use crate::num::rng::Lanes;
use crate::num::special::wald_p;
use crate::report::interval::{CorrectedInterval, contains_zero, is_of_pooling, of_distances};
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::report::{MethodReport, RunOutcome};

/// Replicates of every method in every repeat.
pub struct Drawings<'a> {
    /// `none` first
    pub methods: &'a [Method],
    /// by repeat, by method, then by part of the replicates
    pub parts: Vec<Vec<Vec<&'a Drawn>>>,
}

/// Comparison of the methods.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareOutcome {
    /// the panel, as displayed
    pub sheet: Sheet,
    /// in the order of the run, `none` first
    pub methods: Vec<ComparedMethod>,
    /// number of rows scored in each repeat
    pub rows: Vec<usize>,
    /// number of divisions of the rows
    pub repeats: usize,
    /// number of replicates of the intervals
    pub resamples: usize,
    /// what is resampled: `rows`, or `rows_and_repeats`
    pub intervals: &'static str,
    /// verdict on the recalibration with the smallest p-value, adjusted for every method and metric
    pub verdict: Verdict,
}

/// Values of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedMethod {
    /// the method's id
    pub id: String,
    /// its name in the run
    pub name: String,
    /// by metric id
    pub metrics: BTreeMap<String, ComparedValue>,
}

/// A metric of one method.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedValue {
    /// mean over the repeats; null if a repeat has no value
    pub mean: Option<f64>,
    /// standard deviation over the repeats; null with one repeat
    pub sd: Option<f64>,
    /// values by repeat
    pub values: Vec<Option<f64>>,
    /// why there is no value
    pub reason: Option<String>,
    /// difference from `none`
    pub to_none: Option<PairedDifference>,
    /// difference from the method with the best mean
    pub to_best: Option<PairedDifference>,
    /// better than every other method: all paired intervals exclude zero
    pub best: bool,
}

/// Difference of two methods on the same rows; for a metric with an ideal value, difference of the distances from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedDifference {
    /// mean difference over the repeats
    pub value: f64,
    /// difference corrected for resampling bias, for metrics that noise inflates: the interval refers to it; null for
    /// others
    pub corrected: Option<f64>,
    /// lower limit of the 95% CI; null without an interval
    pub low: Option<f64>,
    /// upper limit of that interval
    pub high: Option<f64>,
    /// two-sided p-value of no difference, from a normal distribution with the center and spread of the replicates; null
    /// without replicates
    pub p_rows: Option<f64>,
    /// two-sided p-value of a paired t-test over the repeats; null with one repeat. Too small, since repeats share rows
    pub p: Option<f64>,
    /// true if the difference comes from pooling folds alone and is not tested: a metric of the order of the scores, which both
    /// methods leave unchanged within each fold (of the last run)
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_pooling: bool,
}

/// Direction of a difference, if its interval excludes zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Better,
    Worse,
    Unclear,
}

impl PairedDifference {
    fn side(&self, better: Better) -> Side {
        if self.of_pooling {
            return Side::Unclear;
        }
        match (self.low, self.high, better) {
            (_, Some(high), Better::Lower | Better::Zero | Better::One) if high < 0.0 => Side::Better,
            (Some(low), _, Better::Lower | Better::Zero | Better::One) if low > 0.0 => Side::Worse,
            (Some(low), _, Better::Higher) if low > 0.0 => Side::Better,
            (_, Some(high), Better::Higher) if high < 0.0 => Side::Worse,
            _ => Side::Unclear,
        }
    }
}

/// Values and replicates of every method and repeat, and the repeats that each replicate uses.
struct Table<'a> {
    drawn: &'a Drawings<'a>,
    picks: Vec<Vec<usize>>,
    /// the same methods in the last run
    reported: Vec<Option<&'a MethodReport>>,
    /// too few rows have one of the outcomes for any interval
    too_few: bool,
}

/// Random stream of the repeats in a replicate, separate from those of divisions and weights.
const REPEATS_STREAM: u64 = 1 << 41;

impl<'a> Table<'a> {
    fn new(run: &'a RunOutcome, drawn: &'a Drawings<'a>, resamples: usize, seed: u64) -> Self {
        let reported = |name: &str| run.report.methods.iter().find(|method| method.name == name);
        let repeats = drawn.parts.len();
        let mut lanes = Lanes::seeded(seed, REPEATS_STREAM);
        let mut draws = Vec::new();
        let picks = (0..resamples)
            .map(|_| {
                (0..repeats)
                    .map(|r| {
                        if repeats == 1 {
                            return r;
                        }
                        if draws.is_empty() {
                            draws.extend(lanes.next());
                        }
                        let draw: u32 = draws.pop().unwrap_or(0);
                        ((u64::from(draw) * repeats as u64) >> 32) as usize
                    })
                    .collect()
            })
            .collect();
        let too_few = method_rows(run, None).is_ok_and(|rows| too_few_to_resample(rows.tally()));
        Self { drawn, picks, too_few, reported: drawn.methods.iter().map(|method| reported(&method.name)).collect() }
    }

    fn repeats(&self) -> usize {
        self.drawn.parts.len()
    }

    /// The parts of a method in a repeat.
    fn of(&self, repeat: usize, method: usize) -> &'a [&'a Drawn] {
        self.drawn.parts.get(repeat).and_then(|methods| methods.get(method)).map_or(&[], Vec::as_slice)
    }

    fn value(&self, repeat: usize, method: usize, id: &str) -> Value {
        match self.of(repeat, method).first().and_then(|part| part.values.get(id)) {
            Some(Ok(value)) if value.is_finite() => Ok(*value),
            Some(Err(reason)) => Err(reason.clone()),
            _ => Err(Reason::NotFinite),
        }
    }

    fn draws(&self, repeat: usize, method: usize, id: &str) -> Vec<f64> {
        let parts = self.of(repeat, method).iter();
        parts.filter_map(|part| part.draws.get(id)).flat_map(|draws| draws.iter().copied()).collect()
    }

    /// Whether the error of a method is one that a calibrated model shows, as far as the last run tells.
    fn may_be_zero(&self, metric: &Metric, method: usize) -> bool {
        let reported = self.reported.get(method).copied().flatten();
        let value = reported.and_then(|report| report.metrics.get(metric.id));
        value.is_some_and(|value| contains_zero(metric, value))
    }

    /// Whether a method leaves a metric of the order of the scores as it is within each fold, as far as the last run tells.
    fn keeps_order(&self, metric: &Metric, method: usize) -> bool {
        let reported = self.reported.get(method).copied().flatten();
        let difference = reported.and_then(|report| report.differences.get(metric.id));
        method == 0 || difference.is_some_and(is_of_pooling)
    }

    /// Method `a` minus method `b`.
    fn difference(&self, metric: &Metric, a: usize, b: usize) -> Option<PairedDifference> {
        let size = |v: f64| metric.better.distance(v);
        let repeats = self.repeats();
        let mut each = Vec::with_capacity(repeats);
        let mut values: Vec<[f64; 2]> = Vec::with_capacity(repeats);
        let mut draws: Vec<Vec<[f64; 2]>> = Vec::with_capacity(repeats);
        for r in 0..repeats {
            let (ours, theirs) = (self.value(r, a, metric.id).ok()?, self.value(r, b, metric.id).ok()?);
            each.push(size(ours) - size(theirs));
            values.push([size(ours), size(theirs)]);
            let (ours, theirs) = (self.draws(r, a, metric.id), self.draws(r, b, metric.id));
            // If a metric is undefined in a replicate, it is missing for both methods, so that pairs stay complete.
            let paired = ours.len() == theirs.len();
            let pairs = ours.iter().zip(&theirs).take(if paired { usize::MAX } else { 0 });
            draws.push(pairs.map(|(a, b)| [size(*a), size(*b)]).collect());
        }
        let value = each.iter().map(|d| d / repeats as f64).sum();
        let p = paired_t(&each).map(|test| test.p);
        let count = if self.too_few { 0 } else { draws.iter().map(Vec::len).min().unwrap_or(0) };
        let drawn = |method: usize| -> Vec<f64> {
            let picks = self.picks.iter().take(count).enumerate();
            picks.map(|(k, picks)| picks.iter().map(|&r| draws[r][k][method]).sum::<f64>() / repeats as f64).collect()
        };
        let mean = |method: usize| values.iter().map(|of| of[method]).sum::<f64>() / repeats as f64;
        let (ours, theirs) = (drawn(0), drawn(1));
        let means: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs).collect();
        let alone = CorrectedInterval::of_difference(of_distances(metric), (mean(0), &ours), (mean(1), &theirs));
        let range = alone.of_errors_that_may_be_zero(self.may_be_zero(metric, a), self.may_be_zero(metric, b));
        // Relative to the center of the interval, which is the bias-corrected value if there is one.
        let of_pooling = metric.order_only && self.keeps_order(metric, a) && self.keeps_order(metric, b);
        let p_rows = range.low.filter(|_| !of_pooling).map(|_| {
            let center = range.corrected.unwrap_or(value);
            // no difference where the interval was extended to zero
            if range == alone { wald_p(center, mean_and_sd(&means).1) } else { 1.0 }
        });
        let p = p.filter(|_| !of_pooling);
        let CorrectedInterval { corrected, low, high } = range;
        Some(PairedDifference { value, corrected, low, high, p_rows, p, of_pooling })
    }
}

/// Compares the methods.
///
/// Differences are means over repeats of differences on the same rows. Their intervals come from replicates that reweight
/// the rows, in the same way for every method and repeat, and, with several repeats, also resample the repeats. Repeats
/// share rows, so that their spread alone would give intervals that are far too narrow (Nadeau and Bengio, 2003).
///
/// # Errors
/// `internal` if there is not the same number of methods in every repeat.
pub fn compare(run: &RunOutcome, request: &CompareRequest, drawn: &Drawings) -> Result<CompareOutcome> {
    let (count, repeats) = (drawn.methods.len(), drawn.parts.len());
    if repeats == 0 || drawn.parts.iter().any(|methods| methods.len() != count) {
        return Err(Error::internal(format!("Not all repeats of the comparison have {count} methods.")));
    }
    let resamples = request.resamples.unwrap_or(0);
    let table = Table::new(run, drawn, resamples, request.seed.unwrap_or(0));
    let mut methods: Vec<ComparedMethod> = drawn
        .methods
        .iter()
        .map(|method| ComparedMethod {
            id: method.kind.id().into_owned(),
            name: method.name.clone(),
            metrics: BTreeMap::new(),
        })
        .collect();
    let metrics: Vec<&Metric> = request.metrics.iter().flatten().filter_map(|id| metric(id)).collect();
    for metric in &metrics {
        for (value, method) in one_metric(&table, metric).into_iter().zip(&mut methods) {
            method.metrics.insert(metric.id.to_owned(), value);
        }
    }
    let rows: Vec<usize> = (0..repeats).filter_map(|r| table.of(r, 0).first().map(|part| part.rows)).collect();
    let fitted: Vec<usize> = (0..repeats).filter_map(|r| table.of(r, 0).first().map(|part| part.fitted)).collect();
    let sure = words::Sure::of(&metrics, &methods, table.too_few);
    let sheet = words::sheet(run, request, &table, &metrics, (&methods, &sure), (&rows, &fitted));
    Ok(CompareOutcome {
        verdict: sure.verdict,
        sheet,
        methods,
        rows,
        repeats,
        resamples,
        intervals: if repeats > 1 { "rows_and_repeats" } else { "rows" },
    })
}

/// One value a method.
fn one_metric(table: &Table, metric: &Metric) -> Vec<ComparedValue> {
    let (count, repeats) = (table.drawn.methods.len(), table.repeats());
    let mut out: Vec<ComparedValue> = (0..count)
        .map(|k| {
            let found: Vec<_> = (0..repeats).map(|r| table.value(r, k, metric.id)).collect();
            let reason = found.iter().find_map(|v| v.as_ref().err().map(ToString::to_string));
            let values: Vec<Option<f64>> = found.into_iter().map(std::result::Result::ok).collect();
            let whole: Option<Vec<f64>> = values.iter().copied().collect();
            let mean = whole.as_ref().map(|v| v.iter().sum::<f64>() / repeats as f64);
            let sd = whole.zip(mean).filter(|_| repeats > 1).map(|(v, mean)| {
                let squares = v.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
                (squares / (repeats - 1) as f64).sqrt()
            });
            ComparedValue { mean, sd, values, reason, ..ComparedValue::default() }
        })
        .collect();
    let lead = (0..count)
        .filter_map(|k| out[k].mean.map(|mean| (k, metric.better.badness(mean))))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| k);
    for (k, value) in out.iter_mut().enumerate() {
        value.to_none = (k != 0).then(|| table.difference(metric, k, 0)).flatten();
        value.to_best = lead.filter(|&lead| lead != k).and_then(|lead| table.difference(metric, k, lead));
    }
    if let Some(lead) = lead {
        // All other methods must be significantly worse; this is not known for one without a value.
        out[lead].best = (0..count)
            .filter(|&k| k != lead)
            .all(|k| out[k].to_best.is_some_and(|d| d.side(metric.better) == Side::Worse));
    }
    out
}
