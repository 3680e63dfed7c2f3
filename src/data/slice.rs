//! Who: rows that meet conditions on columns, as a person would say it.

use serde::{Deserialize, Serialize};

use super::dates::{Dates, day_of};
use super::grouping::PREDICTED;
use super::predictions::Predictions;
use crate::error::{Error, Result};
use crate::table::values::{MISSING, NamedColumn, Table, Values};
use crate::words::number;

/// Rows that meet every one of some conditions; no condition: all rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slice {
    /// what must hold of a row, all at once
    pub conditions: Vec<Condition>,
}

/// What must hold of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Written", into = "Written")]
pub struct Condition {
    /// name of the column, or [`PREDICTED`]
    pub column: String,
    /// where its value must lie
    pub is: Among,
}

/// Where a value lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Among {
    /// it is one of these; numbers stand as they would in a file
    Values(Vec<String>),
    /// it is a number x with `from` ≤ x < `below`; with neither: there is a value
    Between {
        /// the smallest that counts; none: no lower end
        from: Option<f64>,
        /// the smallest that does not count any more; none: no upper end
        below: Option<f64>,
    },
    /// it is a date t with `from` ≤ t < `before`, both written as in a file: `2024-01-31`
    Dates {
        /// the first that counts; none: no first one
        from: Option<String>,
        /// the first that does not count any more; none: no last one
        before: Option<String>,
    },
    /// there is none
    Missing,
}

/// A condition as it stands in JSON: `{ "column": "ward", "values": ["ICU"] }`, `{ "column": "age", "from": 60, "below": 70 }`,
/// `{ "column": "bmi", "missing": true }` (or `false`), `{ "column": "date", "from": "2024-01-01", "before": "2024-07-01" }`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Written {
    column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Start>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<bool>,
}

/// A number, or a date.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Start {
    Number(f64),
    Date(String),
}

impl From<Condition> for Written {
    fn from(Condition { column, is }: Condition) -> Self {
        let empty = Written { column, values: None, from: None, below: None, before: None, missing: None };
        match is {
            Among::Values(values) => Written { values: Some(values), ..empty },
            Among::Between { from: None, below: None } => Written { missing: Some(false), ..empty },
            Among::Between { from, below } => Written { from: from.map(Start::Number), below, ..empty },
            Among::Dates { from, before } => Written { from: from.map(Start::Date), before, ..empty },
            Among::Missing => Written { missing: Some(true), ..empty },
        }
    }
}

impl TryFrom<Written> for Condition {
    type Error = String;

    fn try_from(written: Written) -> std::result::Result<Self, String> {
        let Written { column, values, from, below, before, missing } = written;
        if missing == Some(false) && values.is_none() && from.is_none() && below.is_none() && before.is_none() {
            return Ok(Condition { column, is: Among::Between { from: None, below: None } });
        }
        let missing = missing.unwrap_or(false);
        let is = match (values, from, below, before, missing) {
            (Some(values), None, None, None, false) => Among::Values(values),
            (None, Some(Start::Number(from)), below, None, false) => Among::Between { from: Some(from), below },
            (None, None, Some(below), None, false) => Among::Between { from: None, below: Some(below) },
            (None, Some(Start::Date(from)), None, before, false) => Among::Dates { from: Some(from), before },
            (None, None, None, Some(before), false) => Among::Dates { from: None, before: Some(before) },
            (None, None, None, None, true) => Among::Missing,
            _ => {
                return Err(
                    "a condition names `values`, or numbers `from` and `below`, or dates `from` and `before`, \
                            or `missing: true`"
                        .to_owned(),
                );
            }
        };
        Ok(Condition { column, is })
    }
}

/// How many values are said by name.
const NAMED: usize = 3;

