//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("correlation")`, beside `others`: data sets of which each is one repeat.
    pub struct CorrelationRequest {
        /// names of methods of the last run; default: all. `none` is always among them
        #[asked("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// metric ids; default: `ece`, `mce`, `nll`, `brier`, and with local settings of the run `mean_lce`, `mlce` and
        /// `mlce_supported`
        #[asked("Metrics", Metrics)]
        pub metrics: Option<Vec<String>>,
        /// the metric that they are held against; default: `group_mce_max_supported`
        #[asked("Held against", Metric)]
        pub against: Option<String>,
        /// one column whose values are groups, or two; default: those of the run, else the first that can be
        #[asked("Groups by (one column or two)", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// how many times the rows are divided, methods fitted and scored; default: 20 times, or as the file says; with `others`
        /// once in each file
        #[asked("Divide the rows how often", Number { usual: None })]
        pub repeats: Option<usize>,
        /// a column that says which rows belong to which repeat, as in `compare`
        #[asked("", HandedOver)]
        pub by: Option<String>,
        /// what the files are called where there are `others`, that of the last run first; default: as they are called
        #[asked("", HandedOver)]
        pub names: Option<Vec<String>>,
        /// of the first division; default: the run's
        #[asked("", Number { usual: None })]
        pub seed: Option<u64>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Which number tells how the worst group fares?",
        step: PageStep::Repair,
        shown: Shown::Sheet,
        running: "Dividing the rows again and again",
        needs: &[Needs::Groups, Needs::Methods],
        files: Some("Or prediction files of other seeds, one each, columns named as here"),
        cost: Cost::Fits,
    }
}
