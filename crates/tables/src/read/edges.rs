//! What surrounds the rows of a text table: remarks before the header, and a last row that adds up the others.

use std::collections::HashSet;

use super::decimal::{missing_number, number};
use super::notation::grouped;
use super::scan::Scanner;
use crate::table::{NamedColumn, Values, Warning};
use crate::words::text::counted;

/// What the first cell of a row of totals says, in lower case.
const TOTALS: &[&str] = &[
    "total",
    "totals",
    "grand total",
    "sum",
    "sums",
    "mean",
    "average",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "summe",
    "mittelwert",
    "durchschnitt",
    "somme",
    "totale",
    "somma",
    "suma",
    "totaal",
];

/// Whether a text says that its row adds up others: `Total`, `Ward A Total`, `Overall`.
pub(crate) fn says_total(text: &str) -> bool {
    let text = text.trim().trim_end_matches(':');
    let ends_in = |end: &str| {
        let tail = text.len().checked_sub(end.len()).and_then(|at| text.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    TOTALS.iter().chain(&["subtotal", "overall"]).any(|word| text.eq_ignore_ascii_case(word))
        || [" total", " subtotal", " mean", " gesamt"].into_iter().any(ends_in)
}

/// Lines at the start of a text that begin with `#`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Remarks<'a> {
    /// what they say, without the mark
    pub lines: Vec<&'a str>,
    /// the text behind them
    pub rest: &'a str,
    /// the text from the last of them on, without its mark: names of columns may be there, as NumPy writes them
    pub last: &'a str,
}

/// The remarks before a table; without one, `rest` is the whole text.
pub(super) fn remarks(text: &str) -> Remarks<'_> {
    let text = without_separator(text);
    let mut found = Remarks { lines: Vec::new(), rest: text, last: text };
    while let Some(marked) = found.rest.trim_start().strip_prefix('#') {
        let end = marked.find(['\n', '\r']).unwrap_or(marked.len());
        let (line, rest) = marked.split_at_checked(end).unwrap_or((marked, ""));
        found.last = marked.trim_start_matches([' ', '\t', '#']);
        found.lines.push(line.trim_matches([' ', '\t', '#']));
        found.rest = rest;
    }
    found
}

/// A text without a first line `sep=;`, which tells Excel the delimiter.
fn without_separator(text: &str) -> &str {
    let end = text.find(['\n', '\r']).unwrap_or(text.len());
    let (line, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let line = line.trim_matches(['\u{feff}', '"', ' ']);
    let named = line.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("sep="));
    if named && line.chars().count() <= 5 && !rest.trim().is_empty() {
        rest.trim_start_matches(['\n', '\r'])
    } else {
        text
    }
}

/// A text without the lines that are the same as its first, and their number: a header that was written again with every part
/// that was appended, or on every page. `None` without any, and where the first line is none.
pub(super) fn without_repeated_header(text: &str, delimiter: u8) -> Option<(String, usize)> {
    let header = header_line(text, delimiter)?;
    let rest = text.get(header.len()..)?;
    let (without, number) = without_lines(rest, header)?;
    Some((format!("{header}{without}"), number))
}

/// The first line of a text, where it may be a header: two names or more, none a number or the same as another.
pub(super) fn header_line(text: &str, delimiter: u8) -> Option<&str> {
    let header = text.get(..text.find(['\n', '\r'])?)?;
    let names = Scanner::new(header, delimiter).row().ok()?;
    let is_name = |name: &String| name.chars().any(char::is_alphabetic) && number(name, b'.').is_none();
    let distinct: HashSet<&String> = names.iter().collect();
    (names.len() > 1 && distinct.len() == names.len() && names.iter().all(is_name)).then_some(header)
}

/// A text without its lines that are the same as a header, and their number; `None` without any. A line without an end may go on.
pub(super) fn without_lines(text: &str, header: &str) -> Option<(String, usize)> {
    memchr::memmem::find(text.as_bytes(), header.as_bytes())?;
    let mut without = String::with_capacity(text.len());
    let mut number = 0;
    for line in text.split_inclusive('\n') {
        let repeated = line.ends_with('\n') && line.trim_end_matches(['\n', '\r']) == header;
        if repeated { number += 1 } else { without.push_str(line) }
    }
    (number > 0).then_some((without, number))
}

/// What is said of it.
pub(super) fn header_repeated(lines: usize) -> Warning {
    Warning {
        code: "header_repeated".into(),
        message: format!("The header is repeated in {} below it; these were ignored.", counted(lines, "line")),
        row: None,
        column: None,
    }
}

