//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::metric::binning::BinOptions;
use crate::report::view::request::BinChoice;

options! {
    /// Settings of the search for the worst neighborhoods.
    pub struct NeighbourhoodsRequest {
        /// name of a method of the last run; default: `none`
        #[form("", Method)]
        pub method: Option<String>,
        /// coordinates, as for the map
        #[form("", Features)]
        pub features: Option<FeatureChoice>,
        /// principal components in which neighbors are searched where the map shows two of an embedding; default 10
        #[form("", Number { usual: None })]
        pub components: Option<usize>,
        /// the two coordinates that name a place, by position; default: the first two
        #[form("", HandedOver)]
        pub axes: Option<[usize; 2]>,
        /// kernel, as for the map
        #[form("", HandedOver)]
        pub kernel: Option<String>,
        /// bandwidth γ, as for the map
        #[form("", Number { usual: None })]
        pub gamma: Option<f64>,
        /// which rows can be neighbors, as for the map
        #[form("", HandedOver)]
        pub within: Option<String>,
        /// confidence bins, as for the map
        #[form("", HandedOver)]
        pub bins: Option<BinOptions>,
        /// rows that are compared with each other, as for the map: those of a confidence bin (`each`, the default), `all` as one bin, or
        /// the rows of one bin
        #[form("", HandedOver)]
        pub bin: Option<BinChoice>,
        /// simulated data sets; default: 200, fewer where they would take long
        #[form("", Number { usual: None })]
        pub resamples: Option<usize>,
        /// seed of the simulations
        #[form("", Number { usual: Some(0.0) })]
        pub seed: u64,
    }

    Entry {
        title: "Worst neighborhoods",
        step: PageStep::Where,
        shown: DrawnIn::View,
        running: "Searching for the worst neighborhoods",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Draws,
    }
}
