//! What all cells say together.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::spec::Spec;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::sheet::Sheet;

/// How a result is to be shown; left out: everything that there is something for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Presentation {
    /// number of CSS pixels that a chart may be wide
    pub width: Option<f64>,
}

/// An experiment with what its cells say: what `data.experiment` resolves to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentResult"))]
pub struct Concluded {
    /// what was asked, defaults filled in
    pub spec: Spec,
    /// every number
    pub cells: Vec<Cell>,
    /// how it is shown
    pub sheet: Sheet,
}

/// What the cells of an experiment say.
///
/// # Errors
/// `invalid_option` for cells that are none of the experiment's.
pub fn conclude(spec: &Spec, cells: &[Cell], screen: &Screen) -> Result<Concluded> {
    let _ = screen;
    Ok(Concluded { spec: spec.clone(), cells: cells.to_vec(), sheet: Sheet::default() })
}

/// How an experiment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentFormat"))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// the object that is saved and run again
    #[default]
    Json,
    /// the summary as a table of Markdown
    Markdown,
    /// as a table of LaTeX with booktabs
    Latex,
    /// as comma-separated values
    Csv,
    /// every cell as comma-separated values
    CellsCsv,
}

/// An experiment as text.
///
/// # Errors
/// `internal` if it cannot be written.
pub fn written(concluded: &Concluded, format: Format) -> Result<String> {
    let _ = format;
    serde_json::to_string_pretty(concluded).map_err(|error| crate::error::Error::internal(error.to_string()))
}
