//! What can be asked.

use serde::{Deserialize, Serialize};


/// Options of `data.analyse("inference")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InferenceRequest {
    /// names of methods of the last run; default: all
    pub methods: Option<Vec<String>>,
    /// the numeric column whose mean among those with the outcome is wanted; default: the first with the role feature;
    /// empty: none
    pub of: Option<String>,
    /// the column whose groups are compared; default: the first with the role group; empty: none
    pub group: Option<String>,
    /// draws for the intervals; default: as many as in a run
    pub resamples: Option<usize>,
    /// seed of the draws
    pub seed: u64,
    /// of each figure in CSS pixels
    pub width: Option<f64>,
}
