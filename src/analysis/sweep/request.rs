//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::metric::binning::BinOptions;

options! {
    /// Options of `data.analyse("sweep")`.
    pub struct SweepRequest {
        /// names of methods of the last run; default: all that have scores
        #[form("", Methods)]
        pub methods: Option<Vec<String>>,
        /// one feature map, or several on one axis; default: that of the run's local settings
        #[form("", HandedOver)]
        pub features: Option<Vec<FeatureChoice>>,
        /// bandwidths; default: 25 on a grid that suits the features
        #[form("", HandedOver)]
        pub gammas: GammaGrid,
        /// as in `local`; default: the run's
        #[form("", HandedOver)]
        pub kernel: Option<String>,
        /// confidence bins; default: those of the run's local settings
        #[form("", HandedOver)]
        pub bins: Option<BinOptions>,
        /// which rows can be neighbors, as in `local`; default: the run's
        #[form("", HandedOver)]
        pub within: Option<String>,
        /// exclude each row from its own neighborhood, as in `local`; default: the run's
        #[form("", HandedOver)]
        pub leave_one_out: Option<bool>,
        /// how many times the rows are split, methods fitted and evaluated; from 2, curves are means with bands
        #[form("", Number { usual: None })]
        pub seeds: Option<usize>,
        /// curves are means over the folds of the run, with bands
        #[form("", Switch)]
        pub folds: bool,
        /// simulations of the labels from the scores, for the curve expected if calibrated
        #[form("", Number { usual: Some(0.0) })]
        pub floor: usize,
        /// the bandwidth in use, which is marked; default: the run's
        #[form("", Number { usual: None })]
        pub gamma: Option<f64>,
        /// width of the figures in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Local error by bandwidth",
        step: PageStep::Where,
        shown: DrawnIn::View,
        running: "Comparing bandwidths",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Pairs,
    }
}

/// Bandwidths, equally spaced in the logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GammaGrid {
    /// the smallest; default by the features
    pub low: Option<f64>,
    /// the largest; default by the features
    pub high: Option<f64>,
    /// how many; default 25
    pub count: Option<usize>,
}
