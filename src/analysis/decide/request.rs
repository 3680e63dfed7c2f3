//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("decide")`.
    pub struct DecideRequest {
        /// w, the cost of an error; default 10
        #[form("Error cost", Number { usual: Some(10.0) })]
        pub wrong: Option<f64>,
        /// u, the cost of a deferral; default 1
        #[form("Deferral cost", Number { usual: Some(1.0) })]
        pub unsure: Option<f64>,
        /// threshold probability at or above which to act, instead of the costs of false negatives and false positives; default: what
        /// these imply
        #[form("Threshold probability", Number { usual: None })]
        pub threshold: Option<f64>,
        /// cost of a false negative (for P(y = 1)); default 10
        #[form("False-negative cost", Number { usual: Some(10.0) })]
        pub miss: Option<f64>,
        /// cost of a false positive; default 1
        #[form("False-positive cost", Number { usual: Some(1.0) })]
        pub false_alarm: Option<f64>,
        /// smallest threshold of the decision curve; default 0
        #[form("Thresholds from", Number { usual: Some(0.0) })]
        pub from: Option<f64>,
        /// largest threshold of the decision curve, 0.99 at most; default: from the range of the scores
        #[form("to", Number { usual: None })]
        pub to: Option<f64>,
        /// names of methods of the last run; default: all
        #[form("", Methods)]
        pub methods: Option<Vec<String>>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Decision curve and deferral",
        step: PageStep::Decide,
        shown: DrawnIn::Sheet,
        running: "Computing net benefit and costs",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
