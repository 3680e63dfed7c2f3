//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;

options! {
    /// Options of `data.analyse("bias_plot")`.
    pub struct BiasPlotRequest {
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// the numeric column on the horizontal axis; default: the first with the role feature
        #[form("Covariate", Column(Numbers))]
        pub covariate: Option<String>,
        /// a panel for each value of this column; default: the first with the role group; empty: one panel
        #[form("Panels by", Column(Groups))]
        pub by: Option<String>,
        /// a line for each value of this column; default: the next with the role group; empty: one line
        #[form("Lines by", Column(Groups))]
        pub colour: Option<String>,
        /// coordinates of similarity, unscaled; default: the covariate (scaled by its standard deviation) and the groups
        #[form("", Features)]
        pub features: Option<FeatureChoice>,
        /// inverse squared width; default 0.5
        #[form("", Number { usual: Some(0.5) })]
        pub gamma: Option<f64>,
        /// width of each figure in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Local bias by covariate",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Estimating bias by covariate",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Numbers],
        files: None,
        cost: Cost::Pairs,
    }
}
