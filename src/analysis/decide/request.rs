//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("decide")`.
    pub struct DecideRequest {
        /// w, the cost of a wrong answer; default 10
        #[asked("A wrong answer costs", Number { usual: Some(10.0) })]
        pub wrong: Option<f64>,
        /// u, the cost of asking a person; default 1
        #[asked("Asking a person costs", Number { usual: Some(1.0) })]
        pub unsure: Option<f64>,
        /// names of methods of the last run; default: all
        #[asked("", Methods)]
        pub methods: Option<Vec<String>>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Answer, or ask a person?",
        step: PageStep::Decide,
        shown: Shown::Sheet,
        running: "Weighing answers",
        needs: &[],
        files: None,
        cost: Cost::Rows,
    }
}
