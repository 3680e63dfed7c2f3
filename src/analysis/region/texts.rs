//! What the texts of some rows say more often than those of the rest.

use crate::data::{Predictions, Role};
use crate::table::{MISSING, NamedColumn, Values};
use crate::text::{DistinctiveWord, WordCounts};

/// Text columns with fewer different values are categories, of which columns tell, unless they have the role `text`.
const FREE_TEXT: usize = 200;
/// Words that are listed.
const LISTED: usize = 10;
/// Words that a sentence names.
const NAMED: usize = 3;
/// A sentence names no shorter words.
const SHORTEST: usize = 4;
/// A sentence names a word that is so many times as frequent as elsewhere.
const TIMES: f64 = 3.0;
/// And in this share of the texts at least.
const SHARE: f64 = 0.1;

/// The texts of some rows, and their words.
pub struct Texts<'a> {
    column: &'a NamedColumn,
    /// for each row the place of its text among the different ones; none where it has no text
    place: Vec<Option<usize>>,
    words: WordCounts,
}

impl<'a> Texts<'a> {
    /// Those of a column. Rows of the same text, such as attempts at one question, count once. O(length of the texts).
    ///
    /// * `rows`: rows of the data
    fn of(column: &'a NamedColumn, rows: &[u32]) -> Option<Self> {
        let Values::Text { codes, levels } = &column.values else { return None };
        let mut known = vec![None; levels.len()];
        let mut texts = Vec::new();
        let place = rows.iter().map(|row| {
            let code = codes.get(*row as usize).copied().filter(|code| *code != MISSING)?;
            let known = known.get_mut(code as usize)?;
            Some(*known.get_or_insert_with(|| {
                texts.push(code);
                texts.len() - 1
            }))
        });
        let place = place.collect();
        Some(Self { column, place, words: WordCounts::of(texts.into_iter().map(|code| levels.text(code))) })
    }

    /// Those of the column with the role `text`, if there is one.
    pub fn of_rows(data: &'a Predictions, rows: &[u32]) -> Option<Self> {
        Self::of(data.text_column()?, rows)
    }

    /// Those of every column of text that is no category, the column with the role `text` among them.
    pub fn all(data: &'a Predictions, rows: &[u32]) -> Vec<Self> {
        let is_free = |column: &NamedColumn, role: Role| match &column.values {
            Values::Text { levels, .. } => role == Role::Text || (role != Role::Label && levels.len() > FREE_TEXT),
            _ => false,
        };
        let columns = data.table.columns.iter().zip(&data.roles);
        columns.filter(|(column, role)| is_free(column, role.role)).filter_map(|(c, _)| Self::of(c, rows)).collect()
    }

    /// The words that are more frequent in the texts of the rows inside than in those of which no row is inside, the largest z
    /// first, ten at most.
    pub fn distinctive(&self, inside: &[bool]) -> Vec<DistinctiveWord> {
        self.words.distinctive(&self.chosen(inside), LISTED)
    }

    fn chosen(&self, inside: &[bool]) -> Vec<bool> {
        let mut chosen = vec![false; self.place.iter().flatten().max().map_or(0, |last| last + 1)];
        for place in self.place.iter().zip(inside).filter(|(_, inside)| **inside).filter_map(|(place, _)| *place) {
            if let Some(chosen) = chosen.get_mut(place) {
                *chosen = true;
            }
        }
        chosen
    }

    /// "question has words such as “dosage”, “renal”", and the z of the first word: words in at least `fewest` texts and a tenth of
    /// them, three times as frequent as elsewhere.
    pub fn named(&self, inside: &[bool], fewest: u32) -> Option<(f64, String)> {
        let telling = |one: &DistinctiveWord| {
            let long = one.word.chars().count() >= SHORTEST;
            long && one.texts >= fewest && one.here >= SHARE && one.here > TIMES * one.elsewhere
        };
        let found = self.words.distinctive(&self.chosen(inside), usize::MAX);
        let mut telling = found.iter().filter(|one| telling(one)).take(NAMED).peekable();
        let most = telling.peek()?.z;
        let named: Vec<String> = telling.map(|one| format!("“{}”", one.word)).collect();
        Some((most, format!("{} has words such as {}", self.column.name, named.join(", "))))
    }
}
