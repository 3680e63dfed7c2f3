//! Columns built cell by cell, of formats whose cells say what they are: numbers, texts, lists of numbers.
//!
//! What becomes of a cell is the same in the page, where `www/tables/columns.ts` does it for what libraries of the page read.

use std::collections::HashMap;

use crate::table::values::EXACT_INTEGERS;
use crate::table::{Column, Dictionary, MISSING, Matrix, Reals, Values, Warning};
use crate::words::text::quoted;

/// Integers up to this size are the same as doubles; larger ones are identifiers, and stay text.
const SAFE: i128 = EXACT_INTEGERS as i128 - 1;

/// A cell of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// nothing
    Empty,
    /// a number
    Number(f64),
    /// a text
    Text(String),
    /// numbers, NaN where one is missing
    List(Vec<f64>),
}

/// A value within a cell, as JSON has them.
#[derive(Debug, Clone, PartialEq)]
pub enum Nested {
    /// null
    Null,
    /// true or false
    Bool(bool),
    /// a number
    Number(f64),
    /// an integer of 64 bits
    Integer(i128),
    /// a text
    Text(String),
    /// values in order
    List(Vec<Nested>),
    /// values by name, in order
    Fields(Vec<(String, Nested)>),
}

impl Cell {
    /// An integer: a number, as long as a double holds it exactly.
    pub fn of_integer(value: i128) -> Self {
        match (-SAFE..=SAFE).contains(&value) {
            true => Self::Number(value as f64),
            false => Self::Text(value.to_string()),
        }
    }
}

/// What is said of a column whose values are of a type that is not read: it is left out. `www/tables/parquet.ts` says
/// the same.
///
/// * `format`: that defines the type, such as Parquet
pub fn not_read(column: &str, format: &str, kind: &str) -> Warning {
    let column = column.to_owned();
    Warning {
        code: "column_not_read".into(),
        message: format!(
            "{} has values of the {format} type {kind}, which is not supported, and was left out.",
            quoted(&column)
        ),
        row: None,
        column: Some(column),
    }
}

/// The most coordinates of a sparse vector.
const WIDEST: usize = 100_000;

