//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::evaluation::klce::GammaChoice;
use crate::feature::FeatureChoice;
use crate::hypothesis::{Null, WIDTH_P};

/// Rules by which γ is chosen.
pub(super) const GAMMA_RULES: &[(&str, &str)] = &[
    ("default", "1 / number of covariates"),
    ("median", "Median distance"),
    ("power", "Tuned on half, tested on the rest"),
];

options! {
    /// Options of `data.analyse("klce")`.
    pub struct KlceRequest {
        /// names of methods of the last run; default: all that have scores
        #[form("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// covariates that define similarity, any columns; default: those of the run
        #[form("Similarity", Features)]
        pub features: Option<FeatureChoice>,
        /// bandwidth of the kernel on scores; default 0.1
        #[form("Score bandwidth", Number { usual: Some(WIDTH_P) })]
        pub width_p: Option<f64>,
        /// γ of exp(−γ‖X − X′‖²): a number, `default` (1/d), `median` or `power`
        #[form("Covariate bandwidth", Choice(GAMMA_RULES))]
        pub gamma: Option<GammaChoice>,
        /// default: all four
        #[form("", HandedOver)]
        pub nulls: Option<Vec<Null>>,
        /// draws from each null distribution; default 1,000
        #[form("Draws", Number { usual: Some(1000.0) })]
        pub resamples: Option<usize>,
        /// seed of the draws
        #[form("", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// level of the test; default 0.05
        #[form("", Number { usual: Some(0.05) })]
        pub alpha: Option<f64>,
        /// estimate power by simulation; default: by an approximation alone
        #[form("Simulate power (slower)", Switch)]
        pub simulate: bool,
        /// width of the figures in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "KLCE calibration test",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Testing calibration",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
