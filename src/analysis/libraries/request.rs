//! What can be asked.

use serde::{Deserialize, Serialize};


/// Whose scores other libraries would be given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LibrariesRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// of the page in CSS pixels; the table does not look at it
    pub width: Option<f64>,
}
