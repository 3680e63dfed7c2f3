//! Values with intervals and floors, from replicates.

use super::MetricValue;
use super::catalogue::{Interval, Metric};
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Value;
use crate::num::quantile::quantile_sorted;

/// Two-sided level of every interval: 95 %.
pub const LOW: f64 = 0.025;
/// Upper end of the same.
pub const HIGH: f64 = 0.975;

/// The value of a metric with its interval and floor.
pub fn metric_value(metric: &Metric, value: &Value, replicates: &Replicates) -> MetricValue {
    let value = match value {
        Ok(value) if value.is_finite() => *value,
        Ok(_) => return unavailable("not a finite number"),
        Err(reason) => return unavailable(reason),
    };
    let mut out = MetricValue {
        value: Some(value),
        ..MetricValue::default()
    };
    if let Some(draws) = replicates.bootstrap.get(metric.id) {
        out.resamples = draws.len();
        (out.low, out.high) = interval(metric.interval, value, &sorted(draws));
        if metric.interval == Interval::Basic {
            out.low = out.low.map(|v| v.clamp(0.0, 1.0));
            out.high = out.high.map(|v| v.clamp(0.0, 1.0));
        }
    }
    if metric.interval == Interval::Maximum {
        (out.low, out.high) = (None, None);
        out.reason = Some("maximum".to_owned());
    }
    if metric.interval == Interval::Tested {
        out.reason = Some("tested".to_owned());
    }
    if let Some(draws) = replicates
        .floor
        .get(metric.id)
        .filter(|draws| !draws.is_empty())
    {
        let sorted = sorted(draws);
        out.resamples = sorted.len();
        out.floor_mean = Some(sorted.iter().sum::<f64>() / sorted.len() as f64);
        out.floor_low = quantile_sorted(&sorted, LOW);
        out.floor_high = quantile_sorted(&sorted, HIGH);
    }
    if out.reason.is_none() && (out.low.is_none() || out.floor_mean.is_none()) {
        let resampled = replicates
            .bootstrap
            .values()
            .chain(replicates.floor.values())
            .any(|draws| !draws.is_empty());
        let asked = out.resamples > 0 || (resampled && !metric.local);
        out.reason = Some(
            if asked {
                "undefined in every draw"
            } else {
                "not_resampled"
            }
            .to_owned(),
        );
    }
    out
}

/// The difference of a method to `none` on the same rows; replicates are paired.
pub fn difference(
    metric: &Metric,
    ours: &Value,
    base: &Value,
    replicates: (&Replicates, &Replicates),
) -> MetricValue {
    let (Ok(ours), Ok(base)) = (ours, base) else {
        return unavailable("not defined for both");
    };
    let value = ours - base;
    if !value.is_finite() {
        return unavailable("not a finite number");
    }
    let mut out = MetricValue {
        value: Some(value),
        ..MetricValue::default()
    };
    let draws = replicates
        .0
        .bootstrap
        .get(metric.id)
        .zip(replicates.1.bootstrap.get(metric.id));
    match draws.filter(|(a, b)| a.len() == b.len() && !a.is_empty()) {
        Some(_) if metric.interval == Interval::Maximum => out.reason = Some("maximum".to_owned()),
        _ if metric.interval == Interval::Tested => out.reason = Some("tested".to_owned()),
        Some((a, b)) => {
            let paired: Vec<f64> = a.iter().zip(b.iter()).map(|(a, b)| a - b).collect();
            out.resamples = paired.len();
            (out.low, out.high) = interval(metric.interval, value, &sorted(&paired));
            if out.low.is_none() {
                out.reason = Some("undefined in every draw".to_owned());
            }
        }
        None => out.reason = Some("not_resampled".to_owned()),
    }
    out
}

/// No value, and why.
pub fn unavailable(reason: &str) -> MetricValue {
    MetricValue {
        reason: Some(reason.to_owned()),
        ..MetricValue::default()
    }
}

pub(super) fn interval(kind: Interval, value: f64, sorted: &[f64]) -> (Option<f64>, Option<f64>) {
    let (low, high) = (quantile_sorted(sorted, LOW), quantile_sorted(sorted, HIGH));
    match kind {
        Interval::Percentile => (low, high),
        Interval::Basic => (high.map(|q| 2.0 * value - q), low.map(|q| 2.0 * value - q)),
        Interval::Maximum | Interval::Tested => (None, None),
    }
}

fn sorted(draws: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = draws.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}
