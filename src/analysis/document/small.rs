//! What a document leaves out so that no small count can be read or worked out.

use crate::document::Piece;
use crate::plot::figure::Figure;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::small_cells::{is_small, left_out, tells_of_few};
use crate::words::number::count;

/// Words in the heads of columns that count people: "rows", "rows then", "harm, rows".
const COUNTS: &[&str] = &[
    "rows", "n", "events", "people", "patients", "cases", "count", "unsure", "wrong", "caught", "alarms", "missed",
    "spared", "asked", "wrongly",
];

/// Pieces of a panel without what tells of few rows: lines of tables, charts of them, sentences with small numbers.
///
/// * `all`: rows, of which shares are where a table does not say of how many
pub(super) fn in_pieces(pieces: Vec<Piece>, all: u64, least: Option<u64>) -> Vec<Piece> {
    let Some(least) = least else { return pieces };
    pieces.into_iter().flat_map(|piece| in_piece(piece, all, least)).collect()
}

fn in_piece(piece: Piece, all: u64, least: u64) -> Vec<Piece> {
    let quiet = |what: &str| Piece::Note(format!("{what} is left out: it may tell of fewer than {least} rows."));
    let told = match piece {
        Piece::Lead(text) | Piece::Text(text) | Piece::Heading(text) | Piece::Note(text)
            if tells_of_few(&text, least) =>
        {
            quiet("A sentence")
        }
        Piece::Facts(mut facts) => {
            facts.retain(|fact| !tells_of_few(&fact.value, least));
            Piece::Facts(facts)
        }
        Piece::Table(table) => match in_table(table, all, least) {
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
            let pieces = in_pieces(pieces, all, Some(least));
            match shows_few(&figure, least) {
                true => return pieces,
                false => Piece::Beside(figure, pieces),
            }
        }
        other => other,
    };
    vec![told]
}

fn counts_people(title: &str) -> bool {
    let title = title.to_lowercase();
    let words = || title.split(|c: char| !c.is_alphanumeric());
    // "per 100 rows" is a rate
    words().any(|word| COUNTS.contains(&word)) && !words().any(|word| word == "per")
}

/// "10.0 % (4)" is 0.1.
fn share(text: &str) -> Option<f64> {
    let (digits, _) = text.split_once('%')?;
    digits.trim().parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent)).map(|percent| percent / 100.0)
}

/// "10.0 % (4)" is 4; 0 where no whole number stands in brackets.
fn in_brackets(text: &str) -> u64 {
    let inside = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    inside.and_then(|(inside, _)| number(inside)).unwrap_or(0)
}

fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    digits.trim().parse().ok()
}

/// The table with dashes in the lines that are left out; none where no line may stay, or where nobody knows what it counts.
fn in_table(mut table: SheetTable, all: u64, least: u64) -> Option<SheetTable> {
    let columns: Vec<usize> = (table.columns.iter().enumerate())
        .filter(|(_, column)| counts_people(&column.title))
        .map(|(place, _)| place)
        .collect();
    let of_cell = |cell: &Cell| cell.number.map(|number| number.max(0.0).round() as u64).or_else(|| number(&cell.text));
    // counts, then of every share what it makes of the rows of its line, and the rest of them; counts in brackets
    let line = |row: &Vec<Cell>| -> Vec<u64> {
        let counted: Vec<u64> = columns.iter().map(|place| row.get(*place).and_then(of_cell).unwrap_or(0)).collect();
        let n = counted.first().copied().unwrap_or(all);
        let shares = row.iter().flat_map(|cell| match share(&cell.text) {
            Some(share) => {
                let part = (share * n as f64).round() as u64;
                [part.min(n), n.saturating_sub(part), in_brackets(&cell.text)]
            }
            None => [0, 0, in_brackets(&cell.text)],
        });
        counted.iter().copied().chain(shares).collect()
    };
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

/// Whether a chart may show few rows: its text twin counts some, or nobody says how many rows stand behind its marks: a line
/// may step from row to row.
pub(super) fn shows_few(figure: &Figure, least: u64) -> bool {
    let counted: Vec<usize> = (figure.table.columns.iter().enumerate())
        .filter(|(_, column)| counts_people(&column.title))
        .map(|(place, _)| place)
        // where counts stand there are whole numbers alone
        .filter(|place| figure.table.rows.iter().filter_map(|row| row.get(*place)).all(|cell| number(cell).is_some()))
        .collect();
    if counted.is_empty() {
        return true;
    }
    let cells = figure.table.rows.iter().flat_map(|row| counted.iter().filter_map(|place| row.get(*place)));
    cells.filter_map(|cell| number(cell)).any(|count| is_small(count, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_that_count_are_known() {
        for title in
            ["rows", "Rows then", "harm, rows", "happened n", "n", "Events", "false alarms", "answered wrongly"]
        {
            assert!(counts_people(title), "{title}");
        }
        for title in ["then", "now", "narrow", "number", "p, corrected", "net benefit per 100 rows", ""] {
            assert!(!counts_people(title), "{title}");
        }
    }

    #[test]
    fn few_rows_then_or_now_are_left_out() {
        let mut table = SheetTable::new("", &["number", "#rows then", "#rows now", "#now"]);
        for (name, then, now) in [("a", 40_u32, 3_u32), ("b", 50, 60), ("c", 70, 80)] {
            let cell = |n: u32| Cell::number(n.to_string(), f64::from(n));
            table.rows.push(vec![name.into(), cell(then), cell(now), "0.2".into()]);
        }
        let texts = |place: usize, table: &SheetTable| -> Vec<String> {
            table.rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.text.clone()).collect()
        };
        let shown = in_table(table, 200, 5).unwrap_or_default();
        assert_eq!(texts(2, &shown), ["–", "–", "80"]);
    }
}
