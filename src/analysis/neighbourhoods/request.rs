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
        #[asked("", Method)]
        pub method: Option<String>,
        /// coordinates, as for the map
        #[asked("", Features)]
        pub features: Option<FeatureChoice>,
        /// the two coordinates that name a place, by position; default: the first two
        #[asked("", HandedOver)]
        pub axes: Option<[usize; 2]>,
        /// kernel, as for the map
        #[asked("", HandedOver)]
        pub kernel: Option<String>,
        /// bandwidth γ, as for the map
        #[asked("", Number { usual: None })]
        pub gamma: Option<f64>,
        /// which rows can be neighbors, as for the map
        #[asked("", HandedOver)]
        pub within: Option<String>,
        /// confidence bins, as for the map
        #[asked("", HandedOver)]
        pub bins: Option<BinOptions>,
        /// rows that are compared with each other, as for the map: those of a confidence bin (`each`, the default), `all` as one bin, or
        /// the rows of one bin
        #[asked("", HandedOver)]
        pub bin: Option<BinChoice>,
        /// permutations; default: 200, fewer where they would take long
        #[asked("", Number { usual: None })]
        pub resamples: Option<usize>,
        /// seed of the permutations
        #[asked("", Number { usual: Some(0.0) })]
        pub seed: u64,
    }

    Entry {
        title: "Worst neighborhoods",
        step: PageStep::Where,
        shown: Shown::View,
        running: "Searching for the worst neighborhoods",
        needs: &[Needs::Features],
        files: None,
        cost: Cost::Draws,
    }
}
