//! One number of an experiment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One metric of one method under one division of the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentCell"))]
#[serde(default, deny_unknown_fields)]
pub struct Cell {
    /// name of the data set, where there are several
    pub data: Option<String>,
    /// name of the method; for a method that uses neighbors, with the space if there are several: `lore (t-SNE)`
    pub method: String,
    /// space that defines similarity for the metric; null for a metric without neighbors
    pub space: Option<String>,
    /// division: `seed 3`, `seed 0, fold 2 of 5`, the value of a column, `as the file says`
    pub division: String,
    /// values of the settings that were varied, as far as they bear on this number
    pub at: BTreeMap<String, Level>,
    /// metric id
    pub metric: String,
    /// null where there is none
    pub value: Option<f64>,
    /// seconds of the fit and its scores on one worker; null if not measured
    pub seconds: Option<f64>,
    /// why there is no value
    pub reason: Option<String>,
    /// rows scored
    pub rows: usize,
    /// of them with the outcome, or predicted correctly; null if not counted
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<usize>,
    /// rows that the fit saw
    pub fitted: usize,
}

/// A value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a value of a setting is a number or a word")]
pub enum Level {
    /// a number
    Number(f64),
    /// a word
    Word(String),
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}
