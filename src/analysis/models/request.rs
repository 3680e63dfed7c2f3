//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("models")`, beside `others`: the data sets of the other models.
    pub struct ModelsRequest {
        /// what the models are called, that of the last run first; default: by their files
        #[asked("", HandedOver)]
        pub names: Option<Vec<String>>,
        /// metric id across; default: `accuracy`
        #[asked("Across", Metric)]
        pub x: Option<String>,
        /// metric id up; default: `bias_index`, or `ece` where nothing says which rows are near each other
        #[asked("Up", Metric)]
        pub y: Option<String>,
        /// names of methods of the last run; default: all. `none` is always among them
        #[asked("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// columns whose groups are told under every model of the same rows; default: those with the role group
        #[asked("Gaps of the groups of", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// draws of the rows behind intervals of models of the same rows; default: 1,000, fewer beyond 200,000 rows
        #[asked("", HandedOver)]
        pub resamples: Option<usize>,
        /// of those draws; default: that of the last run
        #[asked("", HandedOver)]
        pub seed: Option<u64>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Other models beside this one",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Scoring every model",
        needs: &[],
        files: Some("Prediction files of other models, one each, columns named as here"),
        cost: Cost::Fits,
    }
}