impl Nested {
    /// What a cell holds of it: lists of numbers, and vectors as Spark stores them, are numbers; other structures are JSON.
    pub fn into_cell(self) -> Cell {
        match self {
            Self::Null => Cell::Empty,
            Self::Number(value) => Cell::Number(value),
            Self::Integer(value) => Cell::of_integer(value),
            Self::Bool(value) => Cell::Text(value.to_string()),
            Self::Text(text) => Cell::Text(text),
            structure => match structure.vector() {
                Some(numbers) => Cell::List(numbers),
                None => Cell::Text(structure.json()),
            },
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Null => Some(f64::NAN),
            Self::Number(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The numbers of a list, or of a vector as Spark stores it (dense, or sparse with its size).
    fn vector(&self) -> Option<Vec<f64>> {
        let fields = match self {
            Self::List(items) => return items.iter().map(Self::number).collect(),
            Self::Fields(fields) => fields,
            _ => return None,
        };
        let at = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let whole = |name: &str| at(name)?.number().filter(|value| value.fract() == 0.0 && *value >= 0.0);
        let list = |name: &str| match at(name)? {
            list @ Self::List(_) => list.vector(),
            _ => None,
        };
        let values = list("values")?;
        match whole("type")? {
            1.0 => Some(values),
            0.0 => {
                let size = whole("size").filter(|size| *size <= WIDEST as f64)?;
                let indices = list("indices").filter(|indices| indices.len() == values.len())?;
                let mut dense = vec![0.0; size as usize];
                for (place, value) in indices.into_iter().zip(values) {
                    let place = Some(place).filter(|place| place.fract() == 0.0 && *place >= 0.0)?;
                    *dense.get_mut(place as usize)? = value;
                }
                Some(dense)
            }
            _ => None,
        }
    }

    /// As JavaScript writes it; integers of 64 bits within structures as texts.
    fn json(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(value) if value.is_finite() => number(*value),
            Self::Number(_) => "null".to_owned(),
            Self::Integer(value) => text(&value.to_string()),
            Self::Text(value) => text(value),
            Self::List(items) => format!("[{}]", items.iter().map(Self::json).collect::<Vec<_>>().join(",")),
            Self::Fields(fields) => {
                let field = |(name, value): &(String, Self)| format!("{}:{}", text(name), value.json());
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// A number as JavaScript writes it.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-6..1e21).contains(&size) || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { format!("{value}") };
    }
    let text = format!("{value:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// A day and a time of day of milliseconds since 1970; the day alone at midnight. `None` beyond the years 0 to 9999.
pub fn written(milliseconds: i64) -> Option<String> {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    // the civil calendar of days, after Hinnant: years begin in March
    let shifted = days.checked_add(719_468)?;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let in_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let of_month = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    if !(0..=9999).contains(&year) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{of_month:02}");
    let (seconds, thousandths) = (rest / 1000, rest % 1000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(match (rest, thousandths) {
        (0, _) => date,
        (_, 0) => format!("{date}T{clock}"),
        _ => format!("{date}T{clock}.{thousandths:03}"),
    })
}

/// What a column holds so far.
#[derive(Debug)]
enum Kept {
    /// empty cells only, so many
    Nothing(usize),
    Numbers(Vec<f64>),
    Text {
        codes: Vec<u32>,
        levels: Dictionary,
        known: HashMap<String, u32>,
    },
    Lists(Vec<Option<Vec<f64>>>),
}

/// One column, built cell by cell. What its cells hold decides: numbers, and integers that a double holds exactly, stay numbers;
/// lists of equally many numbers become a matrix; everything else becomes text.
#[derive(Debug)]
pub struct Builder {
    kept: Kept,
}

impl Default for Builder {
    fn default() -> Self {
        Self { kept: Kept::Nothing(0) }
    }
}

impl Builder {
    /// The next cell is empty.
    pub fn empty(&mut self) {
        match &mut self.kept {
            Kept::Nothing(rows) => *rows += 1,
            Kept::Numbers(values) => values.push(f64::NAN),
            Kept::Text { codes, .. } => codes.push(MISSING),
            Kept::Lists(lists) => lists.push(None),
        }
    }

    /// The next cell is a number.
    pub fn number(&mut self, value: f64) {
        match &mut self.kept {
            Kept::Numbers(values) => values.push(value),
            Kept::Nothing(rows) => {
                let mut values = vec![f64::NAN; *rows];
                values.push(value);
                self.kept = Kept::Numbers(values);
            }
            Kept::Text { .. } => self.text(&number(value)),
            Kept::Lists(lists) => lists.push(Some(vec![value])),
        }
    }

    /// The next cell is a text.
    pub fn text(&mut self, text: &str) {
        if let Kept::Text { codes, levels, known } = &mut self.kept {
            let code = known.get(text).copied().unwrap_or_else(|| {
                let code = levels.push(text);
                known.insert(text.to_owned(), code);
                code
            });
            return codes.push(code);
        }
        let before = std::mem::replace(
            &mut self.kept,
            Kept::Text { codes: Vec::new(), levels: Dictionary::default(), known: HashMap::new() },
        );
        match before {
            Kept::Nothing(rows) => (0..rows).for_each(|_| self.empty()),
            Kept::Numbers(values) => values.into_iter().for_each(|value| match value.is_nan() {
                true => self.empty(),
                false => self.text(&number(value)),
            }),
            Kept::Lists(lists) => lists.into_iter().for_each(|list| match list {
                Some(list) => self.text(&listed(&list)),
                None => self.empty(),
            }),
            Kept::Text { .. } => {}
        }
        self.text(text);
    }

    /// The next cell.
    pub fn add(&mut self, cell: Cell) {
        match cell {
            Cell::Empty => self.empty(),
            Cell::Number(value) => self.number(value),
            Cell::Text(text) => self.text(&text),
            Cell::List(values) => match &mut self.kept {
                Kept::Lists(lists) => lists.push(Some(values)),
                Kept::Nothing(rows) => {
                    let mut lists = vec![None; *rows];
                    lists.push(Some(values));
                    self.kept = Kept::Lists(lists);
                }
                Kept::Numbers(_) | Kept::Text { .. } => self.text(&listed(&values)),
            },
        }
    }

    /// What its cells are together; empty cells alone are numbers, and lists of several lengths are text.
    pub fn done(mut self) -> Values {
        if let Kept::Lists(lists) = &self.kept {
            let width = lists.iter().flatten().map(Vec::len).next().unwrap_or(0);
            if width > 0 && lists.iter().flatten().all(|list| list.len() == width) {
                let missing = vec![f64::NAN; width];
                let values: Vec<f64> =
                    lists.iter().flat_map(|list| list.as_ref().unwrap_or(&missing)).copied().collect();
                return Values::Matrix(Matrix { width, values: Reals::F64(values.into()) });
            }
            // turns what is there into text; the cell that this takes is removed again
            self.text("");
            if let Kept::Text { codes, .. } = &mut self.kept {
                codes.pop();
            }
        }
        match self.kept {
            Kept::Text { codes, levels, .. } => Values::Text { codes: codes.into(), levels },
            Kept::Numbers(values) => Values::Numbers(Column::from(values)),
            Kept::Nothing(rows) => Values::Numbers(Column::from(vec![f64::NAN; rows])),
            Kept::Lists(_) => Values::Numbers(Column::default()),
        }
    }
}

fn listed(values: &[f64]) -> String {
    Nested::List(values.iter().map(|value| Nested::Number(*value)).collect()).json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_written_as_javascript_writes_them() {
        let numbers = [0.1, -0.0, 5.0, 1e21, 1.5e-7, 123_456_789_012_345_680_000.0];
        assert_eq!(numbers.map(number), ["0.1", "0", "5", "1e+21", "1.5e-7", "123456789012345680000"]);
        for (milliseconds, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31T23:59:59.999"),
            (951_782_400_000, "2000-02-29"),
            (1_704_085_200_000, "2024-01-01T05:00:00"),
        ] {
            assert_eq!(written(milliseconds).as_deref(), Some(text));
        }
        assert_eq!((written(i64::MAX), written(i64::MIN)), (None, None));
    }

    #[test]
    fn a_column_is_what_its_cells_are() {
        let column = |cells: Vec<Cell>| {
            let mut builder = Builder::default();
            cells.into_iter().for_each(|cell| builder.add(cell));
            match builder.done() {
                Values::Numbers(values) => format!("{:?}", values.to_vec()),
                Values::Text { codes, levels } => {
                    format!("{:?}", codes.iter().map(|code| levels.text(*code)).collect::<Vec<_>>())
                }
                Values::Matrix(Matrix { width, .. }) => format!("{width}"),
            }
        };
        let (number, text) = (Cell::Number(1.5), Cell::Text("A".to_owned()));
        assert_eq!(column(vec![Cell::Empty, number.clone()]), "[NaN, 1.5]");
        assert_eq!(column(vec![number.clone(), Cell::Empty, text]), r#"["1.5", "", "A"]"#);
        let pair = Cell::List(vec![1.0, 2.0]);
        assert_eq!(column(vec![Cell::Empty, pair.clone()]), "2");
        assert_eq!(column(vec![pair.clone(), Cell::List(vec![1.0])]), r#"["[1,2]", "[1]"]"#);
        assert_eq!(column(vec![number, pair]), r#"["1.5", "[1,2]"]"#);
        assert_eq!(column(vec![Cell::Empty; 3]), "[NaN, NaN, NaN]");
    }

    #[test]
    fn sparse_vectors_are_as_wide_as_they_say() {
        let sparse = |size: f64, at: f64| {
            let list = |value: f64| Nested::List(vec![Nested::Number(value)]);
            Nested::Fields(vec![
                ("type".to_owned(), Nested::Integer(0)),
                ("size".to_owned(), Nested::Number(size)),
                ("indices".to_owned(), list(at)),
                ("values".to_owned(), list(0.5)),
            ])
            .into_cell()
        };
        assert_eq!(sparse(3.0, 1.0), Cell::List(vec![0.0, 0.5, 0.0]));
        assert!(matches!(sparse(3.0, 3.0), Cell::Text(_)) && matches!(sparse(1e9, 1.0), Cell::Text(_)));
    }
}
