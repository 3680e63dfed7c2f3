//! The text of the rows, and their lexical dimensions: features of texts for which there are no embeddings.

use super::Predictions;
use super::recognize::preview;
use super::roles::{ColumnRole, Role};
use crate::table::{Column, MISSING, Matrix, NamedColumn, Reals, Table, Values};
use crate::words::text::{counted, quoted};
use localcal_numerics::text::LexicalSpace;

/// Name of the column of lexical dimensions.
pub const LEXICAL: &str = "lexical dimensions";

impl Predictions {
    /// The column with the text of the rows, if there is one.
    pub fn text_column(&self) -> Option<&NamedColumn> {
        text_column(&self.table, &self.roles)
    }

    /// The text of a row; none where it has none.
    pub fn text_of(&self, row: usize) -> Option<&str> {
        match &self.text_column()?.values {
            Values::Text { codes, levels } => {
                codes.get(row).filter(|code| **code != MISSING).map(|code| levels.text(*code))
            }
            _ => None,
        }
    }

    /// Whether a column consists of lexical dimensions, which no file contains.
    pub fn is_lexical(&self, name: &str) -> bool {
        self.lexical && name == LEXICAL
    }

    /// How many of the columns are in the files: the first ones. Behind them are lexical dimensions, then feature maps.
    pub fn columns_of_files(&self) -> usize {
        self.roles.len() - self.projections.len() - usize::from(self.lexical)
    }
}

fn text_column<'a>(table: &'a Table, roles: &[ColumnRole]) -> Option<&'a NamedColumn> {
    let columns = table.columns.iter().zip(roles);
    let mut texts = columns.filter(|(_, role)| role.role == Role::Text).map(|(column, _)| column);
    texts.find(|column| matches!(column.values, Values::Text { .. }))
}

/// The lexical dimensions of the texts of a table as one more column; none without a text, beside an array of features, which
/// defines similarity then, and where the texts share too few words. A row without a text has no place. Texts that repeat
/// count once.
///
/// # Cost
/// That of [`LexicalSpace::fit`]; 4 bytes for each row and dimension.
pub(super) fn lexical_column(table: &Table, roles: &[ColumnRole]) -> Option<(NamedColumn, ColumnRole)> {
    let taken = table.columns.iter().any(|column| column.name == LEXICAL);
    if taken || roles.iter().any(|column| column.role == Role::Features) {
        return None;
    }
    let texts = text_column(table, roles)?;
    let Values::Text { codes, levels } = &texts.values else { return None };
    let mut used = vec![false; levels.len()];
    codes.iter().filter_map(|code| Some(*code as usize).filter(|code| *code < levels.len())).for_each(|code| {
        if let Some(used) = used.get_mut(code) {
            *used = true;
        }
    });
    let of_rows: Vec<&str> = levels.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| text).collect();
    let space = LexicalSpace::fit(&of_rows, 0)?;
    let d = space.d();
    let mut places = Vec::with_capacity((levels.len() + 1) * d);
    for (text, used) in levels.iter().zip(&used) {
        let place = if *used { space.place(text) } else { vec![0.0; d] };
        places.extend(place.into_iter().map(|x| x as f32));
    }
    let nowhere = vec![f32::NAN; d];
    let place = |code: &u32| places.get(*code as usize * d..(*code as usize + 1) * d).unwrap_or(&nowhere);
    let places: Vec<f32> = codes.iter().flat_map(place).copied().collect();
    let values = Values::Matrix(Matrix { width: d, values: Reals::F32(Column::from(places)) });
    let role = ColumnRole {
        file: String::new(),
        name: LEXICAL.to_owned(),
        role: Role::Features,
        reason: format!(
            "lexical similarity: {} and word pairs of {}, TF–IDF, truncated SVD",
            counted(space.terms, "word"),
            quoted(&texts.name)
        ),
        shape: values.shape(),
        sure: true,
        text: false,
        preview: preview(&values),
        missing: 0,
        reading: None,
        offer: None,
        written: None,
        sentinels: Vec::new(),
        cell_width: None,
    };
    Some((NamedColumn { file: String::new(), name: LEXICAL.to_owned(), values }, role))
}
