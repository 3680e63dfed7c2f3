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
        #[asked("Methods", Methods)]
        pub methods: Option<Vec<String>>,
        /// coordinates; default: those of the run, else the feature columns, else two principal components
        #[asked("Rows are near in", Features)]
        pub features: Option<FeatureChoice>,
        /// K, nearest rows that count; default: as in the run, else 10
        #[asked("Nearest rows that count (K)", Number { usual: Some(10.0) })]
        pub neighbours: Option<usize>,
        /// `euclidean` or `cosine`
        #[asked("Distance", Choice(DISTANCES))]
        pub distance: Option<Metric>,
        /// `paper` or `code`
        #[asked("Proximity", Choice(FORMS))]
        pub form: Option<Form>,
        /// bring rows of coordinates to length 1
        #[asked("Bring rows of coordinates to length 1", Switch)]
        pub row_normalise: Option<bool>,
        /// a column whose values are shown apart
        #[asked("Shown apart", Column(Groups))]
        pub group: Option<String>,
        /// each row stands in one pair at most
        #[asked("Each row in one pair at most", Switch)]
        pub without_replacement: bool,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Can rows far from the others be trusted as much? Proximity",
        step: PageStep::Who,
        shown: Shown::Sheet,
        running: "Comparing near and far rows",
        needs: &[Needs::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
