//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("over_time")`.
    pub struct OverTimeRequest {
        /// the column of dates; default: the first with the role date
        #[asked("Dates", Column(Dates))]
        pub by: Option<String>,
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// rows of a window, 1 of 166 at least; default: an eighth of the rows, more where few have the rarer outcome
        #[asked("Rows of a window", Number { usual: None })]
        pub window: Option<u64>,
        /// seed of the outcomes that are drawn; default 0
        #[asked("", HandedOver)]
        pub seed: Option<u64>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Has calibration changed over time?",
        step: PageStep::Overview,
        shown: Shown::Sheet,
        running: "Looking along the dates",
        needs: &[Needs::Dates],
        files: None,
        cost: Cost::Draws,
    }
}
