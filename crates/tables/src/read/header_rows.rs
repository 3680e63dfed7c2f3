//! Headers of several rows: units or descriptions below the names, names of two levels, the types that Orange writes.

use super::decimal::{hundredths, missing_number, number};
use super::dialect::{Dialect, head};
use super::scan::Scanner;
use crate::table::Warning;
use crate::words::text::{listed, quoted};

/// Rows looked at.
const LOOKED_AT: usize = 40;

/// Units that need no brackets beside a percent sign, in lower case.
const UNITS: &[&str] = &[
    "year", "years", "yr", "yrs", "month", "months", "week", "weeks", "day", "days", "hour", "hours", "h", "min", "s",
    "kg", "g", "mg", "lb", "m", "cm", "mm", "mmhg", "bpm", "mmol/l", "mg/dl", "g/dl", "kg/m2", "kg/m²", "°c", "usd",
    "eur", "$", "€", "n", "score", "points", "text", "date", "id", "0/1", "y/n", "yes/no", "j/n", "ja/nein", "jahre",
];

/// The names of a header of several rows.
#[derive(Debug, PartialEq)]
pub(super) struct HeaderRows<'a> {
    /// one of each column
    pub names: Vec<String>,
    /// the text below the header
    pub rest: &'a str,
    /// what was made of its rows
    pub warning: Warning,
}

/// The first rows, with the place behind each.
struct Rows {
    cells: Vec<Vec<String>>,
    ends: Vec<usize>,
    mark: u8,
}

/// The header of a text whose second row holds no values; `None` for a header of one row.
/// O(length of the rows looked at).
pub(super) fn header_rows<'a>(text: &'a str, dialect: &Dialect) -> Option<HeaderRows<'a>> {
    let rows = Rows::of(text, dialect)?;
    let (names, length, message) =
        rows.orange().or_else(|| rows.units()).or_else(|| rows.levels()).or_else(|| rows.descriptions())?;
    let rest = text.get(*rows.ends.get(length - 1)?..)?;
    let warning = Warning { code: "header_of_several_rows".into(), message, row: None, column: None };
    Some(HeaderRows { names, rest, warning })
}

/// Names, rows of the header, and what is said of it.
type Header = Option<(Vec<String>, usize, String)>;

impl Rows {
    /// At least a header of two rows and two rows of values, all equally long.
    fn of(text: &str, dialect: &Dialect) -> Option<Self> {
        let mut scanner = Scanner::new(head(text), dialect.delimiter);
        let (mut cells, mut ends) = (Vec::new(), Vec::new());
        while cells.len() < LOOKED_AT && scanner.next_row() {
            cells.push(scanner.row().ok()?);
            ends.push(scanner.at);
        }
        if scanner.at < text.len() && cells.len() < LOOKED_AT {
            // The last row may be cut.
            cells.pop();
        }
        let width = cells.first().map_or(0, Vec::len);
        let regular = cells.len() > 3 && width > 1 && cells.iter().all(|row| row.len() == width);
        regular.then_some(Self { cells, ends, mark: dialect.mark })
    }

    fn row(&self, at: usize) -> &[String] {
        self.cells.get(at).map_or(&[][..], Vec::as_slice)
    }

    fn is_number(&self, cell: &str) -> bool {
        number(cell, self.mark).is_some() || hundredths(cell).is_some()
    }

    /// Columns that hold numbers from a row on.
    fn numeric(&self, from: usize) -> Vec<usize> {
        let below = |j: usize| self.cells.iter().skip(from).filter_map(move |row| row.get(j));
        let numbers = |j: &usize| {
            below(*j).all(|cell| self.is_number(cell) || missing_number(cell))
                && below(*j).any(|cell| self.is_number(cell))
        };
        (0..self.row(0).len()).filter(numbers).collect()
    }

    /// Whether the first rows have a text and no number above numbers.
    fn is_header(&self, length: usize) -> bool {
        let above = |j: usize| self.cells.iter().take(length).filter_map(move |row| row.get(j));
        let numeric = self.numeric(length);
        !numeric.is_empty() && numeric.into_iter().all(|j| !above(j).any(|cell| self.is_number(cell)))
    }

    /// A unit line: every cell that is not empty is in brackets, a percent sign, a dash or a word for a unit.
    fn units(&self) -> Header {
        let bracketed =
            |cell: &str| cell.starts_with('(') && cell.ends_with(')') || cell.starts_with('[') && cell.ends_with(']');
        let units: Vec<&String> = self.row(1).iter().filter(|cell| !cell.is_empty()).collect();
        let plain = |cell: &str| matches!(cell, "%" | "-" | "–") || UNITS.contains(&cell.to_lowercase().as_str());
        let known = units.iter().all(|cell| bracketed(cell) || plain(cell));
        let above_numbers = self.numeric(2).into_iter().any(|j| self.row(1).get(j).is_some_and(|cell| bracketed(cell)));
        if !known || !above_numbers && !units.iter().any(|cell| *cell == "%") || !self.is_header(2) {
            return None;
        }
        // A percent sign says how to read the values: it stays in the name.
        let name = |(name, unit): (&String, &String)| match unit.trim_matches(['(', ')', '[', ']']) {
            "%" => format!("{name} (%)"),
            _ => name.clone(),
        };
        let names = self.row(0).iter().zip(self.row(1)).map(name).collect();
        Some((names, 2, format!("The second row contains units and was not read as values: {}.", listed(units))))
    }

