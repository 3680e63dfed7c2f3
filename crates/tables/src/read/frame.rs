//! What stands above and below the table of a text, as reports and workbooks have it: titles, footnotes, empty rows.

use super::decimal::number;
use super::dialect::{DELIMITERS, dialect, head};
use super::scan::Scanner;
use crate::table::Warning;
use crate::words::text::{counted, listed};

/// Rows looked at, at either end.
const LOOKED_AT: usize = 40;
/// Rows above the table, at most.
const MOST_ABOVE: usize = 20;

/// A table, and what is around it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Frame<'a> {
    pub table: &'a str,
    /// bytes behind the table
    pub behind: usize,
    above: Vec<String>,
    below: Vec<String>,
    /// rows without any value
    empty: usize,
}

impl Frame<'_> {
    /// What was left out.
    pub fn warning(&self) -> Option<Warning> {
        let texts =
            |texts: &[String], place: &str| (!texts.is_empty()).then(|| format!("{} {place} it", listed(texts)));
        let empty = (self.empty > 0).then(|| counted(self.empty, "empty row"));
        let parts = [texts(&self.above, "above"), texts(&self.below, "below"), empty];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| Warning {
            code: "lines_around_table".into(),
            message: format!("Outside the table and ignored: {}.", parts.join(", ")),
            row: None,
            column: None,
        })
    }
}

/// A row at the top or the bottom of a text.
struct Row {
    start: usize,
    width: usize,
    /// the cells that are not empty
    filled: Vec<String>,
    /// the first cell is not empty
    begins: bool,
    /// an empty line stands above it
    after_gap: bool,
}

impl Row {
    fn of(cells: Vec<String>, start: usize, after_gap: bool) -> Self {
        let (width, begins) = (cells.len(), cells.first().is_some_and(|cell| !cell.is_empty()));
        Self { start, width, filled: cells.into_iter().filter(|cell| !cell.is_empty()).collect(), begins, after_gap }
    }

    /// Nothing, or one text in the first cell.
    fn is_line(&self) -> bool {
        self.filled.is_empty() || self.filled.len() == 1 && self.begins
    }

    fn text(&self) -> String {
        self.filled.join(", ")
    }
}

/// The table of a text without the lines above its names and below its rows. A line is a row of one cell, in the first column,
/// or of other width than the table's and apart from it by an empty row; what remains below the lines above must begin with
/// names. O(length of the rows looked at).
///
/// * `header`: whether the first row holds names, where a person has said so
pub(super) fn framed(text: &str, header: Option<bool>) -> Frame<'_> {
    let whole = Frame { table: text, ..Frame::default() };
    if is_regular(text) {
        return whole;
    }
    let of_delimiter = |&delimiter: &u8| {
        let rows = first_rows(text, delimiter);
        let (count, width) = usual_width(&rows)?;
        Some((count, width, delimiter, rows))
    };
    let Some((_, width, delimiter, rows)) =
        DELIMITERS.iter().filter_map(of_delimiter).max_by_key(|(count, width, ..)| (*count, *width))
    else {
        return whole;
    };
    let (end, mut last) = rows_below(text, delimiter, width);
    let upper = text.get(..end).unwrap_or(text);
    let above = rows_above(&rows, width);
    let start = rows.get(above).map_or(0, |row| row.start);
    let names_follow = |table: &str| {
        let found = dialect(table, header);
        found.header && (found.delimiter, found.width) == (delimiter, width)
    };
    let table = upper.get(start..).filter(|table| above > 0 && names_follow(table));
    let first: &[Row] = if table.is_some() { rows.get(..above).unwrap_or_default() } else { &[] };
    last.reverse();
    let texts =
        |rows: &[Row]| -> Vec<String> { rows.iter().filter(|row| !row.filled.is_empty()).map(Row::text).collect() };
    Frame {
        table: table.unwrap_or(upper),
        behind: text.len() - end,
        above: texts(first),
        below: texts(&last),
        empty: first.iter().chain(&last).filter(|row| row.filled.is_empty()).count(),
    }
}

/// Whether the first rows and the last have equally many delimiters of one kind, as in a table without a frame.
fn is_regular(text: &str) -> bool {
    let trimmed = |line| str::trim_matches(line, [' ', '\r']);
    let mut lines = text.lines().map(trimmed).filter(|line| !line.is_empty()).take(LOOKED_AT);
    let Some(first) = lines.next() else { return true };
    let last = text.trim_end_matches([' ', '\r', '\n']).rsplit('\n').next().map_or("", trimmed);
    let others: Vec<&str> = lines.chain([last]).collect();
    let regular = |&delimiter: &u8| {
        let count = |line: &str| line.bytes().filter(|byte| *byte == delimiter).count();
        let cells = |line: &str| {
            line.split(char::from(delimiter)).filter(|cell| !cell.trim_matches(['"', ' ']).is_empty()).take(2).count()
                > 1
        };
        let wanted = count(first);
        wanted > 0 && cells(first) && cells(last) && others.iter().all(|line| count(line) == wanted)
    };
    DELIMITERS.iter().any(regular)
}

fn first_rows(text: &str, delimiter: u8) -> Vec<Row> {
    let mut scanner = Scanner::new(head(text), delimiter);
    let mut rows = Vec::new();
    let mut before = 0;
    while rows.len() < LOOKED_AT && scanner.next_row() {
        let start = scanner.at;
        let gap = text.get(before..start).is_some_and(|passed| passed.contains(['\n', '\r']));
        let Ok(cells) = scanner.row() else { break };
        rows.push(Row::of(cells, start, gap));
        before = scanner.at;
    }
    rows
}

