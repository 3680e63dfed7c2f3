//! Which rows calibrate and which are scored.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::comparison::split_of_repeat;
use crate::run::graph::{Handle, Outcomes, Step};

/// Divides the rows as the data set says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Divide {
    /// the data set
    pub data: Handle<Predictions>,
    /// seed of folds and halves
    pub seed: u64,
    /// score every row, fit nothing
    pub everything: bool,
}

impl Step for Divide {
    type Output = Split;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Split> {
        let data = at.the(&self.data)?;
        if self.everything { Ok(Split::everything(data.rows).counted(data)) } else { Split::new(data, self.seed) }
    }
}

/// The division of one repeat, as a column names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DivideRepeat {
    /// the data set
    pub data: Handle<Predictions>,
    /// the column
    pub column: String,
    /// place of its value among the sorted ones
    pub repeat: usize,
    /// seed of folds and halves
    pub seed: u64,
}

impl Step for DivideRepeat {
    type Output = Split;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Split> {
        split_of_repeat(at.the(&self.data)?, &self.column, self.repeat, self.seed)
    }
}