    /// Names of two levels, the upper one once for several columns, as pandas and merged cells have it: both joined.
    fn levels(&self) -> Header {
        let (upper, lower) = (self.row(0), self.row(1));
        let mut last = String::new();
        let whole: Vec<String> = (upper.iter())
            .map(|cell| {
                if !cell.is_empty() {
                    last.clone_from(cell);
                }
                last.clone()
            })
            .collect();
        let repeated = |j: usize| whole.iter().enumerate().any(|(k, other)| k != j && Some(other) == whole.get(j));
        // A third row with the name of the index alone.
        let of_index = self.row(2).iter().skip(1).all(String::is_empty)
            && self.row(2).first().is_some_and(|cell| !cell.is_empty() && !self.is_number(cell));
        let length = if of_index { 3 } else { 2 };
        let numeric = self.numeric(length);
        let text = |row: &[String], j: usize| row.get(j).is_some_and(|cell| !cell.is_empty() && !self.is_number(cell));
        // Class numbers are names below a name that is repeated, above fractions.
        let class = |j: usize| {
            let fraction = |row: &Vec<String>| {
                row.get(j).and_then(|cell| number(cell, self.mark)).is_some_and(|value| value.fract() != 0.0)
            };
            repeated(j)
                && lower.get(j).is_some_and(|cell| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit()))
                && self.cells.iter().skip(length).any(fraction)
        };
        let named = |j: usize| text(lower, j) || class(j) || lower.get(j).is_some_and(String::is_empty) && !repeated(j);
        let is_header = numeric.iter().all(|&j| !upper.get(j).is_some_and(|cell| self.is_number(cell)) && named(j));
        let below_a_repeated = numeric.iter().filter(|&&j| repeated(j) && (text(lower, j) || class(j))).count();
        let again = |j: usize| {
            let cell = lower.get(j);
            !numeric.contains(&j) && self.cells.iter().skip(length).any(|row| row.get(j) == cell && cell.is_some())
        };
        if !is_header || below_a_repeated < 2 || (0..lower.len()).any(|j| text(lower, j) && again(j)) {
            return None;
        }
        let name = |(upper, lower): (&String, &String)| match (upper.as_str(), lower.as_str()) {
            (name, "") | ("", name) => name.to_owned(),
            (upper, lower) if upper == lower => lower.to_owned(),
            (upper, lower) => format!("{upper}_{lower}"),
        };
        let mut names: Vec<String> = whole.iter().zip(lower).map(name).collect();
        if let (true, Some(first), Some(index)) = (of_index, names.first_mut(), self.row(2).first()) {
            first.clone_from(index);
        }
        let example = below_a_name(&names, lower).map(|name| format!(", for example {}", quoted(name)));
        let message = format!("The header has {length} rows; the names were joined{}.", example.unwrap_or_default());
        Some((names, length, message))
    }

    /// Descriptions of the columns, each a text of its own above at least two columns of numbers, as surveys export
    /// them; a row of their ids may follow.
    fn descriptions(&self) -> Header {
        let imported = |cell: &String| cell.is_empty() || cell.starts_with("{\"ImportId\"");
        let length = if self.row(2).iter().all(imported) { 3 } else { 2 };
        let numeric = self.numeric(length);
        let described = |j: &usize| self.row(1).get(*j).is_some_and(|cell| cell.chars().any(char::is_alphabetic));
        let mut texts: Vec<&String> = self.row(1).iter().filter(|cell| !cell.is_empty()).collect();
        let all = texts.len();
        texts.sort_unstable();
        texts.dedup();
        let values = self.row(1).iter().any(|cell| self.is_number(cell) || !cell.is_empty() && missing_number(cell));
        let names = self.row(0).iter().all(|name| !name.is_empty());
        if values || !names || texts.len() < all || numeric.len() < 2 || !numeric.iter().all(described) {
            return None;
        }
        let message = format!(
            "The second row describes the columns and was not read as values: {}.",
            listed(self.row(1).iter().filter(|cell| !cell.is_empty()))
        );
        self.is_header(length).then(|| (self.row(0).to_vec(), length, message))
    }

    /// The rows of types and of roles that Orange writes below the names.
    fn orange(&self) -> Header {
        const TYPES: [&str; 8] = ["continuous", "c", "discrete", "d", "string", "s", "time", "t"];
        let flag = |cell: &String| {
            let known = ["", "class", "c", "meta", "m", "ignore", "i", "weight", "w"];
            known.contains(&cell.as_str()) || cell.contains('=')
        };
        let (types, flags) = (self.row(1), self.row(2));
        let known = |cell: &&String| TYPES.contains(&cell.as_str());
        let values = |cell: &String| cell.split_whitespace().count() > 1;
        let typed = types.iter().filter(known).count() > 0 && types.iter().all(|cell| known(&cell) || values(cell));
        let message = "The second and third rows contain types and roles of Orange and were not read as values.";
        (typed && flags.iter().all(flag)).then(|| (self.row(0).to_vec(), 3, message.to_owned()))
    }
}

