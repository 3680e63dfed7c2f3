//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;

options! {
    /// Options of `data.analyse("bias_plot")`.
    pub struct BiasPlotRequest {
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// the numeric column across; default: the first with the role feature
        #[asked("Against", Column(Numbers))]
        pub covariate: Option<String>,
        /// a panel for each value of this column; default: the first with the role group; empty: one panel
        #[asked("A panel for each", Column(Groups))]
        pub by: Option<String>,
        /// a line for each value of this column; default: the next with the role group; empty: one line
        #[asked("A line for each", Column(Groups))]
        pub colour: Option<String>,
        /// in what people are alike, as it stands in the file; default: covariate (in units of its standard deviation) and groups
        #[asked("", Features)]
        pub features: Option<FeatureChoice>,
        /// inverse squared width; default 0.5
        #[asked("", Number { usual: Some(0.5) })]
        pub gamma: Option<f64>,
        /// of each figure in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Bias against a number, group by group",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Drawing bias against a covariate",
        needs: &[Needs::Numbers],
        files: None,
        cost: Cost::Pairs,
    }
}
