//! The report as the page shows it: every number as text, every bar as a place between 0 and 1.

use crate::metric::Reason;
use std::collections::BTreeMap;

use crate::evaluation::method::title;
use serde::Serialize;

use super::mapped_rows::own_row_in_words;
use super::reading::{self, Overall};
use super::view::Fact;
use super::{MetricValue, Report};
use crate::data::View;
use crate::evaluation::ends::Clipped;
use crate::feature::FeatureChoice;
use crate::metric::entry::{Better, Metric, Range, ValueOf};
use crate::metric::registry;
use crate::num::order::sort_short;
use crate::num::special::PROB_CLIP;
use crate::words::number::{count, plain, significant, to_digits};
use crate::words::text::counted;
use recalibration::recalibration;

mod recalibration;

pub use recalibration::{RecalibrationCell, RecalibrationColumn, RecalibrationRow, RecalibrationTable, parameters};

/// A run, as displayed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Presentation {
    /// headline
    pub headline: String,
    /// expected result if calibrated
    pub floor: String,
    /// which rows were used, and how
    pub basis: String,
    /// metrics of the original predictions, or of the first method where these were not run
    pub scorecard: Vec<ScoreRow>,
    /// methods × metrics
    #[serde(rename = "repair")]
    pub recalibration: RecalibrationTable,
    /// settings of the run, by name
    pub settings: Vec<Fact>,
}

/// A metric, as displayed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreRow {
    /// metric id
    pub id: String,
    /// the field's name
    pub name: String,
    /// description in plain words
    pub plain: String,
    /// three significant digits, or a dash
    pub value: String,
    /// the value corrected for bias, to which the interval refers; empty if that is the value itself
    pub corrected: String,
    /// 95% CI, such as `0.058 to 0.073`; empty without one
    pub interval: String,
    /// 95% null range, such as `≤ 0.009`; empty if it does not apply
    pub floor: String,
    /// why values are missing
    pub note: String,
    /// `depends on 9 rows clipped at 1e-15`, if the metric depends on the value at which a logarithm is clipped
    pub cut: String,
    /// definition, source and convention
    pub definition: String,
    /// positions on a small bar from 0 to 1; null without a bar
    pub bar: Option<Bar>,
    /// true if the value is above the null range of a calibrated model
    pub beyond: bool,
}

/// Places of value, interval and floor on a bar from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bar {
    /// the value
    pub value: f64,
    /// corrected value to which the interval refers; null if that is the value itself
    pub corrected: Option<f64>,
    /// the interval
    pub interval: Option<[f64; 2]>,
    /// the floor
    pub floor: Option<[f64; 2]>,
}

/// Builds what the page shows; `overall` is of the first method that ran, if one did.
pub fn present(report: &Report, overall: Option<&Overall>) -> Presentation {
    let (headline, floor) = match overall {
        Some(overall) => reading::headline(report, overall),
        None => ("No method was scored: choose features, or add the method none.".to_owned(), String::new()),
    };
    let metrics: Vec<&Metric> =
        report.settings.metrics.iter().flatten().filter_map(|id| registry::metric(id)).collect();
    let base = report.methods.first();
    let mut ordered = metrics.clone();
    if report.data.view == View::Positive {
        let place = |metric: &&Metric| metric.validates.unwrap_or(u8::MAX);
        sort_short(&mut ordered, |a, b| place(a) < place(b));
    }
    let scorecard =
        ordered.iter().filter_map(|metric| Some(score_row(metric, base?.metrics.get(metric.id)?, report))).collect();
    Presentation {
        headline,
        floor,
        basis: basis(report),
        scorecard,
        recalibration: recalibration(report, &metrics),
        settings: settings(report),
    }
}

fn basis(report: &Report) -> String {
    let data = &report.data;
    let drawn = match draws_in_words(report) {
        words if words.is_empty() => String::new(),
        words => format!(" Intervals and null ranges from {words}."),
    };
    let weighted = match &data.weights {
        Some(column) => format!(", weighted by {column}"),
        None => String::new(),
    };
    let compared = report.common.as_ref().map_or_else(String::new, |common| {
        format!(" Methods are compared on the {} rows scored by all of them.", count(common.rows as u64))
    });
    format!("Evaluated on {}{weighted}: {}.{compared}{drawn}", counted(data.evaluation_rows, "row"), data.split)
}

fn score_row(metric: &Metric, value: &MetricValue, report: &Report) -> ScoreRow {
    let written = |v: f64| significant(without_rounding(metric, v));
    let number = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), written);
    let range = |low: Option<f64>, high: Option<f64>| match (low, high) {
        (Some(low), Some(high)) => format!("{} to {}", written(low), written(high)),
        _ => String::new(),
    };
    let floor = match (metric.better, value.floor_high) {
        _ if !metric.floor => String::new(),
        (Better::Lower, Some(high)) => format!("≤ {}", significant(high)),
        (_, Some(high)) => range(value.floor_low, Some(high)),
        (_, None) => String::new(),
    };
    ScoreRow {
        id: metric.id.to_owned(),
        name: name(metric, report),
        plain: metric.plain.to_owned(),
        value: number(value.value),
        corrected: value.corrected.map_or_else(String::new, written),
        interval: range(value.low, value.high),
        floor,
        note: note(value, metric),
        cut: cut(value),
        definition: metric.words(),
        bar: bar(metric, value),
        beyond: metric.better == Better::Lower && value.above_floor(),
    }
}

/// Below this a difference of shares is what rounding leaves of 0.
const ROUNDING: f64 = 1e-12;