/// The first name that was joined.
fn below_a_name<'a>(names: &'a [String], lower: &[String]) -> Option<&'a String> {
    names.iter().zip(lower).find(|(name, lower)| !lower.is_empty() && name != lower).map(|(name, _)| name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::dialect::dialect;
    use super::*;

    fn of(text: &str) -> Option<(String, String)> {
        let found = header_rows(text, &dialect(text, Some(true)))?;
        Some((found.names.join(" "), found.rest.lines().next().unwrap().to_owned()))
    }

    fn some(names: &str, row: &str) -> Option<(String, String)> {
        Some((names.to_owned(), row.to_owned()))
    }

    #[test]
    fn units_below_the_names() {
        let rows = "a,34,12.5,0\nb,51,40,1\n";
        for (units, names) in [
            (",(years),(%),", "id age risk (%) died"),
            ("-,[years],[-],[0/1]", "id age risk died"),
            (",,%,", "id age risk (%) died"),
            (",years,%,0/1", "id age risk (%) died"),
            ("id,Jahre,%,j/n", "id age risk (%) died"),
        ] {
            assert_eq!(of(&format!("id,age,risk,died\n{units}\n{rows}")), some(names, "a,34,12.5,0"));
        }
    }

    #[test]
    fn names_of_two_levels() {
        let rows = "0,34,0.3,0.7,yes\n1,51,0.8,0.2,no\n";
        let upper = "x,x,prob,prob,truth\nid,age,no,yes,y\n";
        assert_eq!(of(&format!("{upper}{rows}")), some("x_id x_age prob_no prob_yes truth_y", "0,34,0.3,0.7,yes"));
        let merged = "Patient,,Prediction,,Outcome\nid,age,no,yes,died\n";
        let names = "Patient_id Patient_age Prediction_no Prediction_yes Outcome_died";
        assert_eq!(of(&format!("{merged}{rows}")), some(names, "0,34,0.3,0.7,yes"));
        let index = ",x,prob,prob,truth\n,age,0,1,\nid,,,,\n";
        assert_eq!(of(&format!("{index}{rows}")), some("id x_age prob_0 prob_1 truth", "0,34,0.3,0.7,yes"));
    }

    #[test]
    fn descriptions_and_types() {
        let rows = "a,34,0.5,0\nb,51,0.4,1\n";
        let names = "id,age,risk,died\nRecord,Age at admission,Predicted risk,Died within 30 days\n";
        let ids = "\"{\"\"ImportId\"\":\"\"a\"\"}\",\"{\"\"ImportId\"\":\"\"b\"\"}\",,\n";
        assert_eq!(of(&format!("{names}{rows}")), some("id age risk died", "a,34,0.5,0"));
        assert_eq!(of(&format!("{names}{ids}{rows}")), some("id age risk died", "a,34,0.5,0"));
        let orange = "id,age,risk,died\nstring,c,continuous,0 1\nmeta,,,class\n";
        assert_eq!(of(&format!("{orange}{rows}")), some("id age risk died", "a,34,0.5,0"));
    }

    #[test]
    fn rows_of_values_stay() {
        for text in [
            "id,p,y\n1,0.5,0\n2,0.4,1\n3,0.2,0\n",
            // faults of the first row
            "id,p,y\na,error,error\nb,0.4,1\nc,0.2,0\n",
            "id,p,y\n1,failed,0\n2,0.4,1\n3,0.2,0\n",
            "id,p,y\n,,\n2,0.4,1\n3,0.2,0\n",
            "id,p,y\n–,–,–\n2,0.4,1\n3,0.2,0\n",
            "id,p,y\na,n/a,NA\nb,0.4,1\nc,0.2,0\n",
            // texts alone, and a name that is there twice
            "a,b,c\nx,y,z\nx,y,w\nv,y,z\n",
            "p,p,y\n0.5,0.4,1\n0.4,0.3,0\n0.2,0.3,1\n",
            "p,p,y\n0,1,1\n0,0,0\n1,0,1\n",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
