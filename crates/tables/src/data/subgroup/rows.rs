//! Rows that meet conditions.

use super::{Among, Condition, Subgroup};
use crate::data::dates::{Dates, day_of};
use crate::data::grouping::PREDICTED;
use crate::data::predictions::Predictions;
use crate::error::{Error, Result};
use crate::table::values::{MISSING, NamedColumn, Table, Values, all_whole};

impl Condition {
    /// The same rows of a table, with what the table knows of the column: whether its numbers are whole. The ends are then
    /// whole, too. O(n).
    #[must_use]
    pub fn in_table(mut self, table: &Table) -> Self {
        let column = table.columns.iter().find(|one| self.names(one));
        if let (Some(Values::Numbers(values)), Among::Between { from, below, whole }) =
            (column.map(|column| &column.values), &mut self.is)
        {
            *whole = all_whole(values);
            if *whole {
                for end in [from, below].into_iter().flatten() {
                    *end = end.ceil();
                }
            }
        }
        self
    }

    /// Whether it is about this column, by its name or with its file: `file:name`.
    fn names(&self, column: &NamedColumn) -> bool {
        column.is_called(&self.column)
    }

    /// For every row of the data, whether it holds. O(n).
    ///
    /// # Errors
    /// `unknown_column`; `invalid_option` for an array, for an interval of texts, and for dates that are none.
    pub fn rows(&self, data: &Predictions) -> Result<Vec<bool>> {
        let predicted = data.predicted.as_deref().map(Vec::as_slice);
        self.rows_of(&data.table, predicted.map(|predicted| (data.labels.as_slice(), predicted)))
    }

    /// The same of a table, with the names of the classes and the predicted one of every row, where they are known.
    pub(in crate::data) fn rows_of(&self, table: &Table, predicted: Option<(&[String], &[u32])>) -> Result<Vec<bool>> {
        let column = table.columns.iter().find(|one| self.names(one));
        let unfit = || {
            Error::new(
                "invalid_option",
                format!("This condition does not apply to the column: {}.", self.description()),
                "Use values of a text column, or an interval of a numeric column.",
            )
        };
        if let (Some(column), Among::Dates { from, before }) = (column, &self.is) {
            return among_dates(column, from.as_deref(), before.as_deref());
        }
        match (column.map(|column| &column.values), predicted) {
            (Some(Values::Numbers(values)), _) => Ok(match &self.is {
                Among::Dates { .. } => return Err(unfit()),
                Among::Missing => values.iter().map(|x| !x.is_finite()).collect(),
                Among::Between { from, below, .. } => {
                    let (from, below) = (from.unwrap_or(f64::NEG_INFINITY), below.unwrap_or(f64::INFINITY));
                    values.iter().map(|x| x.is_finite() && *x >= from && *x < below).collect()
                }
                Among::Values(names) | Among::Not(names) => {
                    let asked: Vec<f64> = names.iter().filter_map(|name| name.trim().parse().ok()).collect();
                    let not = matches!(self.is, Among::Not(_));
                    values.iter().map(|x| !x.is_nan() && asked.contains(x) != not).collect()
                }
            }),
            (Some(Values::Text { codes, levels }), _) => match &self.is {
                Among::Missing => Ok(codes.iter().map(|code| *code == MISSING).collect()),
                Among::Values(names) | Among::Not(names) => {
                    let not = matches!(self.is, Among::Not(_));
                    let named: Vec<bool> =
                        levels.iter().map(|level| names.iter().any(|name| name == level) != not).collect();
                    Ok(codes.iter().map(|code| named.get(*code as usize).copied().unwrap_or(false)).collect())
                }
                Among::Between { from: None, below: None, .. } => {
                    Ok(codes.iter().map(|code| *code != MISSING).collect())
                }
                Among::Between { .. } | Among::Dates { .. } => Err(unfit()),
            },
            (None, Some((labels, predicted))) if self.column == PREDICTED => match &self.is {
                Among::Values(names) | Among::Not(names) => {
                    let not = matches!(self.is, Among::Not(_));
                    let named: Vec<bool> = labels.iter().map(|label| names.contains(label) != not).collect();
                    Ok(predicted.iter().map(|class| named.get(*class as usize).copied().unwrap_or(false)).collect())
                }
                _ => Err(unfit()),
            },
            (Some(Values::Matrix(_)), _) => Err(unfit()),
            (None, _) => {
                Err(Error::new("unknown_column", format!("Unknown column “{}”.", self.column), "Check the spelling."))
            }
        }
    }
}

impl Subgroup {
    /// The same rows, with what a table knows of the columns: see [`Condition::in_table`].
    #[must_use]
    pub fn in_table(self, table: &Table) -> Self {
        Self { conditions: self.conditions.into_iter().map(|condition| condition.in_table(table)).collect() }
    }

