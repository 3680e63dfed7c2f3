//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("inference")`.
    pub struct InferenceRequest {
        /// names of methods of the last run; default: all
        #[form("Scores", Methods)]
        pub methods: Option<Vec<String>>,
        /// the numeric column whose mean among rows with the event is estimated; default: the first with the role feature;
        /// empty: none
        #[form("Mean of", Column(Numbers))]
        pub of: Option<String>,
        /// the column whose groups are compared; default: the first with the role group; empty: none
        #[form("Difference by", Column(Groups))]
        pub group: Option<String>,
        /// resamples for the intervals; default: as in the run
        #[form("", Number { usual: None })]
        pub resamples: Option<usize>,
        /// seed of the resamples
        #[form("", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// width of each figure in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Scores as outcome proxies",
        step: PageStep::Decide,
        shown: DrawnIn::Sheet,
        running: "Estimating from scores",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::PositiveView],
        files: None,
        cost: Cost::Draws,
    }
}
