//! What all cells say together.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::comparisons::Comparison;
use super::compositions::compositions;
use super::figures::figures;
use super::findings;
use super::grid::grids;
use super::outline::Outline;
use super::ranks::{Ranks, ranking};
use super::spec::Spec;
use super::summary::{Summary, compared};
use crate::data::View;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Sheet};

/// How a result is to be shown; left out: everything that there is something for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Presentation {
    /// number of CSS pixels that a chart may be wide
    pub width: Option<f64>,
}

/// An experiment with its conclusions: the response of `data.experiment`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentResult"))]
pub struct Concluded {
    /// the request, with defaults
    pub spec: Spec,
    /// every number, in one order whatever order they came in
    pub cells: Vec<Cell>,
    /// mean and spread of every method, metric, space and setting
    pub summary: Vec<Summary>,
    /// differences to the scores as they came, and to the best
    pub comparisons: Vec<Comparison>,
    /// mean ranks over data sets, or over divisions where there is one data set
    pub ranks: Vec<Ranks>,
    /// notes on the evaluation and on missing values
    pub notes: Vec<String>,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// Every number of the experiment, as each block tells of all of them: of the fewest rows that a cell was scored on, and of
/// those with and without the outcome, if no metric is one of fewer.
fn basis(outline: &Outline) -> Basis {
    let of_cell = |cell: &Cell| match Basis::of_metric(&cell.metric, View::Positive) {
        Basis::AllRows => match cell.events {
            Some(events) => Basis::share(cell.rows, events),
            None => Basis::Statistic(cell.rows as u64),
        },
        other => other,
    };
    Basis::all_of(outline.cells.iter().map(of_cell))
}

/// What the cells of an experiment say.
///
/// Nothing here depends on the order of the cells. Cells of an experiment that was stopped are as good as all: what is missing is
/// said.
///
/// # Errors
/// `invalid_option` for cells that are none of the experiment's, and for two cells of one place with different values.
///
/// # Cost
/// O(quantities · methods² · divisions).
pub fn conclude(spec: &Spec, cells: &[Cell], screen: &Screen) -> Result<Concluded> {
    let outline = Outline::of(spec, cells)?;
    let compared = compared(&outline);
    let ranking = ranking(&outline);
    let notes = findings::notes(&outline, &compared, &ranking);
    let mut blocks = vec![Block::Reading(findings::headline(&outline, &compared, &ranking))];
    blocks.extend(findings::against_none(&compared).filter(|_| outline.data.len() < 2).map(Block::Text));
    blocks.push(Block::Facts(findings::facts(&outline)));
    let grids = grids(&outline, &compared, &ranking);
    blocks.extend(grids.iter().map(|grid| Block::Table(grid.sheet_table())));
    // once below all tables that have the mark for the same reason
    let mut tied: Vec<String> = grids.iter().filter_map(|grid| grid.tied("the best")).collect();
    tied.dedup();
    blocks.extend(tied.into_iter().map(Block::Note));
    blocks.extend(figures(&outline, &compared, &ranking));
    blocks.extend(compositions(spec, &compared));
    blocks.extend(findings::rank_table(&outline, &ranking));
    blocks.extend(findings::differences(&compared, &ranking, &outline));
    blocks.extend(notes.iter().cloned().map(Block::Note));
    let basis = basis(&outline);
    let blocks = blocks.into_iter().map(|block| block.of(basis.clone())).collect();
    let mut sheet = Sheet::new(Vec::new(), blocks);
    sheet.draw(screen);
    let summary = compared.iter().flat_map(|one| one.summary.iter().cloned()).collect();
    let comparisons = compared.into_iter().flat_map(|one| one.comparisons).chain(ranking.comparisons).collect();
    Ok(Concluded {
        spec: spec.clone(),
        cells: outline.cells.clone(),
        summary,
        comparisons,
        ranks: ranking.ranks,
        notes,
        sheet,
    })
}
