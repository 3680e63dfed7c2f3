//! What can be asked.

use serde::{Deserialize, Serialize};

use super::{CONFIDENCE, RISK};
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("risk_coverage")`.
    pub struct RiskCoverageRequest {
        /// largest acceptable share of errors among the answered rows; default 0.1
        #[form("Maximum error rate", Number { usual: Some(RISK) })]
        pub risk: Option<f64>,
        /// probability with which the error rate of new rows does not exceed it; default 0.95
        #[form("Confidence level", Number { usual: Some(CONFIDENCE) })]
        pub confidence: Option<f64>,
        /// choose the threshold on one half of the rows and count errors and coverage on the other; default: no
        #[form("Test on a held-out half", Switch)]
        pub held_out: bool,
        /// names of methods of the last run; default: all
        #[form("", Methods)]
        pub methods: Option<Vec<String>>,
        /// of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Risk and coverage",
        step: PageStep::Decide,
        shown: DrawnIn::Sheet,
        running: "Computing risk and coverage",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
