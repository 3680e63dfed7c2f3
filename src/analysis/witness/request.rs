//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::hypothesis::WIDTH_P;
use crate::hypothesis::witness::WitnessForm;

/// Forms of the kernel.
pub(super) const FORMS: &[(&str, &str)] =
    &[("product", "covariates and score"), ("concatenated", "covariates, hardly the score")];

options! {
    /// Options of `data.analyse("witness")`.
    pub struct WitnessRequest {
        /// name of a method of the last run; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// covariates in which people are alike, as they stand in the file; default: as for the map
        #[asked("People are alike in", Features)]
        pub features: Option<FeatureChoice>,
        /// width in the score; default 0.1
        #[asked("Width in the score", Number { usual: Some(WIDTH_P) })]
        pub width_p: Option<f64>,
        /// inverse squared width in the covariates; default: one over their number (0.5 for the form `concatenated`), or
        /// one over the median squared distance where that would compare nobody or everybody
        #[asked("γ in the covariates", Number { usual: None })]
        pub gamma: Option<f64>,
        /// how nearness in score and covariates are put together
        #[asked("Alike in", Choice(FORMS))]
        pub form: WitnessForm,
        /// leave each row out of its own neighbours
        #[asked("Leave each row out of its own neighbours", Switch)]
        pub leave_one_out: bool,
        /// the two coordinates of the map, by position; the one after the last covariate is the score; default: the first two
        #[asked("", HandedOver)]
        pub axes: Option<[usize; 2]>,
        /// the coordinate across, by name
        #[asked("Across", HandedOver)]
        pub x: Option<String>,
        /// the coordinate up, by name
        #[asked("Up", HandedOver)]
        pub y: Option<String>,
        /// the score at which the field behind the rows is drawn; default: whatever the score
        #[asked("Map at the score", Number { usual: None })]
        pub at: Option<f64>,
        /// of the figure in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
        /// device pixels per CSS pixel
        #[asked("", HandedOver)]
        pub dpr: Option<f64>,
        /// colours for a dark page
        #[asked("", HandedOver)]
        pub dark: bool,
    }

    Entry {
        title: "Where, among people who are alike? The witness",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Looking for whom it is wrong",
        needs: &[Needs::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
