//! Which metrics predict the calibration of the worst group: correlations over repeats and methods.

mod plan;
mod request;

pub use plan::Correlate;
pub use request::CorrelationRequest;

mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Method;
use crate::metric::Reason;
use crate::num::pearson::pearson;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::table::Warning;

/// Two points always lie on a line.
const LEAST: usize = 3;

/// Response of `data.analyse("correlation")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrelationOutcome {
    /// the request, with defaults
    pub settings: CorrelationRequest,
    /// one observation per method and repeat
    pub pooled: Vec<Correlation>,
    /// one observation per repeat
    pub per_method: Vec<MethodCorrelations>,
    /// values by repeat and method
    pub observations: Vec<Observation>,
    /// notes for the user
    pub warnings: Vec<Warning>,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type CorrelationWithoutCharts = WithoutCharts<CorrelationOutcome>;
/// The step that draws its charts.
pub type ShowCorrelation = Show<CorrelationOutcome>;

impl HasCharts for CorrelationOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.settings.width = screen.width;
        self.sheet.draw(screen);
    }
}

/// Correlation of a metric with the reference metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Correlation {
    /// metric id
    pub metric: String,
    /// Pearson's r
    pub r: Option<f64>,
    /// number of observations with both metrics
    pub n: usize,
    /// why there is no r
    pub reason: Option<String>,
}

/// The correlations of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodCorrelations {
    /// name of the method
    pub method: String,
    /// in the order of `pooled`
    pub metrics: Vec<Correlation>,
}

/// The metrics of one method in one repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// from 0
    pub repeat: usize,
    /// name of the method
    pub method: String,
    /// by metric id; null where there is none
    pub values: BTreeMap<String, Option<f64>>,
    /// why there is none, by metric id
    pub reasons: BTreeMap<String, String>,
}

/// The metrics of every method in every repeat.
pub struct Scorings<'a> {
    /// `none` first
    pub methods: &'a [Method],
    /// how many repeats were asked for, where that is not what was made
    pub asked: Option<usize>,
    /// by repeat, then by method
    pub parts: Vec<Vec<&'a Drawn>>,
}

/// Correlation of every metric with the reference metric.
///
/// Observations are not independent: repeats share rows, and methods share scores. Therefore r has no interval.
///
/// # Errors
/// `internal` if there is not the same number of methods in every repeat.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, table 2; they do not say whether methods are pooled.
pub fn correlation(
    data: &Predictions,
    run: &RunOutcome,
    request: &CorrelationRequest,
    scorings: &Scorings,
) -> Result<CorrelationOutcome> {
    let count = scorings.methods.len();
    if scorings.parts.is_empty() || scorings.parts.iter().any(|methods| methods.len() != count) {
        return Err(Error::internal(format!("Not all repeats of the correlation have {count} methods.")));
    }
    let metrics = request.metrics.as_deref().unwrap_or_default();
    let against = request.against.as_deref().unwrap_or_default();
    let each = || metrics.iter().map(String::as_str).chain([against]);
    let each_repeat = scorings.parts.iter().enumerate();
    let parts = each_repeat.flat_map(|(r, parts)| parts.iter().zip(scorings.methods).map(move |one| (r, one)));
    let observations: Vec<Observation> = parts
        .map(|(repeat, (part, method))| {
            let mut reasons = BTreeMap::new();
            let mut value = |id: &str| match part.values.get(id) {
                Some(Ok(value)) if value.is_finite() => Some(*value),
                found => {
                    let reason = found.and_then(|found| found.clone().err());
                    let reason = reason.unwrap_or(Reason::NotFinite);
                    reasons.insert(id.to_owned(), reason.to_string());
                    None
                }
            };
            Observation {
                repeat,
                method: method.name.clone(),
                values: each().map(|id| (id.to_owned(), value(id))).collect(),
                reasons,
            }
        })
        .collect();
    let all: Vec<&Observation> = observations.iter().collect();
    let correlations = |of: &[&Observation]| -> Vec<Correlation> {
        let one = |id: &String| correlated(of, id, against);
        metrics.iter().map(one).collect()
    };
    let per_method = scorings.methods.iter().map(|method| {
        let own = all.iter().filter(|one| one.method == method.name);
        MethodCorrelations { method: method.name.clone(), metrics: correlations(&own.copied().collect::<Vec<_>>()) }
    });
    let mut outcome = CorrelationOutcome {
        settings: request.clone(),
        pooled: correlations(&all),
        per_method: per_method.collect(),
        observations,
        warnings: ignored(request, scorings.asked).into_iter().collect(),
        sheet: Sheet::default(),
    };
    outcome.sheet = words::sheet(data, run, &outcome, &scorings.parts);
    Ok(outcome)
}

/// States that the number of repeats differs from the requested one.
fn ignored(request: &CorrelationRequest, asked: Option<usize>) -> Option<Warning> {
    let asked = asked?;
    let files = request.names.as_ref().map_or(0, Vec::len);
    Some(Warning {
        code: "repeats_ignored".into(),
        message: format!(
            "{asked} repeats were requested; with several files, each of the {files} is one repeat, split once."
        ),
        row: None,
        column: None,
    })
}

fn correlated(of: &[&Observation], id: &str, against: &str) -> Correlation {
    let value = |one: &Observation, id: &str| one.values.get(id).copied().flatten();
    let pairs = of.iter().filter_map(|one| Some((value(one, id)?, value(one, against)?)));
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let r = (x.len() >= LEAST).then(|| pearson(&x, &y)).flatten();
    let missing = || {
        let reason = |id: &str| of.iter().find_map(|one| one.reasons.get(id).cloned());
        reason(id).or_else(|| reason(against))
    };
    let reason = match (r, x.len()) {
        (Some(_), _) => None,
        (None, 0) => missing().or_else(|| Some("no_observations".to_owned())),
        (None, n) if n < LEAST => Some("fewer than three observations".to_owned()),
        _ => Some("the same in every observation".to_owned()),
    };
    Correlation { metric: id.to_owned(), r, n: x.len(), reason }
}
