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
        #[asked("Covariate", Column(Numbers))]
        pub covariate: Option<String>,
        /// a panel for each value of this column; default: the first with the role group; empty: one panel
        #[asked("Panels by", Column(Groups))]
        pub by: Option<String>,
        /// a line for each value of this column; default: the next with the role group; empty: one line
        #[asked("Lines by", Column(Groups))]
        pub colour: Option<String>,
        /// coordinates of similarity, unscaled; default: the covariate (scaled by its standard deviation) and the groups
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
        title: "Local bias by covariate",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Estimating bias by covariate",
        needs: &[Needs::Numbers],
        files: None,
        cost: Cost::Pairs,
    }
}
