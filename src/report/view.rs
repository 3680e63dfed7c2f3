//! Charts of a run: what stands behind them, and the figures.

use serde::{Deserialize, Serialize};

use super::{MethodRows, RunOutcome};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::packed::page_only;
use crate::plot::figure::Figure;
use crate::report::view::request::ChartRequest;

pub mod map;
pub mod reliability;
pub mod request;

/// A figure, and for maps what lies under it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewOutcome {
    /// the chart that was asked for
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Figure"))]
    pub figure: Figure,
    /// companions: for a map, the distribution of local error and the bins to pick from
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Figure>"))]
    pub companions: Vec<Figure>,
    /// numbers beside the chart
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Fact>"))]
    pub facts: Vec<Fact>,
    /// sentences beside the chart
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub notes: Vec<String>,
    /// what the map shows, for hovering and for controls
    pub map: Option<map::MapState>,
}

/// A number beside a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// what it is
    pub name: String,
    /// the number as text
    pub value: String,
}

/// Draws a chart of the last run. A map that differs from the one `before` only in how it is drawn is not computed
/// again; it comes without companions and facts, which have not changed.
///
/// # Errors
/// `unknown_method` for a method that was not run; for maps `features_missing`, `unknown_column`, `not_a_number`.
pub fn view(
    data: &Predictions,
    run: &RunOutcome,
    request: &ChartRequest,
    before: Option<&map::MapState>,
) -> Result<ViewOutcome> {
    match request {
        ChartRequest::Reliability { method, smooth, width } => {
            reliability::view(data, run, method.as_deref(), *smooth, width.unwrap_or(520.0))
        }
        ChartRequest::Map(request) => match before.filter(|before| before.serves(request)) {
            Some(before) => map::redrawn(data, run, request, before),
            None => map::view(data, run, request),
        },
        ChartRequest::Cdf(request) => {
            let view = map::view(data, run, request)?;
            let figure = view.companions.into_iter().next();
            let figure =
                figure.ok_or_else(|| Error::new("too_few_rows", "The bin holds no row.", "Pick another bin."))?;
            Ok(ViewOutcome { figure, companions: Vec::new(), facts: view.facts, notes: view.notes, map: None })
        }
    }
}

/// The rows of a method of the run, `none` or the first where no name is given.
///
/// # Errors
/// `unknown_method`.
pub fn method_rows<'a>(run: &'a RunOutcome, name: Option<&str>) -> Result<&'a MethodRows> {
    let found = match name {
        Some(name) => run.rows.iter().find(|rows| rows.method.name == name),
        None => run.rows.iter().find(|rows| rows.method.kind.id() == "none").or_else(|| run.rows.first()),
    };
    found.ok_or_else(|| {
        Error::new(
            "unknown_method",
            "The last run holds no such method.".to_owned(),
            format!("Run it first, beside none: {}.", name.unwrap_or("temperature")),
        )
    })
}
