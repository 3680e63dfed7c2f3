//! Findings as sentences.

use super::{MethodReport, MetricValue, Report};
use crate::data::View;
use crate::num::order;
use crate::plot::format::{count, percent, points_size};

/// The finding in one sentence, and what chance alone would show.
pub fn headline(report: &Report, mean_score: f64, rate: f64) -> (String, String) {
    let gap = mean_score - rate;
    let n = count(report.data.evaluation_rows as u64);
    let Some(base) = report.methods.first() else {
        return (String::new(), String::new());
    };
    let ece = base.metrics.get("ece");
    let (value, floor) = (
        ece.and_then(|ece| ece.value),
        ece.and_then(|ece| ece.floor_high),
    );
    let gap_is_noise = base.metrics.get("mean_gap").is_some_and(|gap| {
        matches!((gap.value, gap.floor_low, gap.floor_high), (Some(v), Some(l), Some(h)) if (l..=h).contains(&v))
    });
    let (happens, high, low) = match report.data.view {
        View::TopLabel => ("is right", "Over-confident", "Under-confident"),
        View::Positive => ("it happens", "Too high", "Too low"),
    };
    let means = format!(
        "it says {} and {happens} {} of the time",
        percent(mean_score),
        percent(rate)
    );
    let first = match value {
        Some(v) if floor.is_some_and(|floor| v <= floor) => {
            format!("No miscalibration beyond chance on average: {means}.")
        }
        Some(v) if gap_is_noise => format!(
            "Right on average, wrong bin by bin: off by {} in a typical bin.",
            points_size(v)
        ),
        Some(v) if v > 2.0 * gap.abs() => {
            format!(
                "Off by {} in a typical bin, though only {} on average: {means}.",
                points_size(v),
                points_size(gap)
            )
        }
        _ if gap == 0.0 => format!("Right on average: {means}."),
        _ if gap > 0.0 => format!("{high} by {}: {means}.", points_size(gap)),
        _ => format!("{low} by {}: {means}.", points_size(gap)),
    };
    let second = match (value, floor) {
        (Some(value), Some(floor)) => format!(
            "Bin by bin it is off by {} (ECE). A perfectly calibrated model would show at most {} on {n} rows, 39 times out of 40.",
            points_size(value),
            points_size(floor)
        ),
        (Some(value), None) => format!(
            "Bin by bin it is off by {} (ECE) on {n} rows.",
            points_size(value)
        ),
        _ => format!("{n} rows."),
    };
    (first, second)
}

/// Whether a method helped, in one sentence.
pub fn verdict(method: &MethodReport, rows: usize) -> String {
    let n = count(rows as u64);
    let reason = method
        .metrics
        .values()
        .next()
        .and_then(|value| value.reason.as_deref());
    if reason == Some("features_missing") {
        return "Needs features: choose columns that say which rows are alike.".to_owned();
    }
    let sign = |id: &str| method.differences.get(id).and_then(side);
    let near = if sign("mean_lce") == Some(Side::Worse) {
        " Among similar rows it is further off (mean LCE)."
    } else {
        ""
    };
    let words = match (sign("nll"), sign("brier"), sign("ece")) {
        (Some(Side::Better), b, e) | (b, Some(Side::Better), e)
            if b != Some(Side::Worse) && e != Some(Side::Worse) =>
        {
            format!("Better than leaving the predictions alone on these {n} rows.")
        }
        (Some(Side::Worse), Some(Side::Better), Some(Side::Better)) => {
            format!("Closer bin by bin on these {n} rows; Brier is better, NLL worse.")
        }
        (Some(Side::Better), Some(Side::Worse), Some(Side::Better)) => {
            format!("Closer bin by bin on these {n} rows; NLL is better, Brier worse.")
        }
        (Some(Side::Worse), _, Some(Side::Better)) | (_, Some(Side::Worse), Some(Side::Better)) => {
            "Closer bin by bin, but worse as a probability (NLL or Brier): it has lost detail."
                .to_owned()
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
pub fn often(names: &[&str], of: &str) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| known == name) {
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
