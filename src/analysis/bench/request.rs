//! What can be asked.

use serde::{Deserialize, Serialize};

use super::{BenchTest, Effect, Study};
use crate::analysis::entry::options;
use crate::feature::FeatureChoice;

/// A number, or several for a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "it is a number, or a list of numbers for a curve")]
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
        /// where outcomes come from: `open_file` (default): drawn for the rows of the file; `type_1_width`, `type_1_size`,
        /// `type_2`: the worlds of figures 5 and 3 of the I-trustworthy paper, for which of the other options only
        /// `simulations`, `alpha` and `seed` are looked at
        #[asked("Outcomes are drawn", Choice(&[
            ("open_file", "for the rows of this file"),
            ("type_1_width", "as in I-trustworthy 2025, figure 5: false alarms by kernel width"),
            ("type_1_size", "as in I-trustworthy 2025, figure 5: false alarms by number of rows"),
            ("type_2", "as in I-trustworthy 2025, figure 3: misses by dimension and number of rows"),
        ]))]
        pub study: Study,
        /// what is planted: `null` (default): nothing, every score is right; `shift`: all scores are off; `group`: those of one
        /// value of a column; `region`: those in an interval of a feature
        #[asked("Planted bias", Choice(&[
            ("null", "none: every score is right"),
            ("shift", "all scores off"),
            ("group", "a group off"),
            ("region", "a region off"),
        ]))]
        pub effect: Effect,
        /// δ in logits, or a list for a curve: outcomes happen with σ(logit s + δ), so that scores are too low for δ above 0;
        /// default 0, 0.25, 0.5 and 1, without a bias 0
        #[asked("Its size in logits", Number { usual: None })]
        pub size: Option<OneOrMany>,
        /// column of the group that is off; default: the first that can be groups
        #[asked("Group off: column", Column(Groups))]
        pub column: Option<String>,
        /// its value; default: the one that a share of the rows has that is nearest to a quarter
        #[asked("Group off: value", HandedOver)]
        pub value: Option<String>,
        /// feature along which the region lies; default: the first number that describes rows
        #[asked("Region off: along", Column(Numbers))]
        pub feature: Option<String>,
        /// the smallest value in the region; default: that of the upper third, unless `below` is given
        #[asked("Region off: from", Number { usual: None })]
        pub from: Option<f64>,
        /// the smallest value beyond the region; default: none
        #[asked("Region off: below", Number { usual: None })]
        pub below: Option<f64>,
        /// tests; default: all that apply
        #[asked("Tests", HandedOver)]
        pub tests: Option<Vec<BenchTest>>,
        /// rows, or a list for a curve: the first of the scored rows in a seeded order; default: all, 3,000 at most
        #[asked("Rows", Number { usual: None })]
        pub rows: Option<OneOrMany>,
        /// simulated files for each test; default: as many of 1,000 as take seconds, for slow tests fewer
        #[asked("Simulated files", Number { usual: None })]
        pub simulations: Option<usize>,
        /// level of the tests; default 0.05
        #[asked("Level", Number { usual: Some(0.05) })]
        pub alpha: Option<f64>,
        /// repairs, by name or id: how much of the bias each mends on rows that its fit did not see; default: none
        #[asked("How much of it do these mend?", Methods)]
        pub repairs: Option<Vec<String>>,
        /// column or columns of the test of groups; default: the first that can be groups
        #[asked("", HandedOver)]
        pub groups: Option<Vec<String>>,
        /// covariates on which rows are alike; default: those of the run
        #[asked("Rows are alike in", Features)]
        pub features: Option<FeatureChoice>,
        /// name of a method of the last run whose scores are taken to be right; default: `none`
        #[asked("Predictions", Method)]
        pub method: Option<String>,
        /// seed of rows, outcomes and draws
        #[asked("", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// of the figures in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "How often does each test fire?",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Drawing outcomes and testing them",
        needs: &[],
        files: None,
        cost: Cost::Draws,
    }
}
