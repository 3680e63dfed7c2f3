//! What is counted: a table and its columns, checked before anything is written.

use serde::{Deserialize, Serialize};

use super::dialect::{DIALECTS, Dialect};
use super::grid::{Grid, SIZES};
use crate::error::{Error, Result, message, phrases};
use crate::words::text::quoted;

/// A numeric column that is counted in cells of equal width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuantizedColumn {
    /// name of the column
    pub column: String,
    /// lower end; smaller values are in the first cell
    pub low: f64,
    /// upper end; larger values are in the last cell
    pub high: f64,
    /// number of cells between the ends, 2 to 256
    pub cells: u32,
}

/// What is counted. Names are written as the engine lists them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CountRequest {
    /// id of a dialect of SQL
    pub dialect: String,
    /// name of the table; dots separate database, schema and table, unless they are in double quotes
    pub table: String,
    /// column of the predicted probability
    pub score: String,
    /// column of the outcome
    pub outcome: String,
    /// value of the outcome that counts as the event; default: 1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// value of the outcome that counts as no event; default: 0, or with `positive` every other value
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative: Option<String>,
    /// column of sample weights, whose sums are computed in addition to the counts
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// columns that define groups, at most four
    pub by: Vec<String>,
    /// column of dates, counted by month
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<String>,
    /// numeric columns counted in cells, two at most
    pub features: Vec<QuantizedColumn>,
    /// scores are percentages
    pub percent: bool,
    /// cells of the score: 960 (default), 480, 240, 120 or 60
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<u32>,
    /// number of combinations of groups and months in the table, for the expected size of the result
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combinations: Option<u64>,
}

/// Columns whose values can be groups.
const MOST_GROUPS: usize = 4;
/// Columns that can be counted in cells.
const MOST_FEATURES: usize = 2;
/// Bytes of a name or a value.
const LONGEST: usize = 500;

impl CountRequest {
    /// Cells of the score; those of an unknown number are the usual ones, which [`CountRequest::check`] refuses.
    pub fn grid(&self) -> Grid {
        self.cells.map_or_else(Grid::default, |cells| Grid::of(cells).unwrap_or_default())
    }

    /// Refuses what no statement can be written for.
    ///
    /// # Errors
    /// `invalid_option`, naming the option and what would work.
    pub fn check(&self) -> Result<&'static Dialect> {
        let Some(dialect) = DIALECTS.iter().find(|dialect| dialect.id == self.dialect) else {
            let known = DIALECTS.iter().map(|dialect| dialect.id).collect::<Vec<_>>().join(", ");
            return Err(Error::new(
                "invalid_option",
                format!("There is no SQL dialect {}.", quoted(&self.dialect)),
                format!("Choose one of {known}."),
            ));
        };
        self.check_columns()?;
        Ok(dialect)
    }

    /// Refuses what cannot be counted, whoever counts it.
    ///
    /// # Errors
    /// `invalid_option`, naming the option and what would work.
    pub fn check_columns(&self) -> Result<()> {
        for (what, name) in [("table", &self.table), ("score column", &self.score), ("outcome column", &self.outcome)] {
            if name.trim().is_empty() {
                return Err(Error::new(
                    "invalid_option",
                    format!("The name of the {what} is missing."),
                    "A statement needs a table, a score column and an outcome column.",
                ));
            }
        }
        let optional = [&self.positive, &self.negative, &self.weight, &self.month];
        let names = [&self.table, &self.score, &self.outcome].into_iter().chain(optional.into_iter().flatten());
        let names = names.chain(&self.by).chain(self.features.iter().map(|of| &of.column));
        for name in names {
            check_text(name)?;
        }
        self.check_distinct()?;
        if self.by.len() > MOST_GROUPS {
            return Err(too_many("grouping columns", self.by.len(), MOST_GROUPS));
        }
        if self.features.len() > MOST_FEATURES {
            return Err(too_many("quantized columns", self.features.len(), MOST_FEATURES));
        }
        for of in &self.features {
            of.check()?;
        }
        if self.negative.is_some() && self.positive.is_none() {
            return Err(Error::new(
                "invalid_option",
                "A value for no event is given, but none for the event.",
                message!["Give both, or leave out both: ", phrases::POSITIVE, " is 1 by default."],
            ));
        }
        if self.cells.is_some_and(|cells| Grid::of(cells).is_none()) {
            let known = SIZES.map(|cells| cells.to_string()).join(", ");
            return Err(Error::new(
                "invalid_option",
                format!("The score cannot be divided into {} cells.", self.cells.unwrap_or(0)),
                format!("Choose one of {known}."),
            ));
        }
        Ok(())
    }

    /// Refuses a column with two meanings: with the outcome as the score every prediction would be right.
    fn check_distinct(&self) -> Result<()> {
        let of_features = self.features.iter().map(|of| &of.column);
        let others = self.weight.iter().chain(&self.month).chain(&self.by).chain(of_features);
        let columns: Vec<&String> = [&self.score, &self.outcome].into_iter().chain(others).collect();
        let twice =
            columns.iter().enumerate().find(|(i, column)| columns.iter().take(*i).any(|other| other == *column));
        twice.map_or(Ok(()), |(_, column)| {
            Err(Error::new(
                "invalid_option",
                format!("{} is named twice.", quoted(column)),
                "Score, outcome, weight, month and groups are different columns.",
            ))
        })
    }
}

impl QuantizedColumn {
    fn check(&self) -> Result<()> {
        let bounded = |x: f64| x == 0.0 || (1e-9..=1e12).contains(&x.abs());
        if !(bounded(self.low) && bounded(self.high) && self.low < self.high) {
            return Err(Error::new(
                "invalid_option",
                format!("{} cannot be divided between {} and {}.", quoted(&self.column), self.low, self.high),
                "Give a lower end and a larger upper end, such as 0 and 100.",
            ));
        }
        if !(2..=256).contains(&self.cells) {
            return Err(Error::new(
                "invalid_option",
                format!("{} cannot be divided into {} cells.", quoted(&self.column), self.cells),
                "Choose between 2 and 256 cells.",
            ));
        }
        Ok(())
    }
}

fn check_text(name: &str) -> Result<()> {
    let why = match name {
        name if name.trim().is_empty() => "is empty".to_owned(),
        name if name.len() > LONGEST => format!("has {} bytes", name.len()),
        name if name.chars().any(char::is_control) => "contains a line break or another control character".to_owned(),
        _ => return Ok(()),
    };
    let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    Err(Error::new(
        "invalid_option",
        format!("A name or value {why}: {}.", quoted(&shown)),
        format!("Names and values have up to {LONGEST} bytes and no control characters."),
    ))
}

fn too_many(what: &str, many: usize, most: usize) -> Error {
    Error::new(
        "invalid_option",
        format!("{many} {what} are requested; at most {most} can be counted together."),
        "Count others in a statement of their own.",
    )
}
