//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;


/// Options of `data.analyse("decide")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct DecideRequest {
    /// w, the cost of a wrong answer; default 10
    #[tsify(optional)]
    pub wrong: Option<f64>,
    /// u, the cost of asking a person; default 1
    #[tsify(optional)]
    pub unsure: Option<f64>,
    /// names of methods of the last run; default: all
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
