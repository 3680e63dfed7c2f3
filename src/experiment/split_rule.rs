//! Which rows of a data set calibrate in one division of an experiment, and which are scored.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::comparison::split_of_repeat;

/// How the rows are divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SplitRule {
    /// as the file says, or as it was opened
    AsTheFileSays,
    /// a half calibrates
    Half,
    /// one of K folds is scored
    Fold {
        /// K
        of: usize,
        /// which, from 0
        fold: usize,
    },
    /// the rows of one repeat, divided as the file says
    Repeat {
        /// the column that names repeats
        column: String,
        /// place of its value among the sorted ones
        repeat: usize,
    },
}

impl SplitRule {
    /// The division of the rows.
    ///
    /// # Errors
    /// Those of [`Split::new`] and [`split_of_repeat`].
    pub fn split(&self, data: &Predictions, seed: u64) -> Result<Split> {
        match self {
            Self::AsTheFileSays => Split::new(data, seed),
            Self::Half => Ok(Split::halves(data, seed)),
            Self::Fold { of, fold } => Ok(Split::one_fold(data, *of, *fold, seed)),
            Self::Repeat { column, repeat } => split_of_repeat(data, column, *repeat, seed),
        }
    }
}
