//! Conditions on columns, as people say them and as requests write them. Which rows meet them: `rows`.

use serde::{Deserialize, Serialize};

use super::dates::{day_of, first_after, last_before};
use crate::words::number;

mod rows;

/// Rows that meet every one of some conditions; no condition: all rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subgroup {
    /// conditions that a row must meet, all of them
    pub conditions: Vec<Condition>,
}

/// What must hold of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Written", into = "Written")]
pub struct Condition {
    /// name of the column, or [`PREDICTED`](super::grouping::PREDICTED)
    pub column: String,
    /// where its value must lie
    pub is: Among,
}

/// Where a value lies. Two are equal where the same rows meet them: how an interval reads is no part of that.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Among {
    /// it is one of these; numbers stand as they would in a file
    Values(Vec<String>),
    /// there is a value, and it is none of these
    Not(Vec<String>),
    /// it is a number x with `from` ≤ x < `below`; with neither: there is a value
    Between {
        /// the smallest that counts; none: no lower end
        from: Option<f64>,
        /// the smallest that does not count any more; none: no upper end
        below: Option<f64>,
        /// every number of the column is whole, so that `from: 68, below: 78` reads "68 to 77"; says nothing of which rows
        whole: bool,
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

impl PartialEq for Among {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Values(a), Self::Values(b)) | (Self::Not(a), Self::Not(b)) => a == b,
            (Self::Between { from, below, .. }, Self::Between { from: first, below: end, .. }) => {
                (from, below) == (first, end)
            }
            (Self::Dates { from, before }, Self::Dates { from: first, before: end }) => (from, before) == (first, end),
            (Self::Missing, Self::Missing) => true,
            _ => false,
        }
    }
}

/// A condition as it stands in JSON: `{ "column": "ward", "values": ["ICU"] }`, `{ "column": "ward", "not": ["ICU"] }` (rows
/// without a value are not among them), `{ "column": "age", "from": 60, "below": 70 }`,
/// `{ "column": "bmi", "missing": true }` (or `false`), `{ "column": "date", "from": "2024-01-01", "before": "2024-07-01" }`.
/// `to` is the last that counts, of numbers and of dates: `"to": 69` is "60 to 69" where numbers are whole, and `"to":
/// "2024-06-30"` the same as `"before": "2024-07-01"`. `"whole": true` says that the numbers of the column are whole; it is
/// found when the condition meets a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Written {
    column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Start>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Start>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<bool>,
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
        let empty = Written {
            column,
            values: None,
            not: None,
            from: None,
            below: None,
            before: None,
            to: None,
            whole: None,
            missing: None,
        };
        match is {
            Among::Values(values) => Written { values: Some(values), ..empty },
            Among::Not(values) => Written { not: Some(values), ..empty },
            Among::Between { from: None, below: None, .. } => Written { missing: Some(false), ..empty },
            Among::Between { from, below, whole } => {
                Written { from: from.map(Start::Number), below, whole: whole.then_some(true), ..empty }
            }
            Among::Dates { from, before } => Written { from: from.map(Start::Date), before, ..empty },
            Among::Missing => Written { missing: Some(true), ..empty },
        }
    }
}

impl TryFrom<Written> for Condition {
    type Error = String;

    fn try_from(written: Written) -> std::result::Result<Self, String> {
        let Written { column, values, not, from, below, before, to, whole, missing } = written;
        let refused = || {
            "a condition specifies values, excluded values, a numeric range, a date range, or a missing value"
                .to_owned()
        };
        let (below, before) = match (to, below, before) {
            (None, below, before) => (below, before),
            // x ≤ to is x < the next number above it
            (Some(Start::Number(to)), None, None) => (Some(to.next_up()), None),
            (Some(Start::Date(to)), None, None) => {
                let before = first_after(&to).ok_or_else(|| format!("Invalid day, month or year: {to}"))?;
                (None, Some(before))
            }
            (Some(_), ..) => return Err(refused()),
        };
        if missing == Some(false)
            && not.is_none()
            && values.is_none()
            && from.is_none()
            && below.is_none()
            && before.is_none()
        {
            return Ok(Condition { column, is: Among::Between { from: None, below: None, whole: false } });
        }
        if let (Some(not), None, None, None, None, None) = (&not, &values, &from, below, &before, missing) {
            return Ok(Condition { column, is: Among::Not(not.clone()) });
        }
        if not.is_some() {
            return Err(refused());
        }
        let missing = missing.unwrap_or(false);
        let whole = whole.unwrap_or(false);
        let is = match (values, from, below, before, missing) {
            (Some(values), None, None, None, false) => Among::Values(values),
            (None, Some(Start::Number(from)), below, None, false) => Among::Between { from: Some(from), below, whole },
            (None, None, Some(below), None, false) => Among::Between { from: None, below: Some(below), whole },
            (None, Some(Start::Date(from)), None, before, false) => Among::Dates { from: Some(from), before },
            (None, None, None, Some(before), false) => Among::Dates { from: None, before: Some(before) },
            (None, None, None, None, true) => Among::Missing,
            _ => return Err(refused()),
        };
        Ok(Condition { column, is })
    }
}

