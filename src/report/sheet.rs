//! A sheet: what an analysis shows, in reading order. The page draws any sheet with one piece of code.

use crate::data::Predictions;
use crate::metric::entry::Metric;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell as Kept;

use super::disclosure::{Basis, Stated};
use super::view::Fact;
use crate::plot::chart::{Chart, Screen};
use crate::plot::figure::Figure;
use crate::plot::table::Align;
use crate::request::bounds::Bounds;

/// Blocks in reading order, and a form with the options.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sheet {
    /// options of the analysis, with their current values
    pub fields: Vec<Field>,
    /// blocks with the results
    pub blocks: Vec<Block>,
    /// basis of each block; unknown if it is stated for another number of blocks. Passed between steps, not part of a
    /// response
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    basis: Vec<Basis>,
}

thread_local! {
    /// Whether sheets are written with what their blocks were computed from, in JSON, too.
    static WITH_BASIS: Kept<bool> = const { Kept::new(false) };
    /// The smallest count that charts may be drawn of; none: any.
    static LEAST: Kept<Option<u64>> = const { Kept::new(None) };
}

/// Runs `draw`, which draws charts of sheets: of charts of rows, those that may not leave while counts below `least` are
/// withheld are left out before the chart is drawn, so that no axis tells of them.
pub fn drawn_of_enough<R>(least: Option<u64>, draw: impl FnOnce() -> R) -> R {
    let before = LEAST.replace(least);
    let drawn = draw();
    LEAST.set(before);
    drawn
}

/// Runs `write`, which serializes sheets, so that they keep what their blocks were computed from.
pub fn with_basis<R>(write: impl FnOnce() -> R) -> R {
    let before = WITH_BASIS.replace(true);
    let written = write();
    WITH_BASIS.set(before);
    written
}

impl Serialize for Sheet {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let all = !to.is_human_readable() || WITH_BASIS.get();
        let mut written = to.serialize_struct("Sheet", if all { 3 } else { 2 })?;
        written.serialize_field("fields", &self.fields)?;
        written.serialize_field("blocks", &self.blocks)?;
        if all {
            written.serialize_field("basis", &self.basis)?;
        }
        written.end()
    }
}

/// What is said where only the first of many are drawn; none where all are.
pub fn only_first(drawn: usize, all: usize, what: &str) -> Option<String> {
    (all > drawn).then(|| format!("Shown: the first {drawn} of {all} {what}; the numbers include all."))
}

/// A piece of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// the finding, in one sentence
    Reading(String),
    /// heading of the next blocks
    Heading(String),
    /// a paragraph
    Text(String),
    /// note on the method or on limitations, in smaller type
    Note(String),
    /// names and values
    Facts(Vec<Fact>),
    /// rows and columns
    Table(SheetTable),
    /// a file to save
    Download {
        /// its name
        name: String,
        /// content of the file
        text: String,
    },
    /// charts side by side where there is room
    Figures(Vec<Figure>),
    /// the same before they are drawn; never in an answer
    #[cfg_attr(feature = "schema", schemars(skip))]
    Charts(Vec<Chart>),
}

/// A table of formatted cells.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SheetTable {
    /// caption
    pub caption: String,
    /// heads of the columns
    pub columns: Vec<SheetColumn>,
    /// rows, each as long as `columns`
    pub rows: Vec<Vec<Cell>>,
}

/// Head of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SheetColumn {
    /// heading
    pub title: String,
    /// explanation; may be empty
    pub definition: String,
    /// alignment: numbers right, text left
    pub align: Align,
}

/// A table cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// text of the cell
    pub text: String,
    /// number by which the column is sorted; null for text
    pub number: Option<f64>,
    /// second line in a smaller font; may be empty
    pub beneath: String,
    /// color
    pub tone: Tone,
}

/// Meaning of the color of a cell; the text states it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// no meaning
    #[default]
    Plain,
    /// overestimated
    Over,
    /// underestimated
    Under,
    /// the best of its column, as far as the differences are significant
    Best,
    /// secondary
    Muted,
}

impl Tone {
    /// Of an error, which is marked as overestimated (▲) or underestimated (▼) only where it is significant, or where the
    /// interval beside it excludes 0.
    pub fn of_error(error: f64, marked: bool) -> Self {
        match (marked, error > 0.0) {
            (false, _) => Self::Plain,
            (true, true) => Self::Over,
            (true, false) => Self::Under,
        }
    }
}

/// A form field: the page requests the analysis again with `option` set to the chosen value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    /// name of the option in the request
    pub option: Cow<'static, str>,
    /// label
    pub label: String,
    /// how it is chosen
    pub kind: FieldKind,
}

/// Input of a form field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// a number
    Number {
        /// current value; null if the analysis chooses it
        value: Option<f64>,
        /// bounds; null: any number
        bounds: Option<Bounds>,
    },
    /// one of several values
    Choice {
        /// current value
        value: String,
        /// values and their labels
        choices: Vec<(String, String)>,
    },
    /// any of several values
    Several {
        /// current values
        value: Vec<String>,
        /// all values and their labels
        choices: Vec<(String, String)>,
    },
    /// coordinates that define the similarity of rows: the request gets a list of names, or `{ pca, of }`
    Coordinates {
        /// columns used now
        value: Vec<String>,
        /// all available columns
        choices: Vec<String>,
        /// number of principal components of these columns; null: the columns without transformation
        components: Option<usize>,
        /// available numbers of components, each with its label
        ways: Vec<(Option<usize>, String)>,
    },
    /// true or false
    Check {
        /// current value
        value: bool,
    },
}

