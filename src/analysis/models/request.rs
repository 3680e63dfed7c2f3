//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("models")`, beside `others`: the data sets of the other models.
    pub struct ModelsRequest {
        /// names of the models, that of the last run first; default: the file names
        #[form("", HandedOver)]
        pub names: Option<Vec<String>>,
        /// metric on the horizontal axis; default: `accuracy`
        #[form("Horizontal metric", Metric)]
        pub x: Option<String>,
        /// metric on the vertical axis; default: `bias_index`, or `ece` without features
        #[form("Vertical metric", Metric)]
        pub y: Option<String>,
        /// names of methods of the last run; default: all. `none` is always among them
        #[form("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// columns whose groups are compared under every model of the same rows; default: those with the role group
        #[form("Group by", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// bootstrap resamples for models of the same rows; default: 1,000, fewer beyond 200,000 rows
        #[form("", HandedOver)]
        pub resamples: Option<usize>,
        /// seed of those resamples; default: that of the last run
        #[form("", HandedOver)]
        pub seed: Option<u64>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Model comparison",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Evaluating all models",
        needs: &[AnalysisRequirement::Rows],
        files: Some("Prediction files of other models, one file each, with the same column names"),
        cost: Cost::Fits,
    }
}
