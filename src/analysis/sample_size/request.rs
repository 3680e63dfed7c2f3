//! What can be asked.

use serde::{Deserialize, Serialize};

use super::Targets;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("sample_size")`.
    pub struct SampleSizeRequest {
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// the widest that the interval of observed / expected may be; default 0.2
        #[asked("Observed : expected: interval at most", Number { usual: Some(Targets::USUAL.ratio) })]
        pub ratio: Option<f64>,
        /// the widest that the interval of the calibration slope may be; default 0.2
        #[asked("Calibration slope: interval at most", Number { usual: Some(Targets::USUAL.slope) })]
        pub slope: Option<f64>,
        /// the widest that the interval of the AUROC may be; default 0.1
        #[asked("AUROC: interval at most", Number { usual: Some(Targets::USUAL.auroc) })]
        pub auroc: Option<f64>,
        /// of each figure in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "How many rows would settle it?",
        step: PageStep::Overview,
        shown: Shown::Sheet,
        running: "Counting the rows that it takes",
        needs: &[],
        files: None,
        cost: Cost::Rows,
    }
}
