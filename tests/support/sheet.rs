//! What stands in a sheet.

use localcal::plot::Figure;
use localcal::report::sheet::{Block, Sheet, SheetTable};

/// The sentence that comes first.
pub fn reading(sheet: &Sheet) -> &str {
    match sheet.blocks.first() {
        Some(Block::Reading(words)) => words,
        other => panic!("not a reading: {other:?}"),
    }
}

pub fn tables(sheet: &Sheet) -> Vec<&SheetTable> {
    let tables = sheet.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    tables.collect()
}

pub fn figures(sheet: &Sheet) -> Vec<&Figure> {
    let groups = sheet.blocks.iter().filter_map(|block| match block {
        Block::Figures(figures) => Some(figures),
        _ => None,
    });
    groups.flatten().collect()
}
