//! What a person or a script can say when opening files.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::predictions::View;
use super::roles::{Reading, Role};
use super::subgroup::Condition;
use crate::request::message::without_nulls;

/// Options of `localcal.open`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// pair to look at; default: positive for one P(y = 1) column and two labels, else top-label
    pub view: Option<View>,
    /// role by column or array name, or by `file:name`
    pub roles: BTreeMap<String, Role>,
    /// how values are read, by column or array name, or by `file:name`
    pub readings: BTreeMap<String, Reading>,
    /// values that stand for a missing one, by column or array name, or by `file:name`: `{ age: [999] }`
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, Vec<MissingCode>>,
    /// which of several models of the same rows is open, by one of the names in `summary.models`; default: the first
    pub model: Option<String>,
    /// the label counted as 1
    pub positive: Option<String>,
    /// how rows are divided; default: as the session says, else `"auto"`. Given as null it is `"auto"`, whatever a session says
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitOption>,
    /// what happens to rows with a missing or unusable value
    pub rows: RowPolicy,
    /// the column whose values say which rows belong together, such as the visits of one patient: their outcomes may be
    /// dependent. Default: that of the session, else a column whose name reads like an id and whose values repeat, if there
    /// is one; given as null rows are independent
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Option<String>>,
    /// conditions that rows must meet, all at once; the others are left out as if they were not in the files. Default: those
    /// of the session; given as null or an empty list there are none, whatever a session says
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<Condition>>,
    /// a session file, read as an object: columns of the same names are read as they were then, as far as they fit; what
    /// is said besides outweighs it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Value>,
    /// how attempts of an evaluation log count that have no confidence or no judgment; default: excluded, and counted beside
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// divide each row of probabilities by its sum (never done unasked)
    pub renormalise: bool,
}

/// A code for missing values, as it is in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum MissingCode {
    /// a number: 999
    Number(f64),
    /// a text or a date: `1900-01-01`
    Text(String),
}

/// What was said, null included: then it is what holds where nobody says anything.
fn null_as_given<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::<T>::deserialize(from).map(|said| Some(said.unwrap_or_default()))
}

/// Options in which null says something ([`null_as_given`]).
const NULLABLE: [&str; 3] = ["split", "clusters", "only"];

impl OpenOptions {
    /// Takes fields away that are null and say nothing by it, from options as they are written; also from those that a session
    /// among them holds.
    pub fn without_nulls(written: &mut Value) {
        let Value::Object(fields) = written else {
            return;
        };
        fields.retain(|name, field| !field.is_null() || NULLABLE.contains(&name.as_str()));
        for (name, field) in fields {
            match (name.as_str(), field) {
                ("session", Value::Object(session)) => {
                    session.retain(|_, part| !part.is_null());
                    session.iter_mut().for_each(|(part, value)| match part.as_str() {
                        "options" => Self::without_nulls(value),
                        _ => without_nulls(value),
                    });
                }
                (_, field) => without_nulls(field),
            }
        }
    }

    /// Conditions that rows must meet.
    pub fn only(&self) -> &[Condition] {
        self.only.as_deref().unwrap_or_default()
    }

    /// How rows are divided.
    pub fn split(&self) -> SplitOption {
        self.split.clone().unwrap_or_default()
    }
}

/// What happens to rows with a missing or unusable value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RowPolicy {
    /// the first such row is an error
    #[default]
    Error,
    /// they are left out and counted
    Drop,
}

/// How attempts of an evaluation log count that were refused, not attempted, not read or not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// they are left out and counted
    #[default]
    Excluded,
    /// incorrect at the stated confidence; without one they are left out and counted
    Incorrect,
    /// incorrect at a confidence of 100%; an answer that was judged and states none keeps its judgment, at 100%
    IncorrectAtOne,
}

/// How rows are divided into calibration and evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "split is \"auto\", { folds: 5 }, { half: true }, { column, calibration, before }, { first: n } or { files: true }"
)]
pub enum SplitOption {
    /// `"auto"`: a split column, else a second file of other rows, else five folds
    Auto(Auto),
    /// `{ folds: 5 }`
    Folds {
        /// number of folds, at least 2
        folds: usize,
    },
    /// `{ half: true }`
    Half {
        /// must be true
        half: bool,
    },
    /// `{ column: "split", calibration: ["calibration"] }`
    Column {
        /// name of the column
        column: String,
        /// values whose rows calibrate; default: the known names
        #[serde(default)]
        calibration: Vec<String>,
        /// of a column of dates: rows before this one calibrate, `2024-01-31`, `2024-01` or `2024`; default: the earlier half
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// `{ first: n }`: rows 1..n calibrate
    First {
        /// number of calibration rows
        first: usize,
    },
    /// `{ files: true }`: the first of two files calibrates, the second is scored, also where both look like two
    /// models of the same rows
    Files {
        /// must be true
        files: bool,
    },
}

/// The word `"auto"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Auto {
    /// let the file decide
    Auto,
}

impl Default for SplitOption {
    fn default() -> Self {
        SplitOption::Auto(Auto::Auto)
    }
}
