//! Rows of files counted with their dates read as in files that are opened.

use std::collections::HashMap;

use super::dates::{Form, exception_among_dates};
use super::names;
use crate::counts::CountRequest;
use crate::error::{Error, Result, Text, message};
use crate::read::hundredths;
use crate::read::streamed::Sink;
use crate::read::tally::{Field, MOST_COLUMNS, Tally, Want};
use crate::table::{NamedColumn, Values};
use crate::words::calendar::{Exactness, civil};
use crate::words::text::{quoted, thousands};

/// Dates whose months are remembered, at most.
const MOST_KNOWN: usize = 1 << 16;

/// Rows of one file, counted.
#[derive(Debug, Clone)]
pub struct Counting {
    /// what was counted
    pub tally: Tally,
    /// place of the month among the fields
    month: Option<usize>,
    months: Option<Form>,
    known: HashMap<String, u32>,
}

impl Counting {
    /// As `tally`, in the dates of another file.
    pub fn new(tally: Tally) -> Self {
        let month = tally.columns().iter().position(|(_, want)| *want == Want::Month);
        Self { tally, month, months: None, known: HashMap::new() }
    }

    fn month(&mut self, field: Field) -> Result<u32> {
        let day = |form: &Form| match field {
            Field::Number(value) => form.of_number(value),
            Field::Text(text) => form.of_text(text),
            Field::Missing | Field::Month(_) => None,
        };
        let key = match field {
            // the rest is a time of day
            Field::Text(text) => text.get(..10).filter(|day| is_iso(day.as_bytes())).unwrap_or(text),
            _ => "",
        };
        if let Some(known) = self.known.get(key) {
            return Ok(*known);
        }
        let day = self.months.as_ref().and_then(day).ok_or_else(|| self.no_date(field))?;
        let (year, month, _) = civil(day.floor() as i64);
        let month = (year * 100 + month) as u32;
        if !key.is_empty() && self.known.len() < MOST_KNOWN {
            self.known.insert(key.to_owned(), month);
        }
        Ok(month)
    }

    fn no_date(&self, field: Field) -> Error {
        let value = match field {
            Field::Number(value) => value.to_string(),
            Field::Text(text) => text.to_owned(),
            Field::Missing | Field::Month(_) => String::new(),
        };
        let name = self.tally.request().month.clone().unwrap_or_default();
        Error::new(
            "table_unreadable",
            message![
                format!("A value of column {} is not a date as those of the first rows: ", quoted(&name)),
                Text::value(quoted(&value)),
                "."
            ],
            "Write dates as 2024-03-31.",
        )
    }
}

/// Refuses scores above 1 of a column whose name says that they are percentages: in files that are opened they are read as such, and
/// those below 1 too.
///
/// * `above`: rows whose score is above 1
///
/// # Errors
/// `probability_out_of_range`.
pub fn check_percent(request: &CountRequest, above: u64) -> Result<()> {
    let name = &request.score;
    if above == 0 || request.percent || !names::says_percent(name) {
        return Ok(());
    }
    Err(Error::new(
        "probability_out_of_range",
        format!(
            "By its name, {} contains percentages, and {} of its values are above 1.",
            quoted(name),
            thousands(above)
        ),
        "Count with --percent.",
    ))
}

/// What is said of scores that are counted as fractions although their name says percent; `above`: as in [`check_percent`].
pub fn fractions_named_percent(request: &CountRequest, above: u64) -> Option<String> {
    (above == 0 && !request.percent && names::suggests_percent(&request.score)).then(|| {
        format!(
            "The name of {} says percent, but no value exceeds 1: counted as fractions (0.5 as 50%). If the values are \
             percentages (0.5 as 0.5%), count with --percent.",
            quoted(&request.score)
        )
    })
}

/// A day in the form 2024-03-31.
fn is_iso(day: &[u8]) -> bool {
    day.iter().enumerate().all(|(place, byte)| match place {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

impl Sink for Counting {
    fn decided(&mut self, place: usize, column: &NamedColumn) -> Result<()> {
        let request = self.tally.request();
        let signed = |values: &Values| match values {
            Values::Text { levels, .. } => levels.iter().all(|text| hundredths(text).is_some()),
            _ => false,
        };
        if place == 0 && request.percent && signed(&column.values) {
            return Err(Error::new(
                "invalid_option",
                format!(
                    "The values of column {} carry percent signs and are read as percentages.",
                    quoted(&column.name)
                ),
                "Count without --percent.",
            ));
        }
        if self.month != Some(place) {
            return Ok(());
        }
        let no_month = |what: String| Error::new("table_unreadable", what, "Write dates as 2024-03-31.");
        let form = Form::of(column).ok_or_else(|| {
            let example = match &column.values {
                Values::Text { levels, .. } => levels.iter().next().unwrap_or_default().to_owned(),
                Values::Numbers(values) => values.iter().find(|x| !x.is_nan()).map(f64::to_string).unwrap_or_default(),
                Values::Matrix(_) => "a list".to_owned(),
            };
            no_month(match exception_among_dates(column) {
                Some((_, value)) => {
                    format!("Column {} contains {}, which is not a date.", quoted(&column.name), quoted(value))
                }
                None => format!(
                    "The first values of column {} are not dates, or do not tell day and month apart, such as {}.",
                    quoted(&column.name),
                    quoted(&example)
                ),
            })
        })?;
        if form.exactness < Exactness::Month {
            return Err(no_month(format!("Column {} contains years or quarters, not months.", quoted(&column.name))));
        }
        self.months = Some(form);
        Ok(())
    }

    fn row(&mut self, fields: &[Field]) -> Result<()> {
        let Some(place) = self.month else { return self.tally.add(fields) };
        let mut row = [Field::Missing; MOST_COLUMNS];
        row.iter_mut().zip(fields).for_each(|(to, field)| *to = *field);
        if let Some(field) = row.get_mut(place).filter(|field| **field != Field::Missing) {
            *field = Field::Month(self.month(*field)?);
        }
        self.tally.add(&row)
    }
}