/// The last row of a text, if it may hold totals.
#[derive(Debug, PartialEq)]
pub(super) struct LastRow<'a> {
    /// the text before it
    pub before: &'a str,
    /// its first cell
    pub name: String,
    cells: Vec<String>,
}

/// The last row of a text whose first cell says that it adds up the others; with `asked` any.
pub(super) fn last_row(text: &str, delimiter: u8, asked: bool) -> Option<LastRow<'_>> {
    let trimmed = text.trim_end();
    let at = trimmed.rfind(['\n', '\r'])? + 1;
    let (before, line) = trimmed.split_at_checked(at)?;
    let before = without_empty_rows(before, delimiter);
    let cells = Scanner::new(line, delimiter).row().ok()?;
    let name = cells.first()?.trim().trim_end_matches(':').to_owned();
    // A header and a row must be left.
    let others = before.trim_end().lines().filter(|line| !line.trim().is_empty()).take(2).count();
    let known = TOTALS.contains(&name.to_lowercase().as_str());
    (others == 2 && (known || asked)).then_some(LastRow { before, name, cells })
}

/// A text without the empty rows at its end, which set totals apart from the table.
fn without_empty_rows(mut text: &str, delimiter: u8) -> &str {
    let empty = |line: &str| line.chars().all(|c| c.is_whitespace() || c == '"' || c == char::from(delimiter));
    loop {
        let lines = text.trim_end_matches(['\n', '\r']);
        let at = lines.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        match lines.split_at_checked(at) {
            Some((before, line)) if at > 0 && empty(line) => text = before,
            _ => return text,
        }
    }
}

impl LastRow<'_> {
    /// Whether every other cell is empty or the sum, the mean or the number of the values above it, and no row above has the
    /// same first cell. O(rows × columns) at most.
    ///
    /// * `mark`: decimal mark of the table
    pub fn adds_up(&self, columns: &[NamedColumn], mark: u8) -> bool {
        let again = |values: &Values| match values {
            Values::Text { levels, .. } => levels.iter().any(|text| text.eq_ignore_ascii_case(&self.name)),
            _ => false,
        };
        if self.cells.len() > columns.len() || columns.first().is_some_and(|first| again(&first.values)) {
            return false;
        }
        self.cells.iter().zip(columns).skip(1).all(|(cell, column)| {
            if missing_number(cell) || !cell.chars().any(char::is_alphanumeric) {
                return true;
            }
            let Values::Numbers(values) = &column.values else { return false };
            let other = if mark == b'.' { ',' } else { '.' };
            let Some(said) = number(cell, mark).or_else(|| grouped(cell, other, mark)) else { return false };
            let known = || values.iter().filter(|x| !x.is_nan());
            let (sum, count) = (known().sum::<f64>(), known().count() as f64);
            // As exact as it is written.
            let digits = cell.split_once(char::from(mark)).map_or(0, |(_, fraction)| fraction.len().min(15));
            let near = |x: f64| (said - x).abs() <= 0.51 * 10f64.powi(-(digits as i32)) + 1e-9 * x.abs();
            near(sum) || near(sum / count.max(1.0)) || said == count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_stand_before_the_table() {
        assert_eq!(remarks("sep=;\r\np;y\r\n0,5;1\r\n").rest, "p;y\r\n0,5;1\r\n");
        assert_eq!(remarks("sep=a long name\n1\n").rest, "sep=a long name\n1\n");
        let found = remarks("\n# exported by job 7\r\n#\n# p, y\n0.5,1\n");
        assert_eq!(found.lines, ["exported by job 7", "", "p, y"]);
        assert_eq!(found.rest.trim_start(), "0.5,1\n");
        assert_eq!(found.last, "p, y\n0.5,1\n");
        assert_eq!(remarks("p,y\n#1,2\n").lines, [""; 0]);
        assert_eq!(remarks("#"), Remarks { lines: vec![""], rest: "", last: "" });
    }

    #[test]
    fn only_a_last_row_that_says_so() {
        let row = |text| last_row(text, b',', false).map(|row| row.name);
        assert_eq!(row("id,n\n1,2\nTotal:,2\n\n").as_deref(), Some("Total"));
        assert_eq!(row("id,n\n\"Summe\",2\n"), None);
        assert_eq!(row("id,n\n1,2\n3,4\n"), None);
        assert_eq!(row(""), None);
        // empty cells of the last case stay
        let apart = last_row("id,n,w\n1,2,\n,,\n\nTotal,2,\n", b',', false).expect("totals");
        assert_eq!(apart.before, "id,n,w\n1,2,\n");
    }
}