impl Condition {
    /// "ward = ICU", "age 60–70", "age ≥ 70", "age < 30", "bmi missing".
    pub fn description(&self) -> String {
        let column = &self.column;
        match &self.is {
            Among::Values(values) if values.len() > NAMED => {
                format!("{column} = {} or {} others", values[..NAMED - 1].join(", "), values.len() + 1 - NAMED)
            }
            Among::Values(values) => format!("{column} = {}", values.join(" or ")),
            Among::Between { from: Some(from), below: Some(below) } => {
                let to = if *from < 0.0 || *below < 0.0 { " to " } else { "–" };
                format!("{column} {}{to}{}", number::plain(*from), number::plain(*below))
            }
            Among::Between { from: Some(from), below: None } => format!("{column} ≥ {}", number::plain(*from)),
            Among::Between { from: None, below: Some(below) } => format!("{column} < {}", number::plain(*below)),
            Among::Between { from: None, below: None } => format!("{column} known"),
            Among::Dates { from: Some(from), before: Some(before) } => {
                format!("{column} from {from} until before {before}")
            }
            Among::Dates { from: Some(from), before: None } => format!("{column} from {from}"),
            Among::Dates { from: None, before: Some(before) } => format!("{column} before {before}"),
            Among::Dates { from: None, before: None } => format!("{column} known"),
            Among::Missing => format!("{column} missing"),
        }
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
    pub(super) fn rows_of(&self, table: &Table, predicted: Option<(&[String], &[u32])>) -> Result<Vec<bool>> {
        let named = |one: &&NamedColumn| one.name == self.column || format!("{}:{}", one.file, one.name) == self.column;
        let column = table.columns.iter().find(named);
        let unfit = || {
            Error::new(
                "invalid_option",
                format!("The column cannot be looked at in this way: {}.", self.description()),
                "Name values of a column of texts, or an interval of a column of numbers.",
            )
        };
        if let (Some(column), Among::Dates { from, before }) = (column, &self.is) {
            return among_dates(column, from.as_deref(), before.as_deref());
        }
        match (column.map(|column| &column.values), predicted) {
            (Some(Values::Numbers(values)), _) => Ok(match &self.is {
                Among::Dates { .. } => return Err(unfit()),
                Among::Missing => values.iter().map(|x| !x.is_finite()).collect(),
                Among::Between { from, below } => {
                    let (from, below) = (from.unwrap_or(f64::NEG_INFINITY), below.unwrap_or(f64::INFINITY));
                    values.iter().map(|x| x.is_finite() && *x >= from && *x < below).collect()
                }
                Among::Values(names) => {
                    let asked: Vec<f64> = names.iter().filter_map(|name| name.trim().parse().ok()).collect();
                    values.iter().map(|x| asked.contains(x)).collect()
                }
            }),
            (Some(Values::Text { codes, levels }), _) => match &self.is {
                Among::Missing => Ok(codes.iter().map(|code| *code == MISSING).collect()),
                Among::Values(names) => {
                    let named: Vec<bool> = levels.iter().map(|level| names.iter().any(|name| name == level)).collect();
                    Ok(codes.iter().map(|code| named.get(*code as usize).copied().unwrap_or(false)).collect())
                }
                Among::Between { from: None, below: None } => Ok(codes.iter().map(|code| *code != MISSING).collect()),
                Among::Between { .. } | Among::Dates { .. } => Err(unfit()),
            },
            (None, Some((labels, predicted))) if self.column == PREDICTED => match &self.is {
                Among::Values(names) => {
                    let named: Vec<bool> = labels.iter().map(|label| names.contains(label)).collect();
                    Ok(predicted.iter().map(|class| named.get(*class as usize).copied().unwrap_or(false)).collect())
                }
                _ => Err(unfit()),
            },
            (Some(Values::Matrix(_)), _) => Err(unfit()),
            (None, _) => Err(Error::new(
                "unknown_column",
                format!("There is no column “{}”.", self.column),
                "Check the spelling.",
            )),
        }
    }
}

/// Rows whose date is `from` or later and before `before`.
fn among_dates(column: &NamedColumn, from: Option<&str>, before: Option<&str>) -> Result<Vec<bool>> {
    let refused = |what: String| {
        Error::new("invalid_option", what, "Write dates as 2024-01-31, of a column all of whose values are dates.")
    };
    let dates = Dates::of(column).ok_or_else(|| refused(format!("“{}” holds no dates.", column.name)))?;
    let day = |text: &str| day_of(text).ok_or_else(|| refused(format!("“{text}” is no date.")));
    let from = from.map(day).transpose()?.unwrap_or(f64::NEG_INFINITY);
    let before = before.map(day).transpose()?.unwrap_or(f64::INFINITY);
    Ok(dates.of_rows.iter().map(|date| *date >= from && *date < before).collect())
}

impl Slice {
    /// "ward = ICU and age 60–70"; "everyone" without a condition.
    pub fn description(&self) -> String {
        if self.conditions.is_empty() {
            return "everyone".to_owned();
        }
        self.conditions.iter().map(Condition::description).collect::<Vec<_>>().join(" and ")
    }