/// How many values are said by name.
const NAMED: usize = 3;

impl Condition {
    /// "ward = ICU", "age 60 to 69" (whole numbers), "bmi 25 to <30" (others), "age ≥ 70", "age < 30", "bmi missing",
    /// "date 2024-02-11 to 2024-03-31".
    pub fn description(&self) -> String {
        let column = &self.column;
        match &self.is {
            Among::Values(values) if values.len() > NAMED => {
                format!("{column} = {} or {} others", values[..NAMED - 1].join(", "), values.len() + 1 - NAMED)
            }
            Among::Values(values) => format!("{column} = {}", values.join(" or ")),
            Among::Not(values) if values.len() > NAMED => {
                format!("{column} not {} or {} others", values[..NAMED - 1].join(", "), values.len() + 1 - NAMED)
            }
            Among::Not(values) => format!("{column} not {}", values.join(" or ")),
            Among::Between { from: Some(from), below: Some(below), whole } => {
                let (first, last) = (from.ceil(), below.ceil() - 1.0);
                match *whole && first == last {
                    true => format!("{column} = {}", number::whole(first)),
                    false => format!("{column} {}", number::half_open(*from, *below, *whole)),
                }
            }
            Among::Between { from: Some(from), below: None, whole } => {
                format!("{column} ≥ {}", number::end(*from, *whole))
            }
            Among::Between { from: None, below: Some(below), whole } => match number::last_below(*below) {
                Some(last) => format!("{column} ≤ {}", number::end(last, *whole)),
                None => format!("{column} < {}", number::end(*below, *whole)),
            },
            Among::Between { from: None, below: None, .. } => format!("{column} known"),
            Among::Dates { from: Some(from), before: Some(before) } => match last_before(before) {
                Some(last) if last == *from => format!("{column} {from}"),
                Some(last) if day_of(&last) >= day_of(from) => format!("{column} {from} to {last}"),
                _ => format!("{column} {from} to <{before}"),
            },
            Among::Dates { from: Some(from), before: None } => format!("{column} from {from}"),
            Among::Dates { from: None, before: Some(before) } => format!("{column} before {before}"),
            Among::Dates { from: None, before: None } => format!("{column} known"),
            Among::Missing => format!("{column} missing"),
        }
    }
}

impl Subgroup {
    /// "ward = ICU and age 60 to 69"; "everyone" without a condition.
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
        let between = |from, below| Among::Between { from, below, whole: false };
        let whole = |from, below| Among::Between { from, below, whole: true };
        let dates = |from: Option<&str>, before: Option<&str>| Among::Dates {
            from: from.map(str::to_owned),
            before: before.map(str::to_owned),
        };
        for (condition, words) in [
            (of("ward", values(&["ICU", "ED"])), "ward = ICU or ED"),
            (of("ward", values(&["A", "B", "C", "D"])), "ward = A, B or 2 others"),
            (of("age", whole(Some(68.0), Some(78.0))), "age 68 to 77"),
            (of("age", whole(Some(67.5), Some(77.5))), "age 68 to 77"),
            (of("age", whole(Some(68.0), Some(69.0))), "age = 68"),
            (of("year", whole(Some(2015.0), Some(2020.0))), "year 2015 to 2019"),
            (of("id", whole(Some(1_000_000.0), Some(2_345_678.0))), "id 1,000,000 to 2,345,677"),
            (of("age", whole(Some(70.0), None)), "age ≥ 70"),
            (of("age", whole(None, Some(20.0))), "age < 20"),
            (of("age", whole(Some(70.0), Some(60.0))), "age 70 to <60"),
            (of("age", between(Some(68.0), Some(78.0))), "age 68 to <78"),
            (of("t", between(Some(-1.5), Some(2.0))), "t −1.5 to <2"),
            (of("age", between(None, Some(30.0))), "age < 30"),
            (of("bmi", Among::Missing), "bmi missing"),
            (of("bmi", between(None, None)), "bmi known"),
            (of("day", dates(Some("2024-01-01"), None)), "day from 2024-01-01"),
            (of("day", dates(None, Some("2024-07-01"))), "day before 2024-07-01"),
            (of("day", dates(Some("2024-01-01"), Some("2024-07-01"))), "day 2024-01-01 to 2024-06-30"),
            (of("day", dates(Some("2024-02-11"), Some("2024-03-01"))), "day 2024-02-11 to 2024-02-29"),
            (of("day", dates(Some("2024-02-11"), Some("2024-02-12"))), "day 2024-02-11"),
            (of("month", dates(Some("2024-01"), Some("2024-07"))), "month 2024-01 to 2024-06"),
            (of("year", dates(Some("2019"), Some("2021"))), "year 2019 to 2020"),
            (of("at", dates(Some("2024-02-11"), Some("2024-02-12 10:30"))), "at 2024-02-11 to <2024-02-12 10:30"),
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
            r#"{"column":"a","from":1,"to":2,"below":3}"#,
            r#"{"column":"a","from":"2024-01-01","to":"noon"}"#,
        ] {
            assert!(serde_json::from_str::<Condition>(wrong).is_err(), "{wrong}");
        }
    }
}
