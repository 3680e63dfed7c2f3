//! What can be asked.

use serde::{Deserialize, Serialize};

use super::GroupMetric;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("groups")`.
    pub struct GroupsRequest {
        /// one column whose values are groups, or two for their pairs; default: the first that can be
        #[asked("Groups by (one column or two)", Columns(Groups))]
        pub columns: Option<Vec<String>>,
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// what the table of methods shows; default: MCE
        #[asked("In the table of methods", Choice(&[
            ("mce", "MCE"),
            ("ece", "ECE"),
            ("brier", "Brier score"),
            ("nll", "log-loss"),
            ("accuracy", "accuracy"),
        ]))]
        pub metric: Option<GroupMetric>,
        /// into how many groups of equal size a number is cut; default 4
        #[asked("Cut numbers into", Number { usual: Some(4.0) })]
        pub quantiles: Option<usize>,
        /// groups with fewer rows are left empty in `csv`; default 10
        #[asked("Least rows in an export", Number { usual: Some(10.0) })]
        pub least: Option<usize>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "For whom is it wrong? The gap of every group",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Comparing groups",
        needs: &[Needs::Groups],
        files: None,
        cost: Cost::Rows,
    }
}
