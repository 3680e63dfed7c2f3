//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::scan::DetectedSubgroup;

/// Order of the subgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// excess or missing events: n × gap
    #[default]
    #[serde(rename = "harm")]
    ExcessEvents,
    /// the gap
    Gap,
}

impl Rank {
    /// The detected subgroups in this order, the largest first: the same one in every table and chart of the finding.
    pub(super) fn ranked(self, named: &[DetectedSubgroup]) -> Vec<&DetectedSubgroup> {
        let size = |one: &DetectedSubgroup| match self {
            Self::ExcessEvents => one.excess_events(),
            Self::Gap => one.corrected()[0].abs(),
        };
        let mut ranked: Vec<&DetectedSubgroup> = named.iter().collect();
        ranked.sort_by(|a, b| size(b).total_cmp(&size(a)));
        ranked
    }
}

/// A section of the finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// overall calibration
    Overall,
    /// subgroups
    #[serde(rename = "whom")]
    Subgroups,
    /// recommendation
    Advice,
}

options! {
    /// Options of `data.analyse("finding")`.
    pub struct FindingRequest {
        /// columns whose values are groups; default: every group column, and the predicted class
        #[form("Groups", Columns(Groups))]
        pub groups: Option<Vec<String>>,
        /// numeric columns, tested by sixths; default: every numeric feature
        #[form("Numbers", Columns(Numbers))]
        pub features: Option<Vec<String>>,
        /// subgroups with fewer rows are not tested; default 30
        #[form("Minimum subgroup size", Number { usual: Some(30.0) })]
        pub least: Option<usize>,
        /// order of the subgroups; default: `harm`
        #[form("Order by", Choice(&[("harm", "Rows × gap"), ("gap", "Gap")]))]
        pub rank: Option<Rank>,
        /// ids of the methods among which the recommendation chooses; none: no recommendation
        #[form("", HandedOver)]
        pub methods: Option<Vec<String>>,
        /// which sections to compute: `overall`, `whom`, `advice`; default: all. Requests that differ in sections share their
        /// steps
        #[form("", HandedOver)]
        pub parts: Option<Vec<PartName>>,
        /// seed of the simulations
        #[form("Seed", Number { usual: Some(0.0) })]
        pub seed: u64,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Summary",
        step: PageStep::Overview,
        shown: DrawnIn::Sheet,
        running: "Scanning subgroups",
        needs: &[],
        files: None,
        cost: Cost::Draws,
    }
}
