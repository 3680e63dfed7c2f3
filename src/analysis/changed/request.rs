//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("changed")`.
    pub struct ChangedRequest {
        /// the JSON of the export `session`, as an object; default: the one that the file was opened with
        #[form("", HandedOver)]
        pub session: Option<serde_json::Value>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Change since saved session",
        step: PageStep::Overview,
        shown: DrawnIn::Sheet,
        running: "Comparing with the session",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
