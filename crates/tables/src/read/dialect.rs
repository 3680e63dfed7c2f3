//! Delimiter, decimal mark and header of a text table, from its first rows.

use std::collections::HashSet;

use super::decimal::{decimal, hundredths, missing_number, number};
use super::scan::Scanner;
use crate::words::text::shape;

/// Rows looked at.
const SAMPLE: usize = 60;
/// Bytes looked at; a header lies within them.
const SAMPLE_BYTES: usize = 1 << 22;
/// Stands for "no delimiter" in a table of one column.
const NONE: u8 = 0x1f;

/// Bytes that may stand between cells.
pub(super) const DELIMITERS: [u8; 4] = [b';', b'\t', b'|', b','];

/// How a text table is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dialect {
    /// byte between cells
    pub delimiter: u8,
    /// decimal mark
    pub mark: u8,
    /// whether the first row holds names
    pub header: bool,
    /// cells of a row of data, as the first such row has them
    pub width: usize,
    /// names, made up where there is no header; as many as `width`
    pub names: Vec<String>,
}

/// The dialect that makes the first rows equally long with the cleanest cells; `header` where a person has said whether
/// the first row holds names.
pub(super) fn dialect(text: &str, header: Option<bool>) -> Dialect {
    let sampled: Vec<(u8, Vec<Vec<String>>)> =
        DELIMITERS.iter().map(|&delimiter| (delimiter, sample(text, delimiter))).collect();
    let spaced = sample(text, b' ');
    let best = sampled.iter().filter(|(_, rows)| consistent(rows)).max_by(|(_, a), (_, b)| {
        (cleanness(a), width(a))
            .partial_cmp(&(cleanness(b), width(b)))
            .unwrap_or(std::cmp::Ordering::Equal)
            // Of equals, the first candidate.
            .then(std::cmp::Ordering::Greater)
    });
    let (delimiter, rows) = if let Some((delimiter, rows)) = best {
        (*delimiter, rows.clone())
    } else if consistent(&spaced) && columns_in_spaces(&spaced) {
        (b' ', spaced)
    } else if let Some((delimiter, rows)) =
        sampled.iter().filter(|(_, rows)| rows.first().is_some_and(|first| first.len() > 1)).max_by_key(|(_, rows)| {
            let first = rows.first().map_or(0, Vec::len);
            (rows.iter().filter(|row| row.len() == first).count(), first)
        })
    {
        (*delimiter, rows.clone())
    } else {
        (NONE, sample(text, NONE))
    };
    let mark = if delimiter != b',' && decimal_comma(&rows) { b',' } else { b'.' };
    let header = header.unwrap_or_else(|| self::header(&rows, mark));
    let (width, mut names) = names(&rows, header);
    if let (b' ', Some((first, classes))) = (delimiter, names.split_first_mut())
        && first.as_str() == "labels"
        && classes.iter().all(|class| number(class, b'.').is_some())
    {
        // LIBSVM calls the predicted classes so.
        *first = "predicted_label".into();
    }
    Dialect { delimiter, mark, header, width, names }
}

/// The part of a text that is looked at.
pub(super) fn head(text: &str) -> &str {
    let mut length = text.len().min(SAMPLE_BYTES);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    text.get(..length).unwrap_or(text)
}

fn sample(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let head = head(text);
    let mut scanner = Scanner::new(head, delimiter);
    let mut rows = Vec::new();
    while rows.len() < SAMPLE && scanner.next_row() {
        match scanner.row() {
            Ok(row) => rows.push(row),
            Err(_) => break,
        }
    }
    if head.len() < text.len() && scanner.at >= head.len() && rows.len() > 1 {
        // The last row may be cut.
        rows.pop();
    }
    rows
}

fn width(rows: &[Vec<String>]) -> usize {
    rows.get(1).or(rows.first()).map_or(0, Vec::len)
}

/// Several cells, and as many in every row; the first row may lack the name of the row names.
fn consistent(rows: &[Vec<String>]) -> bool {
    let width = width(rows);
    width > 1
        && rows.iter().skip(1).all(|row| row.len() == width)
        && rows.first().is_some_and(|first| first.len() == width || fewer_names(first, width))
}

