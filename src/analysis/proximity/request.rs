//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::proximity::{Form, Metric};

/// Distances, and what they are called.
pub(super) const DISTANCES: &[(&str, &str)] = &[("euclidean", "Euclidean"), ("cosine", "cosine")];
/// Forms of proximity.
pub(crate) const FORMS: &[(&str, &str)] = &[("paper", "exp(−mean distance)"), ("code", "mean of exp(−distance²)")];

options! {
    /// Options of `data.analyse("proximity")`.
    pub struct ProximityRequest {
        /// names of methods of the last run; default: all that have scores
        #[form("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// coordinates; default: those of the run, else the feature columns, else two principal components
        #[form("Similarity", Features)]
        pub features: Option<FeatureChoice>,
        /// K, number of nearest rows; default: as in the run, else 10
        #[form("Neighbors K", Number { usual: Some(10.0) })]
        pub neighbours: Option<usize>,
        /// `euclidean` or `cosine`
        #[form("Distance", Choice(DISTANCES))]
        pub distance: Option<Metric>,
        /// `paper` or `code`
        #[form("Proximity", Choice(FORMS))]
        pub form: Option<Form>,
        /// scale each row of coordinates to unit length
        #[form("Unit-length rows", Switch)]
        pub row_normalise: Option<bool>,
        /// a column by whose values results are stratified
        #[form("Stratify by", Column(Groups))]
        pub group: Option<String>,
        /// match without replacement: each row is in at most one pair
        #[form("Match without replacement", Switch)]
        pub without_replacement: bool,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Proximity bias",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Comparing typical and isolated rows",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
