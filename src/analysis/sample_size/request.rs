//! What can be asked.

use serde::{Deserialize, Serialize};

use super::Targets;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("sample_size")`.
    pub struct SampleSizeRequest {
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// target width of the 95% CI of the O:E ratio; default 0.2
        #[form("O:E ratio, CI width", Number { usual: Some(Targets::USUAL.ratio) })]
        pub ratio: Option<f64>,
        /// target width of the 95% CI of the calibration slope; default 0.2
        #[form("Calibration slope, CI width", Number { usual: Some(Targets::USUAL.slope) })]
        pub slope: Option<f64>,
        /// target width of the 95% CI of the AUROC; default 0.1
        #[form("AUROC, CI width", Number { usual: Some(Targets::USUAL.auroc) })]
        pub auroc: Option<f64>,
        /// width of each figure in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Required sample size",
        step: PageStep::Overview,
        shown: DrawnIn::Sheet,
        running: "Computing the sample size",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
