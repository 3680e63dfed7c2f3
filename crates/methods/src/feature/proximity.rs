//! What proximity is: how near a row lies to the nearest calibration rows, in which coordinates, and in which form.

use serde::{Deserialize, Serialize};

use super::FeatureChoice;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::proximity::{Form, Metric};
use crate::request::bounds::{Field, whole};
use crate::table::Values;

/// K where none is given.
pub const NEIGHBORS: usize = 10;
/// K at most.
pub const MOST_NEIGHBORS: usize = 1000;
/// From where to where K may go.
pub const NEIGHBOR_BOUNDS: Field = whole(1, MOST_NEIGHBORS as u64);
/// Arrays of this many coordinates and more are embeddings, whose rows are brought to length 1.
pub(crate) const EMBEDDING: usize = 8;

/// What proximity is: how near a row lies to its nearest calibration rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProximityOptions {
    /// coordinates; default: those of `local`
    pub features: Option<FeatureChoice>,
    /// K, nearest rows that count; default 10
    pub neighbours: Option<usize>,
    /// `euclidean` (default) or `cosine`
    pub distance: Option<Metric>,
    /// `paper` (default): exp(−mean distance); `code`: mean of exp(−squared distance)
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1; default: for arrays of 8 coordinates and more, in a list or not, and for the
    /// form `code`
    pub row_normalise: Option<bool>,
}

impl ProximityOptions {
    /// Every default filled in; `None` where nothing says which rows are near each other.
    ///
    /// # Errors
    /// `invalid_option` for a number of neighbors that is not from 1 to 1,000; `unknown_column`.
    pub fn filled(mut self, data: &Predictions, local: Option<&FeatureChoice>) -> Result<Option<Self>> {
        let k = self.neighbours.unwrap_or(NEIGHBORS);
        if !(1..=MOST_NEIGHBORS).contains(&k) {
            return Err(Error::new(
                "invalid_option",
                format!("Proximity to the nearest {k} rows was requested."),
                "neighbours must be an integer from 1 to 1,000; 10 to 50 are usual.",
            ));
        }
        let Some(choice) = self.features.or_else(|| local.cloned()) else {
            return Ok(None);
        };
        super::check(data, &choice)?;
        let form = self.form.unwrap_or_default();
        let unit = self.row_normalise;
        self.row_normalise = Some(unit.unwrap_or(form == Form::Code || is_embedding(data, &choice)));
        Ok(Some(Self {
            features: Some(choice),
            neighbours: Some(k),
            distance: Some(self.distance.unwrap_or_default()),
            form: Some(form),
            row_normalise: self.row_normalise,
        }))
    }

    /// K.
    pub fn k(&self) -> usize {
        self.neighbours.unwrap_or(NEIGHBORS)
    }

    /// Distance between rows.
    pub fn metric(&self) -> Metric {
        self.distance.unwrap_or_default()
    }
}

fn is_embedding(data: &Predictions, choice: &FeatureChoice) -> bool {
    let names = match choice {
        FeatureChoice::One(name) => std::slice::from_ref(name),
        FeatureChoice::Many(names) => names.as_slice(),
        FeatureChoice::Pca { .. } => return false,
    };
    let embedding = |name: &String| {
        let column = data.table.columns.iter().find(|c| c.name == *name);
        matches!(column.map(|c| &c.values), Some(Values::Matrix(array)) if array.width >= EMBEDDING)
    };
    !names.is_empty() && names.iter().all(embedding)
}