    /// For every row of the data, whether all conditions hold. O(n) a condition.
    ///
    /// # Errors
    /// Those of [`Condition::rows`].
    ///
    /// ```
    /// use localcal_tables::data::subgroup::Subgroup;
    /// use localcal_tables::data::{OpenOptions, assemble};
    /// use localcal_tables::read::read;
    ///
    /// let file = read("rows.csv", b"p,y,ward,age\n0.9,1,ICU,71\n0.8,1,ICU,\n0.3,0,ED,64\n", &mut |_| ())?;
    /// let (data, _) = assemble(&[file], &OpenOptions::default())?;
    /// let asked = r#"{"conditions":[{"column":"ward","values":["ICU"]},{"column":"age","from":70}]}"#;
    /// let slice: Subgroup = serde_json::from_str(asked).expect("a slice");
    /// assert_eq!(slice.description(), "ward = ICU and age ≥ 70");
    /// assert_eq!(slice.rows(&data)?, [true, false, false]);
    /// assert_eq!(serde_json::to_string(&slice).ok().as_deref(), Some(asked.replace("70}", "70.0}").as_str()));
    /// # Ok::<(), localcal_tables::Error>(())
    /// ```
    pub fn rows(&self, data: &Predictions) -> Result<Vec<bool>> {
        let mut inside = vec![true; data.rows];
        for condition in &self.conditions {
            for (inside, holds) in inside.iter_mut().zip(condition.rows(data)?) {
                *inside &= holds;
            }
        }
        Ok(inside)
    }
}

/// Rows whose date is `from` or later and before `before`.
fn among_dates(column: &NamedColumn, from: Option<&str>, before: Option<&str>) -> Result<Vec<bool>> {
    let refused = |what: String| {
        Error::new("invalid_option", what, "Write dates as 2024-01-31, for a column that contains only dates.")
    };
    let dates = Dates::of(column).ok_or_else(|| refused(format!("“{}” contains no dates.", column.name)))?;
    let day = |text: &str| day_of(text).ok_or_else(|| refused(format!("“{text}” is not a date.")));
    let from = from.map(day).transpose()?.unwrap_or(f64::NEG_INFINITY);
    let before = before.map(day).transpose()?.unwrap_or(f64::INFINITY);
    Ok(dates.of_rows.iter().map(|date| *date >= from && *date < before).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A range as a person means it: of a column of whole numbers without its open end, of others with it. That
    /// of an earlier session is read, too, and means the same rows.
    #[test]
    fn a_range_knows_its_column() {
        let column = |name: &str, values: &[f64]| NamedColumn {
            file: "a.csv".to_owned(),
            name: name.to_owned(),
            values: Values::Numbers(values.to_vec().into()),
        };
        let columns =
            vec![column("age", &[67.0, 68.0, 77.0, 78.0, f64::NAN]), column("bmi", &[20.5, 25.0, 30.0, 31.0, 2.0])];
        let table = Table { rows: 5, columns };
        let read = |text: &str| serde_json::from_str::<Condition>(text).expect("a condition").in_table(&table);
        for (text, words, stored, rows) in [
            (
                r#"{"column":"age","from":68,"below":78}"#,
                "age 68 to 77",
                r#"{"column":"age","from":68.0,"below":78.0,"whole":true}"#,
                [false, true, true, false, false],
            ),
            (
                r#"{"column":"age","from":68,"to":77}"#,
                "age 68 to 77",
                r#"{"column":"age","from":68.0,"below":78.0,"whole":true}"#,
                [false, true, true, false, false],
            ),
            (
                r#"{"column":"a.csv:age","from":67.5}"#,
                "a.csv:age ≥ 68",
                r#"{"column":"a.csv:age","from":68.0,"whole":true}"#,
                [false, true, true, true, false],
            ),
            (
                r#"{"column":"bmi","from":25,"below":30}"#,
                "bmi 25 to <30",
                r#"{"column":"bmi","from":25.0,"below":30.0}"#,
                [false, true, false, false, false],
            ),
            (
                r#"{"column":"bmi","from":25,"to":30}"#,
                "bmi 25 to 30",
                r#"{"column":"bmi","from":25.0,"below":30.000000000000004}"#,
                [false, true, true, false, false],
            ),
        ] {
            let condition = read(text);
            assert_eq!(condition.description(), words);
            assert_eq!(serde_json::to_string(&condition).expect("written"), stored);
            assert_eq!(condition.rows_of(&table, None).expect("rows"), rows, "{text}");
            let again: Condition = serde_json::from_str(stored).expect("read");
            assert_eq!((again.description(), again == condition), (words.to_owned(), true));
        }
        let by_date: Condition =
            serde_json::from_str(r#"{"column":"d","from":"2024-02","to":"2024-02"}"#).expect("dates");
        assert_eq!(by_date.is, Among::Dates { from: Some("2024-02".to_owned()), before: Some("2024-03".to_owned()) });
    }
}