/// Whether words that stand as often in every row are cells: all of them are numbers, or some column beneath the first row
/// is, as R's `write.table` writes it.
fn columns_in_spaces(rows: &[Vec<String>]) -> bool {
    let numbers = |j: usize| rows.iter().skip(1).all(|row| row.get(j).is_some_and(|cell| number(cell, b'.').is_some()));
    let columns = (0..width(rows)).filter(|&j| numbers(j)).count();
    columns == width(rows) || (columns > 0 && rows.len() > 2)
}

fn fewer_names(first: &[String], width: usize) -> bool {
    (first.len() > 1 && first.len() + 1 == width) || spread(first, width)
}

/// WEKA names one column `distribution` and writes one cell per class.
fn spread(first: &[String], width: usize) -> bool {
    first.first().is_some_and(|name| name == "inst#")
        && first.last().is_some_and(|name| name == "distribution")
        && first.len() < width
}

/// Share of cells that hold no other delimiter, apart from the comma of a decimal.
fn cleanness(rows: &[Vec<String>]) -> f64 {
    let cells = rows.iter().flatten();
    let clean = cells.clone().filter(|cell| {
        !cell.contains([',', ';', '\t', '|']) || number(cell, b',').is_some() || hundredths(cell).is_some()
    });
    clean.count() as f64 / cells.count().max(1) as f64
}

fn decimal_comma(rows: &[Vec<String>]) -> bool {
    let mut commas = false;
    for cell in rows.iter().flatten() {
        let whole = |mark| decimal(cell.as_bytes(), mark).is_some_and(|(_, end)| end == cell.len());
        if cell.contains('.') && whole(b'.') {
            return false;
        }
        commas |= cell.contains(',') && whole(b',');
    }
    commas
}

/// What a column says about the cell above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaks {
    /// a text above numbers is their name
    Loudly,
    /// a text that never comes again above values that do
    ForName,
    /// a text that comes again below, or is built like its neighbor below (a17, a18)
    ForData,
    Nothing,
}

/// Whether the first row holds names.
///
/// A fraction is data. A word above a column of numbers is a name, whatever other columns hold. Where every column is
/// text, the columns vote: a value that comes again below speaks for data, one that never does, above values that do,
/// for a name.
fn header(rows: &[Vec<String>], mark: u8) -> bool {
    let Some((first, rest)) = rows.split_first() else {
        return false;
    };
    let below = |j: usize| {
        let cells = rest.iter().filter_map(move |row| row.get(j));
        cells.map(String::as_str).filter(|cell| !missing_number(cell))
    };
    // A share with its sign is a name where no value below it is one.
    let value = |j: usize, cell: &str| {
        number(cell, mark).or_else(|| {
            let share = hundredths(cell)?;
            below(j).any(|other| hundredths(other).is_some()).then_some(share + 0.5)
        })
    };
    let values: Vec<Option<f64>> = (first.iter().enumerate()).map(|(j, cell)| value(j, cell)).collect();
    if values.iter().flatten().any(|v| v.fract() != 0.0) {
        return false;
    }
    let said: Vec<Speaks> = (first.iter().enumerate())
        .map(|(j, cell)| match values.get(j) {
            Some(None) if !missing_number(cell) => speaks(cell, below(j).collect(), mark),
            _ => Speaks::Nothing,
        })
        .collect();
    let count = |wanted: Speaks| said.iter().filter(|one| **one == wanted).count();
    if count(Speaks::Loudly) == 0 && count(Speaks::ForData) > count(Speaks::ForName) {
        return false;
    }
    let numbers: Vec<f64> = values.iter().copied().flatten().collect();
    // pandas numbers the columns of an array, be it one beside others; LIBSVM has classes in any order.
    let one = matches!(numbers.as_slice(), [number] if *number == 0.0 || *number == 1.0);
    let of_two = numbers == [1.0, 0.0] || numbers == [1.0, -1.0];
    let beside_a_name = (one || of_two) && count(Speaks::Loudly) > 0 && fractions_below(&values, rest, mark);
    numbers.is_empty()
        || beside_a_name
        || of_series(first, rest, fractions_below(&values, rest, mark))
        || class_numbers(&numbers)
            && rest.iter().flatten().any(|cell| number(cell, mark).is_some())
            && (numbers.len() < first.len() || fractions_below(&values, rest, mark))
}

