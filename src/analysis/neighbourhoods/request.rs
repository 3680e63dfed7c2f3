//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::metric::binning::BinOptions;
use crate::report::view::request::BinChoice;

options! {
    /// Where to look for the worst neighbourhoods.
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
        /// which rows can be neighbours, as for the map
        #[asked("", HandedOver)]
        pub within: Option<String>,
        /// confidence bins, as for the map
        #[asked("", HandedOver)]
        pub bins: Option<BinOptions>,
        /// with whom rows are compared, as for the map: within their confidence bin (`each`, the default), `all` as one bin, or
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
        title: "The worst neighbourhoods",
        step: PageStep::Where,
        shown: Shown::View,
        running: "Looking for the worst neighbourhoods",
        needs: &[Needs::Features],
        files: None,
        cost: Cost::Draws,
    }
}
