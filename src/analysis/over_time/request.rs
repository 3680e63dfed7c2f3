//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("over_time")`.
    pub struct OverTimeRequest {
        /// the date column; default: the first with the role date
        #[asked("Dates", Column(Dates))]
        pub by: Option<String>,
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// rows per window, at least 1 in 166; default: one eighth of the rows, more if few have the rarer outcome
        #[asked("Rows per window", Number { usual: None })]
        pub window: Option<u64>,
        /// seed of the simulated outcomes; default 0
        #[asked("", HandedOver)]
        pub seed: Option<u64>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Calibration over time",
        step: PageStep::Overview,
        shown: Shown::Sheet,
        running: "Testing for drift",
        needs: &[Needs::Dates],
        files: None,
        cost: Cost::Draws,
    }
}