/// The head that pandas writes above values without a name: `0`, behind an empty cell where the row numbers stand before them.
fn of_series(first: &[String], rest: &[Vec<String>], fractions: bool) -> bool {
    let numbered = || rest.iter().enumerate().all(|(k, row)| row.first() == Some(&k.to_string()));
    match first {
        [zero] => zero == "0" && fractions,
        [nothing, zero] => nothing.is_empty() && zero == "0" && numbered(),
        _ => false,
    }
}

/// What the values `below` say about the text above them.
fn speaks(cell: &str, below: Vec<&str>, mark: u8) -> Speaks {
    let quantity = |other: &&str| number(other, mark).is_some() || hundredths(other).is_some();
    if !below.is_empty() && below.iter().all(quantity) {
        // A dash or a dot stands for a missing number.
        return match cell.chars().any(char::is_alphanumeric) {
            true => Speaks::Loudly,
            false => Speaks::Nothing,
        };
    }
    let alike = |other: &str| cell.bytes().any(|b| b.is_ascii_digit()) && shape(cell) == shape(other);
    if below.iter().any(|&other| other == cell || alike(other)) {
        return Speaks::ForData;
    }
    let distinct: HashSet<&str> = below.iter().copied().collect();
    if below.len() >= 4 && distinct.len() * 2 <= below.len() { Speaks::ForName } else { Speaks::Nothing }
}

/// Consecutive numbers 0 … k−1, 1 … k or −1 … k, or −1 and 1, as class columns are called; two of them only in order.
fn class_numbers(numbers: &[f64]) -> bool {
    if numbers == [-1.0, 1.0] {
        return true;
    }
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let from = sorted.first().copied().unwrap_or(f64::NAN);
    let consecutive = [-1.0, 0.0, 1.0].contains(&from) && sorted.iter().enumerate().all(|(k, v)| *v == from + k as f64);
    consecutive && numbers.len() > 1 && (numbers.len() > 2 || sorted == numbers)
}

fn fractions_below(values: &[Option<f64>], rest: &[Vec<String>], mark: u8) -> bool {
    rest.iter().any(|row| {
        row.iter()
            .zip(values)
            .any(|(cell, value)| value.is_some() && number(cell, mark).is_some_and(|v| v.fract() != 0.0))
    })
}

