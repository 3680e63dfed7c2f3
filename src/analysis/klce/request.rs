//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::evaluation::trust::GammaChoice;
use crate::feature::FeatureChoice;
use crate::hypothesis::{Null, WIDTH_P};

/// Rules by which γ is chosen.
pub(super) const GAMMA_RULES: &[(&str, &str)] = &[
    ("default", "one over the number of covariates"),
    ("median", "by the median distance"),
    ("power", "chosen on half of the rows, tested on the other"),
];

options! {
    /// Options of `data.analyse("klce")`.
    pub struct KlceRequest {
        /// names of methods of the last run; default: all that have scores
        #[asked("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// covariates on which rows are alike, any columns; default: those of the run
        #[asked("Rows are alike in", Features)]
        pub features: Option<FeatureChoice>,
        /// width of the kernel on scores; default 0.1
        #[asked("Width on scores", Number { usual: Some(WIDTH_P) })]
        pub width_p: Option<f64>,
        /// γ of exp(−γ‖X − X′‖²): a number, `default` (1/d), `median` or `power`
        #[asked("Width on covariates", Choice(GAMMA_RULES))]
        pub gamma: Option<GammaChoice>,
        /// default: all four
        #[asked("", HandedOver)]
        pub nulls: Option<Vec<Null>>,
        /// draws of each null; default 1,000
        #[asked("Draws", Number { usual: Some(1000.0) })]
        pub resamples: Option<usize>,
        /// seed of the draws
        #[asked("", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// level of the test; default 0.05
        #[asked("", Number { usual: Some(0.05) })]
        pub alpha: Option<f64>,
        /// find by simulation what the test would have caught; default: by an approximation alone
        #[asked("Simulate what could have been caught (takes longer)", Switch)]
        pub simulate: bool,
        /// of the figures in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Is it more than chance? The trust test",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Testing for local error",
        needs: &[Needs::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
