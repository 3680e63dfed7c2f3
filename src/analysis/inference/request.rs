//! What can be asked.

use serde::{Deserialize, Serialize};
use tsify::Tsify;


/// Options of `data.analyse("inference")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct InferenceRequest {
    /// names of methods of the last run; default: all
    #[tsify(optional)]
    pub methods: Option<Vec<String>>,
    /// the numeric column whose mean among those with the outcome is wanted; default: the first with the role feature;
    /// empty: none
    #[tsify(optional)]
    pub of: Option<String>,
    /// the column whose groups are compared; default: the first with the role group; empty: none
    #[tsify(optional)]
    pub group: Option<String>,
    /// draws for the intervals; default: as many as in a run
    #[tsify(optional)]
    pub resamples: Option<usize>,
    /// seed of the draws
    #[tsify(optional)]
    pub seed: u64,
    /// of each figure in CSS pixels
    #[tsify(optional)]
    pub width: Option<f64>,
}