    /// Names of the columns it looks at, in the order of the conditions.
    pub fn columns(&self) -> Vec<String> {
        self.conditions.iter().map(|condition| condition.column.clone()).collect()
    }

    /// For every row of the data, whether all conditions hold. O(n) a condition.
    ///
    /// # Errors
    /// Those of [`Condition::rows`].
    ///
    /// ```
    /// use localcal::data::slice::Slice;
    /// use localcal::data::{OpenOptions, assemble};
    /// use localcal::read::read;
    ///
    /// let file = read("rows.csv", b"p,y,ward,age\n0.9,1,ICU,71\n0.8,1,ICU,\n0.3,0,ED,64\n", &mut |_| ())?;
    /// let (data, _) = assemble(&[file], &OpenOptions::default())?;
    /// let asked = r#"{"conditions":[{"column":"ward","values":["ICU"]},{"column":"age","from":70}]}"#;
    /// let slice: Slice = serde_json::from_str(asked).expect("a slice");
    /// assert_eq!(slice.description(), "ward = ICU and age ≥ 70");
    /// assert_eq!(slice.rows(&data)?, [true, false, false]);
    /// assert_eq!(serde_json::to_string(&slice).ok().as_deref(), Some(asked.replace("70}", "70.0}").as_str()));
    /// # Ok::<(), localcal::Error>(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(column: &str, is: Among) -> Condition {
        Condition { column: column.to_owned(), is }
    }

    #[test]
    fn conditions_in_words() {
        let values = |names: &[&str]| Among::Values(names.iter().map(|name| (*name).to_owned()).collect());
        let between = |from, below| Among::Between { from, below };
        let dates = |from: Option<&str>, before: Option<&str>| Among::Dates {
            from: from.map(str::to_owned),
            before: before.map(str::to_owned),
        };
        for (condition, words) in [
            (of("ward", values(&["ICU", "ED"])), "ward = ICU or ED"),
            (of("ward", values(&["A", "B", "C", "D"])), "ward = A, B or 2 others"),
            (of("age", between(Some(60.0), Some(70.0))), "age 60–70"),
            (of("t", between(Some(-1.5), Some(2.0))), "t −1.5 to 2"),
            (of("age", between(None, Some(30.0))), "age < 30"),
            (of("bmi", Among::Missing), "bmi missing"),
            (of("bmi", between(None, None)), "bmi known"),
            (of("day", dates(Some("2024-01-01"), None)), "day from 2024-01-01"),
            (of("day", dates(None, Some("2024-07-01"))), "day before 2024-07-01"),
            (of("day", dates(Some("2024-01-01"), Some("2024-07-01"))), "day from 2024-01-01 until before 2024-07-01"),
        ] {
            assert_eq!(condition.description(), words);
            let text = serde_json::to_string(&condition).expect("written");
            assert_eq!(serde_json::from_str::<Condition>(&text).expect("read"), condition, "{text}");
            let bytes = crate::packed::pack(&condition).expect("packed");
            assert_eq!(crate::packed::unpack::<Condition>(&bytes).expect("unpacked"), condition);
        }
        for wrong in [
            r#"{"column":"age"}"#,
            r#"{"column":"age","from":1,"missing":true}"#,
            r#"{"column":"a","values":["b"],"from":1}"#,
        ] {
            assert!(serde_json::from_str::<Condition>(wrong).is_err(), "{wrong}");
        }
    }
}
