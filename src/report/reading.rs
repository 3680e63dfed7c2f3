//! Findings as sentences.

use crate::metric::Reason;
use std::collections::BTreeMap;

use super::interval::{TOO_FEW, is_of_pooling, metric_value};
use super::{MethodReport, MetricValue, Report, SAME};
use crate::data::View;
use crate::evaluation::method::title;
use crate::evaluation::resample::Replicates;
use crate::metric::brier::BRIER;
use crate::metric::classwise::CLASSWISE_ECE;
use crate::metric::ece::ECE;
use crate::metric::entry::{Metric, Value};
use crate::metric::local_error::MEAN_LCE;
use crate::metric::log_loss::NLL;
use crate::metric::mean_gap::MEAN_GAP;
use crate::num::order;
use crate::words::number::{count, percent, percentage_points, points, points_interval, significant};
use crate::words::text::{capitalized, enumerated};

/// Two questions are asked of every file, on average and bin by bin, each at this level: by Bonferroni at most one calibrated
/// file in 50 is said to be off. The headline is read first, and of many files; it may be surer than the numbers beneath it,
/// which stand beside what 19 of 20 calibrated models show.
const OVERALL_LEVEL: f64 = 0.01;

/// What is asked of the first method's scores, and how often a calibrated model would show as much.
#[derive(Debug, Clone, Default)]
pub struct Overall {
    /// mean s
    pub score: f64,
    /// mean t
    pub rate: f64,
    /// mean s − mean t, with its floor
    pub gap: MetricValue,
    /// expected calibration error, with its floor
    pub ece: MetricValue,
    /// share of label sets redrawn from the scores with a mean gap at least as far from 0; none with too few draws
    gap_p: Option<f64>,
    /// share of the same with an ECE at least as large
    ece_p: Option<f64>,
}

impl Overall {
    /// * `values`, `ends`, `replicates`: by metric id, as computed for every method that ran, whatever was asked for
    ///
    /// p = (1 + draws that are at least as large) / (draws + 1): under the null p ≤ α in at most a share α of all files
    /// (Phipson and Smyth, 2010).
    pub fn new(
        (score, rate): (f64, f64),
        values: &BTreeMap<String, Value>,
        ends: &BTreeMap<String, [f64; 2]>,
        replicates: &Replicates,
    ) -> Self {
        let missing = Err(Reason::NotComputed);
        let value = |metric: &Metric| {
            let ends = ends.get(metric.id).copied();
            metric_value(metric, values.get(metric.id).unwrap_or(&missing), ends, replicates)
        };
        let (gap, ece) = (value(&MEAN_GAP), value(&ECE));
        let p = |metric: &Metric, found: &MetricValue| {
            let size = found.value?.abs() - SAME;
            let draws = replicates.floor.get(metric.id)?;
            let larger = draws.iter().filter(|v| v.abs() >= size).count();
            let all = (draws.len() + 1) as f64;
            // Fewer draws could not find anything, however large.
            (OVERALL_LEVEL * all >= 1.0).then(|| (larger + 1) as f64 / all)
        };
        Self { score, rate, gap_p: p(&MEAN_GAP, &gap), ece_p: p(&ECE, &ece), gap, ece }
    }
}

/// The finding in one sentence, and the numbers that it rests on beside those of a calibrated model.
///
/// It claims only what one of the two tests finds, and never that nothing is there while one of the two numbers lies outside
/// what a calibrated model would show. Where the original predictions were not run, it names the method that it is about.
pub fn headline(report: &Report, found: &Overall) -> (String, String) {
    let first = report.methods.iter().find(|method| method.metrics.values().any(|metric| metric.value.is_some()));
    let (sentence, expected) = of_scores(report, found);
    match first.filter(|method| method.id != "none") {
        Some(method) => (format!("{}: {sentence}", title(&method.name)), expected),
        None => (sentence, expected),
    }
}