impl FieldKind {
    /// One of some values, each with what it is called.
    pub fn choice<'a>(value: &str, choices: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let choices = choices.into_iter();
        Self::Choice { value: value.to_owned(), choices: choices.map(|(a, b)| (a.to_owned(), b.to_owned())).collect() }
    }

    /// One of some names.
    pub fn named<'a>(value: &str, names: impl IntoIterator<Item = &'a String>) -> Self {
        Self::choice(value, names.into_iter().map(|name| (name.as_str(), name.as_str())))
    }

    /// Any of some names, which are called as they are.
    pub fn several_named(value: Vec<String>, names: Vec<String>) -> Self {
        Self::Several { value, choices: names.into_iter().map(|name| (name.clone(), name)).collect() }
    }

    /// Any of some metrics.
    pub fn metrics<'a>(value: Vec<String>, metrics: impl IntoIterator<Item = &'a Metric>) -> Self {
        let choices = metrics.into_iter().map(|metric| (metric.id.to_owned(), metric.name.to_owned()));
        Self::Several { value, choices: choices.collect() }
    }
}

/// What is told of an analysis that counts every row once where the data set has sample weights; nothing where it has
/// none, or numbers of rows.
pub fn rows_count_once(data: &Predictions) -> Option<String> {
    let column = &data.weights.as_ref().filter(|weights| !weights.counted)?.column;
    Some(format!("Unweighted: the sample weights in {column} are not used here."))
}

impl Sheet {
    /// Whether only the disclosure gate and documents read it: that of an outcome whose numbers the page draws itself.
    pub fn is_left_out(&self) -> bool {
        !WITH_BASIS.get()
    }

    /// Of blocks that state what they were computed from.
    pub fn new(fields: Vec<Field>, blocks: Vec<Stated<Block>>) -> Self {
        let (blocks, basis) = blocks.into_iter().map(|one| (one.what, one.basis)).unzip();
        Self { fields, blocks, basis }
    }

    /// The blocks, each with what it was computed from.
    pub fn stated(&self) -> impl Iterator<Item = Stated<Block>> + '_ {
        let known = self.basis.len() == self.blocks.len();
        let basis = move |place: usize| self.basis.get(place).filter(|_| known).cloned().unwrap_or_default();
        self.blocks.iter().enumerate().map(move |(place, block)| block.clone().of(basis(place)))
    }

    /// Puts a block before the one at `place`, or last.
    pub fn insert(&mut self, place: usize, block: Stated<Block>) {
        if self.basis.len() == self.blocks.len() {
            self.basis.insert(place.min(self.blocks.len()), block.basis);
        }
        self.blocks.insert(place.min(self.blocks.len()), block.what);
    }

    /// Draws every chart.
    pub fn draw(&mut self, screen: &Screen) {
        let stated = self.basis.len() == self.blocks.len();
        for (place, block) in self.blocks.iter_mut().enumerate() {
            if let Block::Charts(charts) = block {
                let basis = self.basis.get_mut(place).filter(|_| stated);
                if let (Some(least), Some(basis), [chart]) = (LEAST.get(), basis, charts.as_mut_slice())
                    && let Some((thinned, audit)) = basis.thinned(chart, least)
                {
                    *chart = thinned;
                    *basis = Basis::Thinned(audit);
                }
                *block = Block::Figures(charts.iter().map(|chart| chart.figure(screen)).collect());
            }
        }
    }

    /// Says that every row counts once where the data set has sample weights: after the finding, it is about how to read
    /// it.
    pub fn note_weights(&mut self, data: &Predictions) {
        if let Some(words) = rows_count_once(data) {
            self.insert(1, Block::Note(words).of(Basis::Setting));
        }
    }
}

impl Block {
    /// With what it was computed from.
    pub fn of(self, basis: Basis) -> Stated<Self> {
        Stated::new(self, basis)
    }
}

impl SheetTable {
    /// A table without lines; heads that begin with `#` are columns of numbers, the `#` is not shown.
    pub fn new(caption: impl Into<String>, titles: &[&str]) -> Self {
        let columns = titles.iter().map(|title| match title.strip_prefix('#') {
            Some(title) => SheetColumn::new(title, Align::End),
            None => SheetColumn::new(title, Align::Start),
        });
        Self { caption: caption.into(), columns: columns.collect(), rows: Vec::new() }
    }
}

impl SheetColumn {
    fn new(title: &str, align: Align) -> Self {
        Self { title: title.to_owned(), definition: String::new(), align }
    }
}

impl Cell {
    /// A cell that sorts by `number`.
    pub fn number(text: impl Into<String>, number: f64) -> Self {
        Self { text: text.into(), number: Some(number), ..Self::default() }
    }

    /// The same cell in another tone.
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The same cell with a second line.
    pub fn with_beneath(self, beneath: impl Into<String>) -> Self {
        Self { beneath: beneath.into(), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_marked_only_where_it_is_significant() {
        let marks =
            [(0.1, true), (-0.1, true), (0.1, false), (-0.1, false)].map(|(of, marked)| Tone::of_error(of, marked));
        assert_eq!(marks, [Tone::Over, Tone::Under, Tone::Plain, Tone::Plain]);
    }
}
