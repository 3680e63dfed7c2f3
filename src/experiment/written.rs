//! A result as a file: tables to paste, every number, or the object that is run again.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::cell::Level;
use super::grid::{Grid, grids};
use super::grid_latex::latex;
use super::outline::{Outline, Settings};
use super::ranks::ranking;
use super::result::Concluded;
use super::spec::SCHEMA;
use super::summary::compared;
use crate::error::{Error, Result};
use crate::report::csv::guarded;
use crate::words::latex::{NEEDS, label};

/// What [`written`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentFormat"))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// the object that is saved, opened and run again
    #[default]
    Json,
    /// tables with bars, the best bold
    Markdown,
    /// tables with captions, labels and the lines of `booktabs`, the best bold
    Latex,
    /// one line a method, space, setting and metric: mean, standard deviation, number of values
    Csv,
    /// one line a cell, every digit
    CellsCsv,
}

/// The result as text. O(cells), and for tables that of [`conclude`](super::conclude).
///
/// # Errors
/// `invalid_option` for tables of cells that are none of the experiment's; `internal` if it cannot be written as JSON.
pub fn written(concluded: &Concluded, format: Format) -> Result<String> {
    Ok(match format {
        Format::Json => saved(concluded)?,
        Format::Markdown => tables(concluded)?.iter().map(Grid::markdown).collect::<Vec<_>>().join("\n"),
        Format::Latex => format!("{NEEDS}\n{}", labeled(&tables(concluded)?).join("\n")),
        Format::Csv => summary_csv(concluded),
        Format::CellsCsv => cells_csv(concluded),
    })
}

/// From the cells, as the sheet's: a result that was read from a file has no more.
fn tables(concluded: &Concluded) -> Result<Vec<Grid>> {
    let outline = Outline::of(&concluded.spec, &concluded.cells)?;
    Ok(grids(&outline, &compared(&outline), &ranking(&outline)))
}

/// The tables as LaTeX, each with a label of its own.
fn labeled(grids: &[Grid]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for grid in grids {
        let id: Vec<&str> = grid.id.iter().map(String::as_str).collect();
        let label = label("tab", &id);
        let again = |n: &usize| if *n == 1 { label.clone() } else { format!("{label}-{n}") };
        let free = (1..=grids.len()).map(|n| again(&n)).find(|label| !labels.contains(label));
        labels.push(free.unwrap_or(label));
    }
    grids.iter().zip(&labels).map(|(grid, label)| latex(grid, label)).collect()
}

/// Names of the settings that vary, each a column of its own.
fn settings<'a>(all: impl Iterator<Item = &'a Settings>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all.flat_map(Settings::keys) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.sort_unstable();
    names
}

fn line<'a>(out: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    let cells: Vec<String> = cells.into_iter().map(guarded).collect();
    let _ = writeln!(out, "{}", cells.join(","));
}

fn number(value: Option<f64>) -> String {
    value.filter(|v| v.is_finite()).map_or_else(String::new, |v| v.to_string())
}

/// Values of the settings in the order of `names`; empty where one does not bear on it.
fn levels(names: &[String], at: &Settings) -> Vec<String> {
    names.iter().map(|name| at.get(name).map(Level::to_string).unwrap_or_default()).collect()
}

fn summary_csv(concluded: &Concluded) -> String {
    let names = settings(concluded.summary.iter().map(|one| &one.at));
    let heads: Vec<String> = names.iter().map(|name| format!("at.{name}")).collect();
    let mut out = String::new();
    let head = ["data", "method", "space"].into_iter().chain(heads.iter().map(String::as_str));
    line(&mut out, head.chain(["metric", "mean", "sd", "n", "best", "tied", "reason"]));
    for one in &concluded.summary {
        let at = levels(&names, &one.at);
        let values = [number(one.mean), number(one.sd), one.n.to_string(), one.best.to_string(), one.tied.to_string()];
        let whose = [one.data.as_deref().unwrap_or(""), &one.method, one.space.as_deref().unwrap_or("")];
        let cells = whose.into_iter().chain(at.iter().map(String::as_str)).chain([one.metric.as_str()]);
        line(&mut out, cells.chain(values.iter().map(String::as_str)).chain([one.reason.as_deref().unwrap_or("")]));
    }
    out
}

fn cells_csv(concluded: &Concluded) -> String {
    let names = settings(concluded.cells.iter().map(|cell| &cell.at));
    let heads: Vec<String> = names.iter().map(|name| format!("at.{name}")).collect();
    let mut out = String::new();
    let head = ["data", "method", "space", "division"].into_iter().chain(heads.iter().map(String::as_str));
    line(&mut out, head.chain(["metric", "value", "seconds", "rows", "fitted", "reason"]));
    for cell in &concluded.cells {
        let at = levels(&names, &cell.at);
        let values = [number(cell.value), number(cell.seconds), cell.rows.to_string(), cell.fitted.to_string()];
        let whose =
            [cell.data.as_deref().unwrap_or(""), &cell.method, cell.space.as_deref().unwrap_or(""), &cell.division];
        let cells = whose.into_iter().chain(at.iter().map(String::as_str)).chain([cell.metric.as_str()]);
        line(&mut out, cells.chain(values.iter().map(String::as_str)).chain([cell.reason.as_deref().unwrap_or("")]));
    }
    out
}

fn saved(concluded: &Concluded) -> Result<String> {
    #[derive(Serialize)]
    struct Saved<'a> {
        schema: &'static str,
        spec: &'a super::spec::Spec,
        cells: &'a [super::cell::Cell],
        summary: &'a [super::summary::Summary],
        comparisons: &'a [super::comparisons::Comparison],
        ranks: &'a [super::ranks::Ranks],
    }
    let saved = Saved {
        schema: SCHEMA,
        spec: &concluded.spec,
        cells: &concluded.cells,
        summary: &concluded.summary,
        comparisons: &concluded.comparisons,
        ranks: &concluded.ranks,
    };
    serde_json::to_string_pretty(&saved).map_err(|error| Error::internal(error.to_string()))
}
