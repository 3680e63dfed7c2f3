//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

/// Layouts, and what they are called.
pub(super) const LAYOUTS: &[(&str, &str)] = &[("table", "methods × metrics"), ("paper", "base → + method")];

options! {
    /// Options of `data.analyse("compare")`.
    pub struct CompareRequest {
        /// names of methods of the last run; default: all. `none` is always among them
        #[form("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// metric ids; default: `nll`, `brier` and `ece`
        #[form("Metrics", Metrics)]
        pub metrics: Option<Vec<String>>,
        /// how many times the rows are split, methods fitted and evaluated; default: once
        #[form("Repeated splits", Number { usual: Some(1.0) })]
        pub repeats: Option<usize>,
        /// a column that assigns rows to repeats; default: a column named `seed`, if the file specifies which
        /// rows calibrate
        #[form("", HandedOver)]
        pub by: Option<String>,
        /// seed of the first split and of the resamples; default: the run's
        #[form("", Number { usual: None })]
        pub seed: Option<u64>,
        /// resamples for the intervals; default by the number of rows
        #[form("", Number { usual: None })]
        pub resamples: Option<usize>,
        /// `table` (default): methods × metrics; `paper`: every method next to its base method, "base → + ours"
        #[form("Layout", Choice(LAYOUTS))]
        pub layout: CompareLayout,
        /// width of the figure in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Paired method comparison",
        step: PageStep::Recalibration,
        shown: DrawnIn::Sheet,
        running: "Comparing methods",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Methods],
        files: None,
        cost: Cost::Draws,
    }
}

/// Layout of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompareLayout {
    /// one line per method, one column per metric
    #[default]
    Table,
    /// one line per pair: base method, and method
    Paper,
}
