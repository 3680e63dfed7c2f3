//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;


/// Whose scores other libraries would be given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct LibrariesRequest {
    /// name of a method of the last run; default: `none`
    #[tsify(optional)]
    pub method: Option<String>,
    /// of the page in CSS pixels; the table does not look at it
    #[tsify(optional)]
    pub width: Option<f64>,
}
