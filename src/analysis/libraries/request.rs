//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Scores for which values of other libraries are computed.
    pub struct LibrariesRequest {
        /// name of a method of the last run; default: `none`
        #[form("", Method)]
        pub method: Option<String>,
        /// of the page in CSS pixels; unused by the table
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Values in other libraries",
        step: PageStep::Overview,
        shown: DrawnIn::Sheet,
        running: "Computing other libraries' values",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
