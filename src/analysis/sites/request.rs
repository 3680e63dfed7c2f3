//! What can be asked.

use serde::{Deserialize, Serialize};

use super::LEAST;
use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("sites")`.
    pub struct SitesRequest {
        /// the column whose values are sites: hospitals, wards, files; default: one whose name says that it holds sites, else the first with three values or more
        #[form("Sites", Column(Groups))]
        pub column: Option<String>,
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// smallest expected number of events, and of other rows, of a site that is pooled, twice as many for the slope, three times for the AUROC; default 10
        #[form("Minimum expected events", Number { usual: Some(LEAST) })]
        pub least: Option<f64>,
        /// of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Calibration by site, pooled",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Comparing sites",
        needs: &[AnalysisRequirement::Groups],
        files: None,
        cost: Cost::Rows,
    }
}
