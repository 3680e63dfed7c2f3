//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

/// By what findings are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// rows × gap
    #[default]
    Harm,
    /// the gap alone
    Gap,
}

/// A part of the finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// how far off, all rows together
    Overall,
    /// for whom
    Whom,
    /// what to do
    Advice,
}

options! {
    /// Options of `data.analyse("finding")`.
    pub struct FindingRequest {
        /// columns whose values are groups; default: every group column, and the predicted class
        #[asked("Groups", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// columns of numbers, looked at by their sixths; default: every numeric feature
        #[asked("Numbers", Columns(Numbers))]
        pub features: Option<Vec<String>>,
        /// slices with fewer rows are not looked at; default 30
        #[asked("Least rows of a slice", Number { usual: Some(30.0) })]
        pub least: Option<usize>,
        /// by what findings are ranked; default: `harm`
        #[asked("Largest first by", Choice(&[("harm", "harm: rows × gap"), ("gap", "gap")]))]
        pub rank: Option<Rank>,
        /// ids of the repairs that advice chooses from; none: no advice
        #[asked("", HandedOver)]
        pub methods: Option<Vec<String>>,
        /// which parts are wanted: `overall`, `whom`, `advice`; default: all. Steps of one are those of another that asks
        /// for more
        #[asked("", HandedOver)]
        pub parts: Option<Vec<PartName>>,
        /// seed of the redraws
        #[asked("Seed", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Is it right, and for whom not?",
        step: PageStep::Overview,
        shown: Shown::Sheet,
        running: "Looking for whom it is wrong",
        needs: &[],
        files: None,
        cost: Cost::Draws,
    }
}
