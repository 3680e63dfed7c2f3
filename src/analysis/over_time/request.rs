//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("over_time")`.
    pub struct OverTimeRequest {
        /// the date column; default: the first with the role date
        #[form("Dates", Column(Dates))]
        pub by: Option<String>,
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// rows per window, at least 1 in 166; default: one eighth of the rows, more if few have the rarer outcome
        #[form("Rows per window", Number { usual: None })]
        pub window: Option<u64>,
        /// seed of the simulated outcomes; default 0
        #[form("", HandedOver)]
        pub seed: Option<u64>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Calibration over time",
        step: PageStep::Overview,
        shown: DrawnIn::Sheet,
        running: "Testing for drift",
        needs: &[AnalysisRequirement::Dates],
        files: None,
        cost: Cost::Draws,
    }
}
