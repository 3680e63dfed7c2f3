//! What all cells say together.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::comparisons::Comparison;
use super::findings;
use super::grid::grids;
use super::outline::Outline;
use super::ranks::{Ranks, ranking};
use super::spec::Spec;
use super::summary::{Summary, judged};
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::sheet::{Block, Sheet};

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
    /// every number, in one order whatever order they came in
    pub cells: Vec<Cell>,
    /// mean and spread of every method, metric, space and setting
    pub summary: Vec<Summary>,
    /// differences to the scores as they came, and to the best
    pub comparisons: Vec<Comparison>,
    /// mean ranks over data sets, or over divisions where there is one data set
    pub ranks: Vec<Ranks>,
    /// how it was judged, and why values are missing
    pub notes: Vec<String>,
    /// how it is shown
    pub sheet: Sheet,
}

/// What the cells of an experiment say.
///
/// Nothing here hangs on the order of the cells. Cells of an experiment that was stopped are as good as all: what is missing is
/// said.
///
/// # Errors
/// `invalid_option` for cells that are none of the experiment's, and for two cells of one place with different values.
///
/// # Cost
/// O(quantities · methods² · divisions).
pub fn conclude(spec: &Spec, cells: &[Cell], screen: &Screen) -> Result<Concluded> {
    let outline = Outline::of(spec, cells)?;
    let judged = judged(&outline);
    let ranking = ranking(&outline);
    let notes = findings::notes(&outline, &judged, &ranking);
    let mut blocks = vec![Block::Reading(findings::headline(&outline, &judged, &ranking))];
    blocks.extend(findings::against_none(&judged).filter(|_| outline.data.len() < 2).map(Block::Text));
    blocks.push(Block::Facts(findings::facts(&outline)));
    for grid in grids(&outline, &judged, &ranking) {
        blocks.push(Block::Table(grid.sheet_table()));
    }
    blocks.extend(findings::rank_table(&outline, &ranking));
    blocks.extend(findings::differences(&judged, &ranking, &outline));
    blocks.extend(notes.iter().cloned().map(Block::Note));
    let mut sheet = Sheet { fields: Vec::new(), blocks };
    sheet.draw(screen);
    let summary = judged.iter().flat_map(|one| one.summary.iter().cloned()).collect();
    let comparisons = judged.into_iter().flat_map(|one| one.comparisons).chain(ranking.comparisons).collect();
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