fn of_scores(report: &Report, found: &Overall) -> (String, String) {
    let n = count(report.data.evaluation_rows as u64);
    let gap = found.score - found.rate;
    let (subject, predicted, observed) = match report.data.view {
        View::TopLabel => ("Confidence is", "mean confidence", "accuracy"),
        View::Positive => ("Probabilities are", "predicted", "observed"),
    };
    let means = format!("{predicted} {}, {observed} {}, n = {n}", percent(found.score), percent(found.rate));
    let ece = significant(found.ece.value.unwrap_or(f64::NAN));
    // scores can be far from no event at all
    let is_off = found.gap_p.is_some_and(|p| p <= OVERALL_LEVEL);
    if let Some(none) = no_outcome(report.data.view, found.rate).filter(|_| !is_off) {
        return (format!("{none}: calibration cannot be assessed ({means})."), String::new());
    }
    let (Some(gap_p), Some(ece_p)) = (found.gap_p, found.ece_p) else {
        let least = (1.0 / OVERALL_LEVEL).round() as u64 - 1;
        let first = format!("Calibration was not tested, which takes at least {least} simulations ({means}).");
        let second = match found.ece.value {
            Some(_) => format!("ECE is {ece}."),
            None => String::new(),
        };
        return (first, second);
    };
    // A calibrated model is excluded by a mean error that scores nearer to the base rate would often have: what is wrong is on
    // average only if the interval says so, too.
    let cancels = found.gap.low.zip(found.gap.high).is_some_and(|(low, high)| low <= 0.0 && high >= 0.0);
    let first = match (gap_p <= OVERALL_LEVEL, ece_p <= OVERALL_LEVEL, cancels) {
        (false, false, _) | (true, false, true) => match (found.gap.outside_floor(), found.ece.above_floor()) {
            (false, false) => {
                let of = if report.data.view == View::TopLabel { " of confidence" } else { "" };
                format!("No significant mean error or ECE{of} ({means}).")
            }
            (outside, above) => {
                let what = match (outside, above) {
                    (true, true) => "mean error and ECE",
                    (true, false) => "mean error",
                    _ => "ECE",
                };
                let but = match gap_p <= OVERALL_LEVEL {
                    true => "the 95% CI of the mean error includes 0",
                    false => "not significant at 1%",
                };
                format!("Inconclusive: {what} outside the expected range, but {but} ({means}).")
            }
        },
        (false, true, _) | (true, true, true) => {
            format!("Miscalibrated: ECE {ece}; no significant error on average ({means}).")
        }
        (true, _, false) => {
            let side = if gap > 0.0 { "overestimated" } else { "underestimated" };
            format!("{subject} {side} by {} on average ({means}).", percentage_points(gap))
        }
    };
    let within = |value: &MetricValue| {
        value.floor_low.zip(value.floor_high).map_or_else(String::new, |(low, high)| points_interval(low, high))
    };
    let second = format!(
        "ECE is {ece}. For a calibrated model with n = {n}, ECE would be at most {} in 97.5% of samples and the mean error {} in \
         95% (here {}).",
        significant(found.ece.floor_high.unwrap_or(f64::NAN)),
        within(&found.gap),
        points(gap),
    );
    let quiet = gap_p > OVERALL_LEVEL && ece_p > OVERALL_LEVEL;
    (first, second + &of_classes(report).filter(|_| quiet).unwrap_or_default())
}

/// "No events", where all outcomes are the same.
fn no_outcome(view: View, rate: f64) -> Option<&'static str> {
    match (view, rate) {
        (View::Positive, 0.0) => Some("No events"),
        (View::Positive, 1.0) => Some("No non-events"),
        (View::TopLabel, 0.0) => Some("No correct predictions"),
        (View::TopLabel, 1.0) => Some("No errors"),
        _ => None,
    }
}

/// " Class-wise ECE is 0.0729, …" where it is above its null range: the errors of classes can cancel in the confidence, which the
/// headline is about.
fn of_classes(report: &Report) -> Option<String> {
    let found = report.methods.first()?.metrics.get(CLASSWISE_ECE.id)?;
    (report.data.view == View::TopLabel && found.above_floor()).then(|| {
        format!(
            " These are about the confidence of the predicted class. Class-wise ECE, over all classes, is {}; it would be at \
             most {} in 97.5% of samples.",
            significant(found.value.unwrap_or(f64::NAN)),
            significant(found.floor_high.unwrap_or(f64::NAN))
        )
    })
}

/// Whether a method helped, in one sentence.
///
/// * `several`: others are judged beside it, by intervals that are not corrected for their number
pub fn verdict(method: &MethodReport, rows: usize, several: bool) -> String {
    let n = count(rows as u64);
    let reason = method.metrics.values().next().and_then(|value| value.reason.as_ref());
    if reason == Some(&Reason::FeaturesMissing) {
        return "Needs features, which define similarity.".to_owned();
    }
    if reason == Some(&Reason::GroupsMissing) {
        return "Needs a group column.".to_owned();
    }
    if method.differences.values().any(|difference| difference.reason == Some(Reason::TooFew)) {
        return format!("{} (n = {n}).", capitalized(TOO_FEW));
    }
    let near = method.differences.get(MEAN_LCE.id).and_then(side) == Some(Side::Worse);
    let near = if near { " Mean local error increases (mean LCE)." } else { "" };
    change(method, &n, several) + near
}

