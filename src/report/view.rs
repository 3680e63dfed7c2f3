//! Charts of a run: what stands behind them, and the figures.

use serde::{Deserialize, Serialize};

use super::{MethodRows, RunOutcome};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::title;
use crate::packed::page_only;
use crate::plot;
use crate::plot::cdf::CdfChart;
use crate::plot::figure::Figure;
use crate::plot::reliability::ReliabilityChart;
use crate::report::view::request::{ChartRequest, MapRequest, ReliabilityRequest};

pub mod map;
pub mod reliability;
pub mod request;

/// A chart; for a map, also the data behind it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewOutcome {
    /// the requested chart
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Figure"))]
    pub figure: Figure,
    /// companion charts: for a map, the distribution of local error and the bins to choose from
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Figure>"))]
    pub companions: Vec<Figure>,
    /// values beside the chart
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Fact>"))]
    pub facts: Vec<Fact>,
    /// sentences beside the chart
    #[serde(with = "page_only")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub notes: Vec<String>,
    /// state of a map, for tooltips and controls; null for other charts
    pub map: Option<map::MapState>,
}

/// A view, and what it is drawn from: for another view of the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DrawnView {
    /// for the page
    pub shown: ViewOutcome,
    /// for steps
    pub found: ComputedView,
}

/// What the figures of a view are drawn from, so that nothing is found again where only the page changed.
#[allow(clippy::large_enum_variant, reason = "one a chart, moved a few times")]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum ComputedView {
    /// nothing that another view could use
    #[default]
    Nothing,
    /// a reliability diagram
    Reliability {
        /// what was computed
        of: ReliabilityRequest,
        /// the diagram
        chart: ReliabilityChart,
    },
    /// a map
    Map(map::ComputedMap),
    /// a distribution of local error
    Cdf {
        /// what was computed
        of: MapRequest,
        /// the distribution
        chart: CdfChart,
        /// numbers beside it
        facts: Vec<Fact>,
        /// sentences beside it
        notes: Vec<String>,
    },
}

/// A value beside a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// name of the value
    pub name: String,
    /// the number as text
    pub value: String,
}

/// A chart of the last run. One that differs from the view `before` of the same run only in how it is drawn is not found
/// again; of a map companions, facts and notes then come only where their width is another.
///
/// # Errors
/// `unknown_method` for a method that was not run; `too_few_rows` where small counts are withheld and every point is a row;
/// for maps `features_missing`, `unknown_column`, `not_a_number`.
pub fn view(
    data: &Predictions,
    run: &RunOutcome,
    request: &ChartRequest,
    before: Option<&DrawnView>,
) -> Result<DrawnView> {
    if let ChartRequest::Map(MapRequest { suppress: Some(least), .. })
    | ChartRequest::Cdf(MapRequest { suppress: Some(least), .. }) = request
    {
        return Err(Error::new(
            "too_few_rows",
            format!(
                "The map shows a value for every row, so it is not drawn while counts below {least} are suppressed."
            ),
            "Draw the reliability diagram, or do not suppress counts.",
        ));
    }
    let map = before.and_then(|before| before.shown.map.as_ref());
    let found = before.map(|before| &before.found);
    match request {
        ChartRequest::Reliability(request) => {
            let computed = request.computed();
            let chart = match found {
                Some(ComputedView::Reliability { of, chart }) if *of == computed => chart.clone(),
                _ => reliability::chart(data, run, request)?,
            };
            let figure = plot::reliability::reliability(&chart, request.width.unwrap_or(520.0));
            let found = ComputedView::Reliability { of: computed, chart };
            Ok(DrawnView { shown: ViewOutcome { figure, ..ViewOutcome::default() }, found })
        }
        ChartRequest::Map(request) => match (map, found) {
            (Some(map), Some(ComputedView::Map(found))) if map.serves(request) => {
                map::redrawn(data, run, request, (map, found))
            }
            _ => map::view(data, run, request),
        },
        ChartRequest::Cdf(request) => {
            let computed = request.computed();
            let (chart, facts, notes) = match found {
                Some(ComputedView::Cdf { of, chart, facts, notes }) if *of == computed => {
                    (chart.clone(), facts.clone(), notes.clone())
                }
                _ => map::distribution(data, run, request)?,
            };
            let figure = plot::cdf::cdf(&chart, map::beside_width(request));
            let found = ComputedView::Cdf { of: computed, chart, facts: facts.clone(), notes: notes.clone() };
            Ok(DrawnView { shown: ViewOutcome { figure, facts, notes, ..ViewOutcome::default() }, found })
        }
    }
}

/// The rows of a method of the run, `none` or the first where no name is given.
///
/// # Errors
/// `unknown_method` for one that the run was not asked for, or could not fit.
pub fn method_rows<'a>(run: &'a RunOutcome, name: Option<&str>) -> Result<&'a MethodRows> {
    let found = match name {
        Some(name) => run.rows.iter().find(|rows| rows.method.name == name),
        None => run.rows.iter().find(|rows| rows.method.kind.id() == "none").or_else(|| run.rows.first()),
    };
    let requested = name.filter(|name| run.report.methods.iter().any(|method| method.name == *name));
    found.ok_or_else(|| match requested {
        Some(name) => Error::new(
            "unknown_method",
            format!("{} could not be fitted to these rows.", title(name)),
            "The table of recalibration methods states the reason.",
        ),
        None => Error::new(
            "unknown_method",
            "The last run does not include this method.".to_owned(),
            format!("Run the methods none and {} first.", name.unwrap_or("temperature")),
        ),
    })
}
