//! Who: rows that meet conditions on columns, as a person would say it.

use serde::{Deserialize, Serialize};

use super::grouping::PREDICTED;
use super::predictions::Predictions;
use crate::error::{Error, Result};
use crate::table::values::{MISSING, Values};
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
#[derive(Debug, Clone, PartialEq)]
pub enum Among {
    /// it is one of these; numbers stand as they would in a file
    Values(Vec<String>),
    /// it is a number x with `from` ≤ x < `below`
    Between {
        /// the smallest that counts; none: no lower end
        from: Option<f64>,
        /// the smallest that does not count any more; none: no upper end
        below: Option<f64>,
    },
    /// there is none
    Missing,
}

/// A condition as it stands in JSON: `{ "column": "ward", "values": ["ICU"] }`, `{ "column": "age", "from": 60, "below": 70 }`,
/// `{ "column": "bmi", "missing": true }`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Written {
    column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<bool>,
}

impl From<Condition> for Written {
    fn from(Condition { column, is }: Condition) -> Self {
        let empty = Written { column, values: None, from: None, below: None, missing: None };
        match is {
            Among::Values(values) => Written { values: Some(values), ..empty },
            Among::Between { from, below } => Written { from, below, ..empty },
            Among::Missing => Written { missing: Some(true), ..empty },
        }
    }
}

impl TryFrom<Written> for Condition {
    type Error = String;

    fn try_from(Written { column, values, from, below, missing }: Written) -> std::result::Result<Self, String> {
        let is = match (values, from.or(below), missing) {
            (Some(values), None, None | Some(false)) => Among::Values(values),
            (None, Some(_), None | Some(false)) => Among::Between { from, below },
            (None, None, Some(true)) => Among::Missing,
            _ => return Err("a condition names `values`, or `from` and `below`, or `missing: true`".to_owned()),
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
            Among::Missing => format!("{column} missing"),
        }
    }

    /// For every row of the data, whether it holds. O(n).
    ///
    /// # Errors
    /// `unknown_column`; `invalid_option` for an array, and for an interval of texts.
    pub fn rows(&self, data: &Predictions) -> Result<Vec<bool>> {
        let place = |name: &str| {
            data.table.columns.iter().position(|one| one.name == name || format!("{}:{}", one.file, one.name) == name)
        };
        let column = place(&self.column).and_then(|place| data.table.columns.get(place));
        let unfit = || {
            Error::new(
                "invalid_option",
                format!("The column cannot be looked at in this way: {}.", self.description()),
                "Name values of a column of texts, or an interval of a column of numbers.",
            )
        };
        match (column.map(|column| &column.values), &data.predicted) {
            (Some(Values::Numbers(values)), _) => Ok(match &self.is {
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
                Among::Between { .. } => Err(unfit()),
            },
            (None, Some(predicted)) if self.column == PREDICTED => match &self.is {
                Among::Values(names) => {
                    let named: Vec<bool> = data.labels.iter().map(|label| names.contains(label)).collect();
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
        for (condition, words) in [
            (of("ward", values(&["ICU", "ED"])), "ward = ICU or ED"),
            (of("ward", values(&["A", "B", "C", "D"])), "ward = A, B or 2 others"),
            (of("age", between(Some(60.0), Some(70.0))), "age 60–70"),
            (of("t", between(Some(-1.5), Some(2.0))), "t −1.5 to 2"),
            (of("age", between(None, Some(30.0))), "age < 30"),
            (of("bmi", Among::Missing), "bmi missing"),
        ] {
            assert_eq!(condition.description(), words);
            let text = serde_json::to_string(&condition).expect("written");
            assert_eq!(serde_json::from_str::<Condition>(&text).expect("read"), condition, "{text}");
            let bytes = crate::packed::pack(&condition).expect("packed");
            assert_eq!(crate::packed::unpack::<Condition>(&bytes).expect("unpacked"), condition);
        }
        for wrong in
            [r#"{"column":"age"}"#, r#"{"column":"age","from":1,"missing":true}"#, r#"{"column":"a","missing":false}"#]
        {
            assert!(serde_json::from_str::<Condition>(wrong).is_err(), "{wrong}");
        }
    }
}