/// How many rows have the most frequent number of cells above 1, and that number; at least a row of names and one of values.
fn usual_width(rows: &[Row]) -> Option<(usize, usize)> {
    let count = |width: usize| rows.iter().filter(|row| row.width == width).count();
    let widths = rows.iter().map(|row| row.width).filter(|width| *width > 1);
    widths.map(|width| (count(width), width)).max().filter(|(count, _)| *count > 1)
}

/// How many rows stand above the names.
fn rows_above(rows: &[Row], width: usize) -> usize {
    let mut above = 0;
    for (k, row) in rows.iter().enumerate().take(MOST_ABOVE) {
        let apart = rows.get(k + 1).is_some_and(|next| next.after_gap || next.filled.is_empty());
        if row.is_line() && above == k || row.width != width && apart {
            above = k + 1;
        } else if row.width == width {
            break;
        }
    }
    above
}

/// Where the table ends, and the rows below it, the last first.
fn rows_below(text: &str, delimiter: u8, width: usize) -> (usize, Vec<Row>) {
    let line_ends = ['\n', '\r'];
    let (mut end, mut kept) = (text.len(), 0);
    let (mut found, mut at): (Vec<Row>, usize) = (Vec::new(), text.len());
    while found.len() < LOOKED_AT {
        let before = text.get(..at).unwrap_or("").trim_end_matches([' ', '\n', '\r']);
        let Some(start) = before.rfind(line_ends).map(|place| place + 1) else { break };
        let line = before.get(start..).unwrap_or("");
        let passed = before.get(..start).unwrap_or("");
        let gap = passed.len() - passed.trim_end_matches([' ', '\n', '\r']).len();
        let after_gap = gap > if passed.ends_with("\r\n") { 2 } else { 1 };
        // a quotation may have begun in a line above
        let Ok(cells) = Scanner::new(line, delimiter).row() else { break };
        if line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
            break;
        }
        let row = Row::of(cells, start, after_gap);
        let words = row.filled.first().is_some_and(|text| text.chars().any(char::is_alphabetic));
        let is_number = row.filled.iter().all(|cell| number(cell, b'.').is_some());
        if !row.filled.is_empty() && (is_number || !(row.is_line() && words || row.width != width)) {
            break;
        }
        // A text of several words in a row of its own is a footnote; other rows are where an empty row is above them.
        let sentence = row.width == 1 && row.filled.first().is_some_and(|text| text.contains(' '));
        let settled = row.filled.is_empty() || row.after_gap || sentence && kept == found.len();
        found.push(row);
        at = start;
        if settled {
            (end, kept) = (start, found.len());
        }
    }
    found.truncate(kept);
    (end, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table, and what is said of the rest.
    fn of(text: &str) -> (String, String) {
        let frame = framed(text, None);
        let said = frame.warning().map(|warning| warning.message).unwrap_or_default();
        (frame.table.trim_end().to_owned(), said.trim_start_matches("Outside the table and ignored: ").to_owned())
    }

    #[test]
    fn titles_and_footnotes_are_left_out_and_said() {
        let table = "id,p,y\na,0.5,1\nb,0.25,0";
        for (above, below, said) in [
            ("Report of 2024\n\n", "", "`Report of 2024` above it."),
            ("Report of Jan 5, 2024\n\n", "\n", "`Report of Jan 5, 2024` above it."),
            ("Report of 2024,,\n,,\n", "\n,,\n,,\n", "`Report of 2024` above it, 3 empty rows."),
            ("Model,v3\nDate,2024-01-05\n\n", "", "`Model, v3`, `Date, 2024-01-05` above it."),
            ("Report\nBy: DOE, J\nOn 2024-01-05\n\n", "", "`Report`, `By: DOE, J`, `On 2024-01-05` above it."),
            ("", "\n\nSource: registry, 2024\n", "`Source: registry, 2024` below it."),
            ("", "\r\n\r\nSource: registry\r\nConfidential\r\n", "`Source: registry`, `Confidential` below it."),
            ("", "\nSource: registry\n", "`Source: registry` below it."),
            ("A\n", "\n,,\n\"Source: a, b\",,\n", "`A` above it, `Source: a, b` below it, 1 empty row."),
            ("", "\n,,\n", "1 empty row."),
        ] {
            let text = format!("{above}{table}{below}");
            assert_eq!(of(&text), (table.to_owned(), said.to_owned()), "{text}");
        }
    }

    #[test]
    fn tables_without_a_frame_stay_as_they_are() {
        for text in [
            "p,y\n0.5,1\n0.25,0",
            ",BLACK\n0,1\n1,0",
            "p,\n0.5,1\n0.25,0",
            "p,y\na,0.5,1\nb,0.5,0",
            "p,y,\n0.5,1,\n0.25,0,",
            "p\n0.5\n0.25\n\n0.75",
            "id,p,y\n1,,\n2,0.5,1",
            // cut off, or a cell of several lines
            "id,p,y\n1,0.5,1\n2,0.25,0\n3",
            "id,p,y\n1,0.5,1\n2,0.25,0\nc",
            "id,p,note\n1,0.5,ab\n2,0.25,\"first\n\nlast line\"",
            // a row with a value that is missing, and one with a cell too many
            "id,p,y\na,0.5,1\nb,,",
            "id,p,y\na,0.5,1\nb,1,2,3",
        ] {
            assert_eq!(of(text), (text.to_owned(), String::new()), "{text}");
        }
    }
}
