//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::hypothesis::WIDTH_P;
use crate::hypothesis::witness::WitnessForm;

/// Forms of the kernel.
pub(super) const FORMS: &[(&str, &str)] =
    &[("product", "Covariates and score"), ("concatenated", "Covariates, weakly the score")];

options! {
    /// Options of `data.analyse("witness")`.
    pub struct WitnessRequest {
        /// name of a method of the last run; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// covariates that define similarity, unscaled; default: as for the map
        #[form("Similarity", Features)]
        pub features: Option<FeatureChoice>,
        /// bandwidth on the score; default 0.1
        #[form("Score bandwidth", Number { usual: Some(WIDTH_P) })]
        pub width_p: Option<f64>,
        /// inverse squared width in the covariates; default: one over their number (0.5 for the form `concatenated`), or
        /// one over the median squared distance where that would compare no rows or all rows equally
        #[form("Covariate bandwidth γ", Number { usual: None })]
        pub gamma: Option<f64>,
        /// how similarity in score and in covariates are combined
        #[form("Kernel form", Choice(FORMS))]
        pub form: WitnessForm,
        /// exclude each row from its own neighbors
        #[form("Exclude own row", Switch)]
        pub leave_one_out: bool,
        /// the two coordinates of the map, by position; the one after the last covariate is the score; default: the first two
        #[form("", HandedOver)]
        pub axes: Option<[usize; 2]>,
        /// the coordinate on the horizontal axis, by name
        #[form("Horizontal axis", HandedOver)]
        pub x: Option<String>,
        /// the coordinate on the vertical axis, by name
        #[form("Vertical axis", HandedOver)]
        pub y: Option<String>,
        /// the score at which the background is computed; default: all scores
        #[form("Background at score", Number { usual: None })]
        pub at: Option<f64>,
        /// width of the figure in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
        /// device pixels per CSS pixel
        #[form("", HandedOver)]
        pub dpr: Option<f64>,
        /// colors for a dark page
        #[form("", HandedOver)]
        pub dark: bool,
    }

    Entry {
        title: "Local bias by row",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Estimating local bias",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
