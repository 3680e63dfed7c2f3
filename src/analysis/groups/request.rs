//! What can be asked.

use serde::{Deserialize, Serialize};

use super::GroupMetric;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("groups")`.
    pub struct GroupsRequest {
        /// one column whose values are groups, or two for their pairs; default: the first suitable column
        #[form("Group by", Columns(Groups))]
        pub columns: Option<Vec<String>>,
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// metric of the table of methods; default: MCE
        #[form("Metric by method", Choice(&[
            ("mce", "MCE"),
            ("ece", "ECE"),
            ("brier", "Brier score"),
            ("nll", "log-loss"),
            ("accuracy", "accuracy"),
        ]))]
        pub metric: Option<GroupMetric>,
        /// number of groups of equal size into which a numeric column is divided; default 4
        #[form("Numeric bins", Number { usual: Some(4.0) })]
        pub quantiles: Option<usize>,
        /// groups with fewer rows are empty in `csv`; default 10
        #[form("Minimum exported rows", Number { usual: Some(10.0) })]
        pub least: Option<usize>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Calibration by group",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Comparing groups",
        needs: &[AnalysisRequirement::Groups],
        files: None,
        cost: Cost::Rows,
    }
}
