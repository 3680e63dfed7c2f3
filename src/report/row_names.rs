//! How files name their rows: by the id column, by numbers, or not at all.

use super::csv::{guarded, number};
use crate::data::{Predictions, Role};
use crate::table::{NamedColumn, Values};

/// Whether a file names its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// the id column leads, or the number of the row in the file where there is none; question and attempt of a log follow
    #[default]
    With,
    /// no column names the rows
    Without,
}

impl Names {
    /// As a request says it.
    pub fn requested(identifiers: Option<bool>) -> Self {
        match identifiers {
            Some(false) => Self::Without,
            _ => Self::With,
        }
    }

    /// The heads of the columns that name the rows, with commas between them; none where the file does not name them.
    pub fn head(self, data: &Predictions) -> Option<String> {
        let number = (!has_id(data)).then(|| "row".to_owned());
        let names = number.into_iter().chain(data.naming_columns().map(|column| guarded(&column.name)));
        (self == Self::With).then(|| names.collect::<Vec<_>>().join(","))
    }

    /// The cells of row `i` under [`Self::head`].
    pub fn cell(self, data: &Predictions, i: usize) -> Option<String> {
        let number = (!has_id(data)).then(|| row_number(data, i));
        let of = |column: &NamedColumn| cell(&column.values, i).unwrap_or_else(|| row_number(data, i));
        let cells = number.into_iter().chain(data.naming_columns().map(|column| guarded(&of(column))));
        (self == Self::With).then(|| cells.collect::<Vec<_>>().join(","))
    }

    /// The head of the column with the text of the rows, where the file has one: a text such as a question names its row.
    pub fn text_head(self, data: &Predictions) -> Option<String> {
        let column = data.text_column().filter(|_| self == Self::With);
        column.map(|column| guarded(&column.name))
    }

    /// The text of row `i`, where the file has one.
    pub fn text_cell(self, data: &Predictions, i: usize) -> String {
        guarded(data.text_of(i).unwrap_or_default())
    }
}

fn has_id(data: &Predictions) -> bool {
    data.roles.iter().any(|column| column.role == Role::Id)
}

/// The id of row `i`, or its number in the file where there are no ids.
pub fn row_id(data: &Predictions, i: usize) -> String {
    let id = data.roles.iter().position(|column| column.role == Role::Id);
    let column = id.and_then(|id| data.table.columns.get(id));
    column.and_then(|column| cell(&column.values, i)).unwrap_or_else(|| row_number(data, i))
}

/// Value of row `i` of a column as text; None for dates and arrays.
pub(super) fn cell(values: &Values, i: usize) -> Option<String> {
    match values {
        Values::Text { codes, levels } => {
            Some(codes.get(i).map_or_else(String::new, |code| levels.text(*code).to_owned()))
        }
        Values::Numbers(numbers) => {
            let mut out = String::new();
            number(&mut out, numbers.get(i).copied().unwrap_or(f64::NAN));
            Some(out)
        }
        _ => None,
    }
}

/// The number of row `i` in the file.
pub(super) fn row_number(data: &Predictions, i: usize) -> String {
    data.row_numbers.get(i).copied().unwrap_or(i as u32 + 1).to_string()
}