/// What was compared of ECE, NLL and Brier score, each with the name that sentences give it.
const COMPARED: [(&Metric, &str); 3] = [(&ECE, "ECE"), (&NLL, "NLL"), (&BRIER, "Brier score")];

/// Which of ECE, NLL and Brier score decrease and which increase; nothing is said of one that was not computed.
fn change(method: &MethodReport, n: &str, several: bool) -> String {
    let compared: Vec<(&'static str, &MetricValue)> = (COMPARED.iter())
        .filter_map(|(metric, name)| Some((*name, method.differences.get(metric.id).filter(|d| d.value.is_some())?)))
        .collect();
    if compared.is_empty() {
        return match (method.differences.is_empty(), method.metrics.values().any(|metric| metric.value.is_some())) {
            (true, true) => "Not compared: the original predictions were not run.".to_owned(),
            (true, false) => "Not computed.".to_owned(),
            _ => "Not judged, which takes NLL, Brier score or ECE.".to_owned(),
        };
    }
    if compared.iter().all(|(_, difference)| difference.resamples == 0) {
        return "Not tested: no intervals were computed.".to_owned();
    }
    let named = |wanted: Option<Side>| -> Vec<&'static str> {
        compared.iter().filter(|(_, difference)| side(difference) == wanted).map(|(name, _)| *name).collect()
    };
    let (better, worse, unclear) = (named(Some(Side::Better)), named(Some(Side::Worse)), named(None));
    let verb = |names: &[&str], one: &'static str, several: &'static str| if names.len() == 1 { one } else { several };
    let losses = |names: &[&'static str]| names.iter().copied().filter(|name| *name != "ECE").collect::<Vec<_>>();
    let unchanged = match unclear.as_slice() {
        [] => String::new(),
        names => format!("; {} {} not change significantly", enumerated(names), verb(names, "does", "do")),
    };
    match (better.as_slice(), worse.as_slice()) {
        ([], []) => format!("Not significantly better than no recalibration (n = {n})."),
        (["ECE"], []) => format!("ECE decreases{unchanged} (n = {n})."),
        (_, []) => {
            let alone = if several { ", unadjusted for the number of methods" } else { "" };
            let by = enumerated(losses(&better));
            format!("Significantly better than no recalibration by {by} (n = {n}){alone}.")
        }
        ([], ["ECE"]) => format!("ECE increases{unchanged} (n = {n})."),
        ([], _) => format!("Significantly worse than no recalibration by {} (n = {n}).", enumerated(losses(&worse))),
        (["ECE"], _) => {
            let verb = verb(&worse, "increases", "increase");
            format!("ECE decreases, but {} {verb} significantly (n = {n}).", enumerated(&worse))
        }
        _ => format!(
            "{} {}, {} {} (n = {n}).",
            enumerated(&better),
            verb(&better, "decreases", "decrease"),
            enumerated(&worse),
            verb(&worse, "increases", "increase"),
        ),
    }
}

/// Which side of zero a difference lies on, where its interval does not cover zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// the loss fell
    Better,
    /// the loss rose
    Worse,
}

/// The side of a difference of a loss.
pub fn side(difference: &MetricValue) -> Option<Side> {
    if is_of_pooling(difference) {
        return None;
    }
    match (difference.low, difference.high) {
        (Some(low), _) if low > 0.0 => Some(Side::Worse),
        (_, Some(high)) if high < 0.0 => Some(Side::Better),
        _ => None,
    }
}
/// What a list holds, most frequent first: "platt in 4 of 5 folds, beta in 1".
pub fn often<S: AsRef<str>>(names: &[S], of: &str) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    order::sort(&mut counts, &|a, b| b.1.cmp(&a.1));
    let one = |(k, (name, count)): (usize, &(&str, usize))| match (k, names.len()) {
        (_, 1) => (*name).to_owned(),
        (0, all) => format!("{name} in {count} of {all} {of}"),
        _ => format!("{name} in {count}"),
    };
    let parts: Vec<String> = counts.iter().enumerate().map(one).collect();
    parts.join(", ")
}
