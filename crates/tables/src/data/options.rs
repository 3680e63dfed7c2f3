//! What a person or a script can say when opening files.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::roles::{Reading, Role};
use super::sentinels::MissingCode;
use super::subgroup::Condition;
use super::view::View;
use crate::request::message::without_nulls;

/// Options of `localcal.open`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// score and target to evaluate; default: positive for one P(y = 1) column and two labels, else top-label
    pub view: Option<View>,
    /// role by column or array name, or by `file:name`
    pub roles: BTreeMap<String, Role>,
    /// how values are read, by column or array name, or by `file:name`
    pub readings: BTreeMap<String, Reading>,
    /// values that represent a missing one, by column or array name, or by `file:name`: `{ age: [999] }`
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, Vec<MissingCode>>,
    /// which of several models of the same rows is open, by its name in `summary.models`; default: the first
    pub model: Option<String>,
    /// label of the class that counts as 1; for one probability beside an outcome of more than two values, against all others
    pub positive: Option<String>,
    /// division of the rows; default: that of the session, else `"auto"`. Null: `"auto"`, also with a session
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitOption>,
    /// treatment of rows with a missing or unusable value
    pub rows: RowPolicy,
    /// column that defines clusters of dependent rows, such as the visits of one patient. Default: that of the session,
    /// else a column whose name resembles an identifier and whose values repeat, if there is one. Null: rows are
    /// independent
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Option<String>>,
    /// conditions that rows must meet, all of them; other rows are excluded as if they were not in the files. Default:
    /// those of the session. Null or an empty list: none, also with a session
    #[serde(deserialize_with = "null_as_given", skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<Condition>>,
    /// a session file, as an object: columns with the same names are read as in the session, where possible; other
    /// options have priority over it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Value>,
    /// treatment of attempts of an evaluation log without a confidence or a judgment; default: excluded, and counted
    /// separately
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// divides each row of probabilities by its sum; never done by default
    pub renormalise: bool,
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

/// Treatment of rows with a missing or unusable value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RowPolicy {
    /// the first such row is an error
    #[default]
    Error,
    /// these rows are excluded and counted
    Drop,
}

/// Treatment of attempts of an evaluation log that were refused, not attempted, not parsed or not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// excluded and counted
    #[default]
    Excluded,
    /// incorrect at the stated confidence; without a confidence excluded and counted
    Incorrect,
    /// incorrect at a confidence of 100%; a judged answer without a confidence keeps its judgment, at 100%
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
        /// values of the calibration rows; default: the known names
        #[serde(default)]
        calibration: Vec<String>,
        /// of a column of dates: rows before this one calibrate, `2024-01-31`, `2024-01`, `2024 Q1` or `2024`; default: the earlier half
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// `{ first: n }`: rows 1..n calibrate
    First {
        /// number of calibration rows
        first: usize,
    },
    /// `{ files: true }`: the first of two files calibrates, the second is scored, even if they appear to be two models
    /// of the same rows
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