/// A value of a metric to be written: 0 where only the rounding of a sum keeps it from that. p-values may be as small.
fn without_rounding(metric: &Metric, value: f64) -> f64 {
    let of_shares =
        matches!(metric.range, Range::Share | Range::Signed) && !matches!(metric.value, ValueOf::KlceTest(_));
    if of_shares && value.abs() < ROUNDING { 0.0 } else { value }
}

fn name(metric: &Metric, report: &Report) -> String {
    metric.with_bins(metric.name, report.settings.bins.count)
}

/// Said where scores are 0 or 1.
pub fn depends_on_clipping() -> String {
    format!(
        "Calibration in the large and the calibration slope depend on scores of 0% and 100%, which are clipped at {} from 0 \
         and 1.",
        significant(PROB_CLIP)
    )
}

/// Where a logarithm was cut: the number depends on it.
fn cut(value: &MetricValue) -> String {
    let Some(Clipped { rows, at }) = value.clipped else {
        return String::new();
    };
    format!("depends on {} clipped at {}", counted(rows, "row"), plain(to_digits(at, 2)))
}

fn note(value: &MetricValue, metric: &Metric) -> String {
    let Some(reason) = &value.reason else { return String::new() };
    match reason {
        Reason::NotResampled | Reason::NoInterval => String::new(),
        Reason::Maximum => "no interval for a maximum; compare with “expected if calibrated”".to_owned(),
        Reason::NoLocalSettings => "choose features in the line at the top".to_owned(),
        Reason::FeaturesMissing => "needs feature columns".to_owned(),
        Reason::GroupsMissing => "needs a group column".to_owned(),
        _ if value.value.is_some() && metric.is_local() => String::new(),
        reason => reason.to_string(),
    }
}

/// Value, interval and floor of a metric, on one axis from 0 to a little beyond the largest.
fn bar(metric: &Metric, value: &MetricValue) -> Option<Bar> {
    if !metric.bar {
        return None;
    }
    let v = value.value?;
    let top = [Some(v), value.high, value.floor_high].into_iter().flatten().fold(0.0, f64::max) * 1.05;
    if top.is_nan() || top <= 0.0 {
        return None;
    }
    let at = |v: f64| (v / top).clamp(0.0, 1.0);
    Some(Bar {
        value: at(v),
        corrected: value.corrected.map(at),
        interval: value.low.zip(value.high).map(|(low, high)| [at(low), at(high)]),
        floor: value.floor_low.zip(value.floor_high).map(|(low, high)| [at(low), at(high)]),
    })
}

fn settings(report: &Report) -> Vec<Fact> {
    let (data, asked) = (&report.data, &report.settings);
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let view = match (data.view, &data.positive) {
        (View::TopLabel, _) => "confidence of the predicted class".to_owned(),
        (View::Positive, Some(label)) => format!("P(y = {label})"),
        (View::Positive, None) => "P(y = 1)".to_owned(),
    };
    let mut facts = vec![
        fact("rows", format!("{}, {} classes", count(data.rows as u64), data.classes)),
        fact("evaluated", view),
        fact("data split", data.split.clone()),
        fact("scored rows", count(data.evaluation_rows as u64)),
        fact("confidence bins", asked.bins.count.to_string()),
        fact("resamples", Some(draws_in_words(report)).filter(|words| !words.is_empty()).unwrap_or("none".to_owned())),
        fact("seed", asked.seed.to_string()),
    ];
    if let Some(column) = &data.weights {
        facts.push(fact("weights", column.clone()));
    }
    if let Some(local) = &report.local {
        let features = match &local.settings.features {
            Some(FeatureChoice::One(name)) => name.clone(),
            Some(FeatureChoice::Many(names)) => names.join(", "),
            Some(FeatureChoice::Pca { pca, of }) if of.is_empty() => {
                format!("{} of the features", counted(*pca, "principal component"))
            }
            Some(FeatureChoice::Pca { pca, of }) => {
                format!("{} of {}", counted(*pca, "principal component"), of.join(", "))
            }
            None => "the feature columns".to_owned(),
        };
        facts.push(fact("similarity", features));
        let kernel = local.settings.kernel.as_deref().unwrap_or("laplacian");
        facts.push(fact(
            "kernel",
            format!(
                "{kernel}, γ = {}; {}",
                significant(local.settings.gamma.unwrap_or_default()),
                own_row_in_words(local.settings.leave_one_out)
            ),
        ));
    }
    facts.push(fact("methods", report.methods.iter().map(|method| title(&method.name)).collect::<Vec<_>>().join(", ")));
    facts
}

/// As many as were made: "1,000 draws", "1,000 draws (Calibration slope: 108)"; empty where nothing was resampled.
fn draws_in_words(report: &Report) -> String {
    let of_metric = |(id, value): (&String, &MetricValue)| (id.clone(), value.resamples);
    let made: Vec<(String, usize)> = report.methods.first().map_or_else(Vec::new, |method| {
        method.metrics.iter().map(of_metric).filter(|(_, resamples)| *resamples > 0).collect()
    });
    drawn_words(made.iter().map(|(id, made)| (registry::metric(id).map_or(id.as_str(), |metric| metric.name), *made)))
}

/// How many draws were made, and of what fewer: not every metric is resampled as often as the others.
pub(crate) fn drawn_words<'a>(made: impl Iterator<Item = (&'a str, usize)>) -> String {
    let mut by_count: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    made.for_each(|(name, made)| by_count.entry(made).or_default().push(name));
    let Some((most, _)) = by_count.pop_last() else { return String::new() };
    let fewer = by_count.iter().rev().map(|(made, names)| format!("{}: {}", names.join(", "), count(*made as u64)));
    let fewer = fewer.collect::<Vec<_>>().join("; ");
    let fewer = if fewer.is_empty() { fewer } else { format!(" ({fewer})") };
    format!("{}{fewer}", counted(most, "draw"))
}
