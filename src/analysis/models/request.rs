//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;


/// Options of `data.analyse("models")`, beside `others`: the data sets of the other models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsRequest {
    /// what the models are called, that of the last run first; default: by their files
    #[tsify(optional)]
    pub names: Option<Vec<String>>,
    /// metric id across; default: `accuracy`
    #[tsify(optional)]
    pub x: Option<String>,
    /// metric id up; default: `bias_index`, or `ece` where nothing says which rows are near each other
    #[tsify(optional)]
    pub y: Option<String>,
    /// names of methods of the last run; default: all. `none` is always among them
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// of the page in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
