//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Whose scores other libraries would be given.
    pub struct LibrariesRequest {
        /// name of a method of the last run; default: `none`
        #[asked("", Method)]
        pub method: Option<String>,
        /// of the page in CSS pixels; the table does not look at it
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "What would other libraries report for this file?",
        step: PageStep::Overview,
        shown: Shown::Sheet,
        running: "Asking other libraries",
        needs: &[],
        files: None,
        cost: Cost::Rows,
    }
}
