//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::feature::FeatureChoice;
use crate::report::view::request::BinChoice;

options! {
    /// A region of the map: one of box, polygon and rows.
    pub struct RegionRequest {
        /// name of a method of the last run; default: `none`
        #[form("", Method)]
        pub method: Option<String>,
        /// coordinates, as for the map
        #[form("", Features)]
        pub features: Option<FeatureChoice>,
        /// the two coordinates of box and polygon, by position; default: the first two
        #[form("", HandedOver)]
        pub axes: Option<[usize; 2]>,
        /// the bin whose rows are shown, as for the map
        #[form("", HandedOver)]
        pub bin: Option<BinChoice>,
        /// [x0, x1, y0, y1], edges included
        #[form("", HandedOver)]
        #[serde(rename = "box")]
        pub rectangle: Option<[f64; 4]>,
        /// corners of a closed polygon
        #[form("", HandedOver)]
        pub polygon: Option<Vec<[f64; 2]>>,
        /// rows of the data, from 0, as `map.rows` names them
        #[form("", HandedOver)]
        pub rows: Option<Vec<u32>>,
        /// false lists row numbers of the file instead of ids (`region_rows`), and no texts (`region`, `region_rows`)
        #[form("", HandedOver)]
        pub identifiers: Option<bool>,
    }

    Entry {
        title: "Rows in a map region",
        step: PageStep::Where,
        shown: DrawnIn::View,
        running: "Describing the region",
        needs: &[AnalysisRequirement::Rows, AnalysisRequirement::Features],
        files: None,
        cost: Cost::Rows,
    }
}
