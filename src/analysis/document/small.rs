//! What a document leaves out so that no small count can be read or worked out.

use crate::document::Piece;
use crate::document::suppress::{is_small, left_out, tells_of_few};
use crate::plot::figure::{Figure, Mark};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::words::number::count;

/// Heads of columns that count people.
const COUNTS: &[&str] =
    &["rows", "n", "events", "people", "patients", "cases", "count", "happened n", "unsure", "wrong"];

/// Pieces of a panel without what tells of few rows: lines of tables, charts of them, sentences with small numbers.
pub(super) fn in_pieces(pieces: Vec<Piece>, least: Option<u64>) -> Vec<Piece> {
    let Some(least) = least else { return pieces };
    pieces.into_iter().map(|piece| in_piece(piece, least)).collect()
}

fn in_piece(piece: Piece, least: u64) -> Piece {
    let quiet = |what: &str| Piece::Note(format!("{what} is left out: it may tell of fewer than {least} rows."));
    match piece {
        Piece::Lead(text) | Piece::Text(text) | Piece::Heading(text) | Piece::Note(text)
            if tells_of_few(&text, least) =>
        {
            quiet("A sentence")
        }
        Piece::Facts(mut facts) => {
            facts.retain(|fact| !tells_of_few(&fact.value, least));
            Piece::Facts(facts)
        }
        Piece::Table(table) => match in_table(table, least) {
            Some(table) => Piece::Table(table),
            None => quiet("A table"),
        },
        Piece::Figures(mut figures) => {
            figures.retain(|figure| !shows_few(figure, least));
            match figures.is_empty() {
                true => quiet("A chart"),
                false => Piece::Figures(figures),
            }
        }
        Piece::Beside(figure, pieces) => {
            let pieces = in_pieces(pieces, Some(least));
            match shows_few(&figure, least) {
                true => Piece::Beside(Box::default(), pieces),
                false => Piece::Beside(figure, pieces),
            }
        }
        other => other,
    }
}

fn counts_people(title: &str) -> bool {
    COUNTS.contains(&title.to_lowercase().as_str())
}

fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    digits.trim().parse().ok()
}

/// The table with dashes in the lines that are left out; none where no line may stay, or where nobody knows what it counts.
fn in_table(mut table: SheetTable, least: u64) -> Option<SheetTable> {
    let columns: Vec<usize> = (table.columns.iter().enumerate())
        .filter(|(_, column)| counts_people(&column.title))
        .map(|(place, _)| place)
        .collect();
    let of_cell = |cell: &Cell| cell.number.map(|number| number.max(0.0).round() as u64).or_else(|| number(&cell.text));
    let line = |row: &Vec<Cell>| columns.iter().map(|place| row.get(*place).and_then(of_cell).unwrap_or(0)).collect();
    let lines: Vec<Vec<u64>> = table.rows.iter().map(line).collect();
    let out = left_out(&lines, least)?;
    for row in table.rows.iter_mut().zip(&out).filter(|(_, out)| **out).map(|(row, _)| row) {
        for cell in row.iter_mut().skip(1) {
            *cell = Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() };
        }
    }
    if out.contains(&true) {
        let gap = if table.caption.is_empty() { "" } else { " " };
        table.caption += &format!("{gap}(–: left out, so that no count below {} can be worked out)", count(least));
    }
    Some(table)
}

/// Whether a chart may show few rows: its text twin counts some, or it draws symbols and nobody says how many rows each
/// stands for.
pub(super) fn shows_few(figure: &Figure, least: u64) -> bool {
    let counted: Vec<usize> = (figure.table.columns.iter().enumerate())
        .filter(|(_, column)| counts_people(&column.title))
        .map(|(place, _)| place)
        .collect();
    if counted.is_empty() {
        let symbols = |mark: &Mark| matches!(mark, Mark::Points { .. } | Mark::Image { .. } | Mark::Bars { .. });
        return figure.panels.iter().flat_map(|panel| &panel.marks).any(symbols);
    }
    let cells = figure.table.rows.iter().flat_map(|row| counted.iter().filter_map(|place| row.get(*place)));
    cells.filter_map(|cell| number(cell)).any(|count| is_small(count, least))
}
