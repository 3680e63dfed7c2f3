//! What can be asked.

use serde::{Deserialize, Serialize};

use super::MultiplesBy;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("multiples")`.
    pub struct MultiplesRequest {
        /// `method` (the default), `class` or `group`
        #[form("Panels by", Choice(&[("method", "each method"), ("class", "each class"), ("group", "each group")]))]
        pub by: MultiplesBy,
        /// name of a method of the last run whose classes or groups are shown; default: `none`
        #[form("Method", Method)]
        pub method: Option<String>,
        /// one column whose values are groups, or two; default: the first suitable column
        #[form("Group by", Columns(Groups))]
        pub columns: Option<Vec<String>>,
        /// all diagrams, not only the first twelve
        #[form("Show all", Switch)]
        pub all: bool,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Reliability diagrams in panels",
        step: PageStep::Recalibration,
        shown: DrawnIn::Sheet,
        running: "Drawing diagrams",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Rows,
    }
}
