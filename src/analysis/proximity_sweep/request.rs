//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::analysis::proximity::FORMS;
use crate::feature::FeatureChoice;
use crate::proximity::{Form, Metric};

options! {
    /// Options of `data.analyse("proximity_sweep")`.
    pub struct ProximitySweepRequest {
        /// names of methods of the last run; default: `none` and at most three more
        #[form("", Methods)]
        pub methods: Option<Vec<String>>,
        /// coordinates, as for `proximity`
        #[form("", Features)]
        pub features: Option<FeatureChoice>,
        /// numbers of neighbors; default: 18 from 1 to 1,000, as far as there are rows
        #[form("", HandedOver)]
        pub neighbours: Option<Vec<usize>>,
        /// default: both
        #[form("", HandedOver)]
        pub distances: Option<Vec<Metric>>,
        /// `paper` or `code`
        #[form("", Choice(FORMS))]
        pub form: Option<Form>,
        /// scale each row of coordinates to unit length
        #[form("", Switch)]
        pub row_normalise: Option<bool>,
        /// width of the page in CSS pixels
        #[form("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Proximity bias sensitivity",
        step: PageStep::Who,
        shown: DrawnIn::Sheet,
        running: "Varying the number of neighbors",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Pairs,
    }
}
