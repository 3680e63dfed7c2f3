//! What a person should know about a file, or about what was found in it.

use serde::{Deserialize, Serialize};

/// Something a person should know; never an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// stable snake_case name
    pub code: String,
    /// a sentence
    pub message: String,
    /// 1-based row number, where one row is meant
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// column name, where one column is meant
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}
