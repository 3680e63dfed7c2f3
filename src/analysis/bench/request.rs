//! What can be asked.

use serde::{Deserialize, Serialize};

use super::{BenchTest, Effect, Study};
use crate::analysis::entry::options;
use crate::feature::FeatureChoice;

/// A number, or several for a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "must be a number, or a list of numbers for a curve")]
pub enum OneOrMany {
    /// one
    One(f64),
    /// several
    Many(Vec<f64>),
}

impl OneOrMany {
    /// All of them, ascending, each once.
    pub fn ascending(&self) -> Vec<f64> {
        let mut all = match self {
            Self::One(one) => vec![*one],
            Self::Many(many) => many.clone(),
        };
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

options! {
    /// Options of `data.analyse("bench")`.
    pub struct BenchRequest {
        /// source of the outcomes: `open_file` (default): simulated for the rows of the file; `type_1_width`, `type_1_size`,
        /// `type_2`: the simulations of figures 5 and 3 of the I-trustworthy paper, which of the other options use only
        /// `simulations`, `alpha` and `seed`
        #[form("Simulated outcomes", Choice(&[
            ("open_file", "for the rows of this file"),
            ("type_1_width", "I-trustworthy 2025, figure 5: type I error by bandwidth"),
            ("type_1_size", "I-trustworthy 2025, figure 5: type I error by number of rows"),
            ("type_2", "I-trustworthy 2025, figure 3: type II error by dimension and number of rows"),
        ]))]
        pub study: Study,
        /// simulated bias: `null` (default): none, all scores are calibrated; `shift`: in all scores; `group`: in one
        /// value of a column; `region`: in an interval of a feature
        #[form("Simulated bias", Choice(&[
            ("null", "None (calibrated)"),
            ("shift", "All scores"),
            ("group", "One group"),
            ("region", "One region"),
        ]))]
        pub effect: Effect,
        /// δ in logits, or a list for a curve: event probabilities are σ(logit s + δ), so scores are underestimated for δ above 0;
        /// default 0, 0.25, 0.5 and 1, without a bias 0
        #[form("Bias, logits", Number { usual: None })]
        pub size: Option<OneOrMany>,
        /// column of the biased group; default: the first that can be groups
        #[form("Group column", Column(Groups))]
        pub column: Option<String>,
        /// its value; default: the one whose share of the rows is closest to one quarter
        #[form("Group value", HandedOver)]
        pub value: Option<String>,
        /// feature that defines the region; default: the first numeric feature
        #[form("Region feature", Column(Numbers))]
        pub feature: Option<String>,
        /// the smallest value in the region; default: that of the upper third, unless `below` is specified
        #[form("Region from", Number { usual: None })]
        pub from: Option<f64>,
        /// the smallest value above the region; default: none
        #[form("Region below", Number { usual: None })]
        pub below: Option<f64>,
        /// tests; default: all that apply
        #[form("Tests", HandedOver)]
        pub tests: Option<Vec<BenchTest>>,
        /// rows, or a list for a curve: the first of the scored rows in a seeded order; default: all, at most 3,000
        #[form("Rows", Number { usual: None })]
        pub rows: Option<OneOrMany>,
        /// simulated data sets per test; default: up to 1,000 as time allows, fewer for slow tests
        #[form("Simulations", Number { usual: None })]
        pub simulations: Option<usize>,
        /// level of the tests; default 0.05
        #[form("Level", Number { usual: Some(0.05) })]
        pub alpha: Option<f64>,
        /// recalibration methods, by name or id: the bias each removes on rows not used to fit it; default: none
        #[form("Recalibration", Methods)]
        pub repairs: Option<Vec<String>>,
        /// column or columns of the test of groups; default: the first that can be groups
        #[form("", HandedOver)]
        pub groups: Option<Vec<String>>,
        /// covariates that define similarity; default: those of the run
        #[form("Similarity", Features)]
        pub features: Option<FeatureChoice>,
        /// name of a method of the last run whose scores are assumed calibrated; default: `none`
        #[form("Predictions", Method)]
        pub method: Option<String>,
        /// seed of rows and simulations
        #[form("", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// width of the figures in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Error rates of tests",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Simulating tests",
        needs: &[AnalysisRequirement::Rows],
        files: None,
        cost: Cost::Draws,
    }
}
