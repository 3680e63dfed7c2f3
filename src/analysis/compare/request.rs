//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

/// Layouts, and what they are called.
pub(super) const LAYOUTS: &[(&str, &str)] = &[("table", "methods × metrics"), ("paper", "base → + method")];

options! {
    /// Options of `data.analyse("compare")`.
    pub struct CompareRequest {
        /// names of methods of the last run; default: all. `none` is always among them
        #[asked("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// metric ids; default: `nll`, `brier` and `ece`
        #[asked("Metrics", Metrics)]
        pub metrics: Option<Vec<String>>,
        /// how many times the rows are divided, methods fitted and scored; default: once
        #[asked("Divide the rows how often", Number { usual: Some(1.0) })]
        pub repeats: Option<usize>,
        /// a column that says which rows belong to which repeat; default: a column called `seed`, where the file says which
        /// rows calibrate
        #[asked("", HandedOver)]
        pub by: Option<String>,
        /// of the first division and of the replicates; default: the run's
        #[asked("", Number { usual: None })]
        pub seed: Option<u64>,
        /// replicates behind the intervals; default by the number of rows
        #[asked("", Number { usual: None })]
        pub resamples: Option<usize>,
        /// `table` (default): methods × metrics; `paper`: every method beside what it builds on, "base → + ours"
        #[asked("Layout", Choice(LAYOUTS))]
        pub layout: CompareLayout,
        /// of the figure in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Which method is best, as far as these rows can tell?",
        step: PageStep::Repair,
        shown: Shown::Sheet,
        running: "Comparing methods",
        needs: &[Needs::Methods],
        files: None,
        cost: Cost::Draws,
    }
}

/// How a comparison is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompareLayout {
    /// one line a method, one column a metric
    #[default]
    Table,
    /// one line a pair: what a method builds on, and what it makes of it
    Paper,
}
