//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("correlation")`, beside `others`: data sets of which each is one repeat.
    pub struct CorrelationRequest {
        /// names of methods of the last run; default: all. `none` is always among them
        #[form("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// metric ids; default: `ece`, `mce`, `nll`, `brier`, and with local settings of the run `mean_lce`, `mlce` and
        /// `mlce_supported`
        #[form("Metrics", Metrics)]
        pub metrics: Option<Vec<String>>,
        /// the metric to correlate with; default: `group_mce_max_supported`
        #[form("Correlated with", Metric)]
        pub against: Option<String>,
        /// one column whose values are groups, or two; default: those of the run, else the first suitable column
        #[form("Group by", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// how many times the rows are split, methods fitted and evaluated; default: 20 times, or as in the file; with `others`
        /// once in each file
        #[form("Repeated splits", Number { usual: None })]
        pub repeats: Option<usize>,
        /// a column that assigns rows to repeats, as in `compare`
        #[form("", HandedOver)]
        pub by: Option<String>,
        /// names of the files if there are `others`, that of the last run first; default: the file names
        #[form("", HandedOver)]
        pub names: Option<Vec<String>>,
        /// seed of the first split; default: the run's
        #[form("", Number { usual: None })]
        pub seed: Option<u64>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Metrics and worst group",
        step: PageStep::Recalibration,
        shown: DrawnIn::Sheet,
        running: "Repeating the split",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Groups, AnalysisRequirement::Methods],
        files: Some("Or prediction files of other seeds, one file each, with the same column names"),
        cost: Cost::Fits,
    }
}