fn names(rows: &[Vec<String>], header: bool) -> (usize, Vec<String>) {
    let first = rows.first().map_or(&[][..], Vec::as_slice);
    if !header {
        let names = (1..=first.len()).map(|j| format!("column {j}")).collect();
        return (first.len(), names);
    }
    let mut names = first.to_vec();
    let data: Vec<&Vec<String>> = rows.iter().skip(1).collect();
    let width = data.first().map_or(names.len(), |row| row.len());
    if spread(first, width) {
        names.pop();
        let known = names.len();
        names.extend((1..=width - known).map(|k| format!("distribution {k}")));
    } else if fewer_names(first, width) && data.iter().all(|row| row.len() == width) {
        if data.iter().all(|row| row.last().is_some_and(String::is_empty)) {
            // Every row ends with a delimiter.
            names.push(String::new());
        } else {
            // R writes row names without a name above them.
            names.insert(0, "row".into());
        }
    }
    (names.len(), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (u8, u8, bool, Vec<String>) {
        let d = dialect(text, None);
        assert_eq!(d.width, d.names.len());
        (d.delimiter, d.mark, d.header, d.names)
    }

    #[test]
    fn delimiters_and_decimal_marks() {
        for (text, delimiter, mark) in [
            ("p,y\n0.5,1\n", b',', b'.'),
            ("p;y\n0.5;1\n", b';', b'.'),
            ("p;y\n0,5;1\n", b';', b','),
            ("p\ty\n0,5\t1\n", b'\t', b','),
            ("p|y\n0.5|1\n", b'|', b'.'),
            ("0,5;0,6;1\n0,7;0,1;0\n", b';', b','),
            ("0,5;0,6\n0,7;0,1\n", b';', b','),
            ("p,note\n0.5,a;b\n0.25,c;d\n", b',', b'.'),
            ("\"a;b\",c\n1,2\n", b',', b'.'),
            ("0.1 0.9\n0.2 0.8\n", b' ', b'.'),
            ("\"y\" \"p\"\n\"1\" \"No\" 0.5\n\"2\" \"Yes\" 0.7\n", b' ', b'.'),
            ("one line\nof words\nand more\n", NONE, b'.'),
            ("p\n0,5\n0,25\n", NONE, b','),
            ("p\n0.5\n0.25\n", NONE, b'.'),
        ] {
            let (d, m, ..) = of(text);
            assert_eq!((d as char, m as char), (delimiter as char, mark as char), "{text}");
        }
    }

    #[test]
    fn headers() {
        for (text, header) in [
            ("p,y\n0.5,1\n", true),
            ("0.5,1\n0.25,0\n", false),
            ("0,1,2\n0.2,0.3,0.5\n", true),
            ("2,0,1\n0.2,0.3,0.5\n", true),
            ("0,1\n0.3,0.7\n", true),
            ("1,0\n0.3,0.7\n", false),
            ("1,0\n0,1\n", false),
            ("id,0,1\n17,0,1\n", true),
            ("label,-1,1\n1,0.3,0.7\n-1,0.6,0.4\n", true),
            ("-1,0,1\n0.2,0.3,0.5\n", true),
            ("1,-1\n-1,1\n", false),
            ("0,y\n0.3,0\n0.7,1\n", true),
            ("id,1,y\na,0.3,0\nb,0.7,1\n", true),
            ("0,y\n0,0\n1,1\n", false),
            ("labels 1 0\n1 0.7 0.3\n0 0.4 0.6\n", true),
            ("cat\ndog\ncat\n", false),
            ("label\ndog\ncat\ndog\n", true),
            ("a1,1,0\na2,0,0\n", false),
            ("1,male,0\n0,female,1\n1,male,1\n", false),
            (",BLACK\n0,1\n", true),
            ("0\n0.3\n0.7\n", true),
            ("0\n1\n0\n", false),
            (",0\n0,1\n1,0\n", true),
            ("y\n", true),
            // a word above numbers is a name, whatever comes again elsewhere
            ("cancer,p\ncancer,0.9\nhealthy,0.2\n", true),
            ("a17,p\na18,0.9\na19,0.2\n", true),
            ("p,a17\n0.5,a18\n0.25,a19\n", true),
            ("a17,30%\na18,40%\n", false),
            ("id,5%\n1,0.5\n2,0.25\n", true),
            // texts alone: the columns vote
            ("cancer,site\ncancer,A\nhealthy,B\ncancer,A\nhealthy,B\n", true),
            ("cat,dog\ncat,cat\ndog,dog\ncat,cat\ndog,dog\n", false),
            ("-,male,cat\n3,female,dog\n4,male,cat\n", false),
        ] {
            assert_eq!(of(text).2, header, "{text}");
        }
        assert_eq!(of("0.5,1\n0.25,0\n").3, ["column 1", "column 2"]);
        assert!(dialect("cancer\ncancer\nhealthy\n", Some(true)).header);
        assert_eq!(of("labels 1 0\n1 0.7 0.3\n0 0.4 0.6\n").3, ["predicted_label", "1", "0"]);
        assert_eq!(dialect("p,y\n0.5,1\n", Some(false)).names, ["column 1", "column 2"]);
    }

    #[test]
    fn rows_longer_than_the_header() {
        assert_eq!(of("p,y\na,0.5,1\nb,0.5,0\n").3, ["row", "p", "y"]);
        assert_eq!(of("\"y\" \"p\"\n\"1\" \"No\" 0.5\n\"2\" \"Yes\" 0.7\n").3, ["row", "y", "p"]);
        assert_eq!(of("p,y\n0.5,1,\n0.5,0,\n").3, ["p", "y", ""]);
        assert_eq!(
            of("inst#,actual,predicted,error,distribution\n1,1:a,1:a,,*0.9,0.1\n").3,
            ["inst#", "actual", "predicted", "error", "distribution 1", "distribution 2"]
        );
    }
}
