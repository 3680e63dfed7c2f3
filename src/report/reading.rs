//! Findings as sentences.

use std::collections::BTreeMap;

use super::interval::metric_value;
use super::{MethodReport, MetricValue, Report, SAME};
use crate::data::View;
use crate::evaluation::resample::Replicates;
use crate::metric::brier::BRIER;
use crate::metric::ece::ECE;
use crate::metric::entry::{Metric, Value};
use crate::metric::local_error::MEAN_LCE;
use crate::metric::log_loss::NLL;
use crate::metric::mean_gap::MEAN_GAP;
use crate::num::order;
use crate::words::number::{count, percent, points, points_size};

/// Two questions are asked of every file, on average and bin by bin, each at this level: by Bonferroni at most one calibrated
/// file in 50 is said to be off. The headline is read first, and of many files; it may be surer than the numbers beneath it,
/// which stand beside what 19 of 20 calibrated models show.
const LEVEL: f64 = 0.01;

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
    /// * `values`, `floor`: by metric id, as computed for every method that ran, whatever was asked for
    ///
    /// p = (1 + draws that are at least as large) / (draws + 1): under the null p ≤ α in at most a share α of all files
    /// (Phipson and Smyth, 2010).
    pub fn new((score, rate): (f64, f64), values: &BTreeMap<String, Value>, replicates: &Replicates) -> Self {
        let missing = Err("not computed".to_owned());
        let value = |metric: &Metric| metric_value(metric, values.get(metric.id).unwrap_or(&missing), None, replicates);
        let (gap, ece) = (value(&MEAN_GAP), value(&ECE));
        let p = |metric: &Metric, found: &MetricValue| {
            let size = found.value?.abs() - SAME;
            let draws = replicates.floor.get(metric.id)?;
            let larger = draws.iter().filter(|v| v.abs() >= size).count();
            let all = (draws.len() + 1) as f64;
            // Fewer draws could not find anything, however large.
            (LEVEL * all >= 1.0).then(|| (larger + 1) as f64 / all)
        };
        Self { score, rate, gap_p: p(&MEAN_GAP, &gap), ece_p: p(&ECE, &ece), gap, ece }
    }
}

/// The finding in one sentence, and the numbers that it rests on beside those of a calibrated model.
///
/// It claims only what one of the two tests finds, and never that nothing is there while one of the two numbers lies outside
/// what a calibrated model would show.
pub fn headline(report: &Report, found: &Overall) -> (String, String) {
    let n = count(report.data.evaluation_rows as u64);
    let gap = found.score - found.rate;
    let (happens, high, low) = match report.data.view {
        View::TopLabel => ("is right", "Over-confident", "Under-confident"),
        View::Positive => ("it happens", "Too high", "Too low"),
    };
    let means = format!("it says {} and {happens} {} of the time", percent(found.score), percent(found.rate));
    let ece = found.ece.value.unwrap_or(f64::NAN);
    let (Some(gap_p), Some(ece_p)) = (found.gap_p, found.ece_p) else {
        let least = (1.0 / LEVEL).round() as u64 - 1;
        let first =
            format!("{}: fewer than {least} draws cannot tell whether that is more than chance.", capital(&means));
        let second = match found.ece.value {
            Some(ece) => format!("Bin by bin it is off by {} (ECE) on {n} rows.", points_size(ece)),
            None => format!("{n} rows."),
        };
        return (first, second);
    };
    let bins = points_size(ece);
    let first = match (gap_p <= LEVEL, ece_p <= LEVEL) {
        (false, false) => match (found.gap.outside_floor(), found.ece.above_floor()) {
            (false, false) => format!("No miscalibration beyond chance on average: {means}."),
            (outside, above) => {
                let what = match (outside, above) {
                    (true, true) => "mean gap and ECE lie",
                    (true, false) => "the mean gap lies",
                    _ => "the ECE lies",
                };
                format!(
                    "No clear miscalibration: {means}; {what} outside what a calibrated model usually shows, but not so far \
                     as to leave chance out."
                )
            }
        },
        (false, true) if found.gap.outside_floor() => {
            format!("Off by {bins} in a typical bin: {means}.")
        }
        (false, true) => {
            format!("Right on average, wrong bin by bin: off by {bins} in a typical bin.")
        }
        (true, true) if ece > 2.0 * gap.abs() => {
            format!("Off by {bins} in a typical bin, though only {} on average: {means}.", points_size(gap))
        }
        (true, _) => {
            let side = if gap > 0.0 { high } else { low };
            format!("{side} by {}: {means}.", points_size(gap))
        }
    };
    let within = |value: &MetricValue, words: &dyn Fn(f64) -> String| {
        let ends = value.floor_low.zip(value.floor_high);
        ends.map_or_else(String::new, |(low, high)| format!("{} to {}", words(low), words(high)))
    };
    let second = format!(
        "Bin by bin it is off by {bins} (ECE). A perfectly calibrated model would show at most {} on {n} rows, 39 times out \
         of 40; and on average, where this one is off by {}, {}, 19 times out of 20.",
        points_size(found.ece.floor_high.unwrap_or(f64::NAN)),
        points(gap),
        within(&found.gap, &points),
    );
    (first, second)
}

/// With a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Whether a method helped, in one sentence.
///
/// * `several`: others are judged beside it, by intervals that are not corrected for their number
pub fn verdict(method: &MethodReport, rows: usize, several: bool) -> String {
    let n = count(rows as u64);
    let reason = method.metrics.values().next().and_then(|value| value.reason.as_deref());
    if reason == Some("features_missing") {
        return "Needs features: choose columns that say which rows are alike.".to_owned();
    }
    let sign = |metric: &Metric| method.differences.get(metric.id).and_then(side);
    let near =
        if sign(&MEAN_LCE) == Some(Side::Worse) { " Among similar rows it is further off (mean LCE)." } else { "" };
    let words = match (sign(&NLL), sign(&BRIER), sign(&ECE)) {
        (Some(Side::Better), b, e) | (b, Some(Side::Better), e) if b != Some(Side::Worse) && e != Some(Side::Worse) => {
            let alone = if several { ", taken alone" } else { "" };
            format!("Better than leaving the predictions alone on these {n} rows{alone}.")
        }
        (Some(Side::Worse), Some(Side::Better), Some(Side::Better)) => {
            format!("Closer bin by bin on these {n} rows; Brier is better, NLL worse.")
        }
        (Some(Side::Better), Some(Side::Worse), Some(Side::Better)) => {
            format!("Closer bin by bin on these {n} rows; NLL is better, Brier worse.")
        }
        (Some(Side::Worse), _, Some(Side::Better)) | (_, Some(Side::Worse), Some(Side::Better)) => {
            "Closer bin by bin, but worse as a probability (NLL or Brier): it has lost detail.".to_owned()
        }
        (Some(Side::Worse), _, _) | (_, Some(Side::Worse), _) => {
            format!("Worse than leaving the predictions alone on these {n} rows.")
        }
        (_, _, Some(Side::Better)) => {
            format!("Closer bin by bin on these {n} rows; as a probability no clear gain.")
        }
        (None, None, None) if method.differences.values().all(|d| d.resamples == 0) => {
            "No intervals were computed, so no verdict.".to_owned()
        }
        _ => format!("No better than leaving the predictions alone on these {n} rows."),
    };
    words + near
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
