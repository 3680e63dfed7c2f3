//! Candidates of the scan.

use serde::{Deserialize, Serialize};

use crate::table::Column;

/// A subgroup: columns, each with the index of one of its single conditions.
pub type Singles = Vec<(usize, usize)>;

/// A set of rows, or a trend, whose outcomes may differ from the predictions: M, one number per row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Candidate {
    /// rows that meet conditions on columns
    Columns(Singles),
    /// some rows that are similar, ascending
    Place(Column<u32>),
    /// the trend of a date column, by the index of the column among the times
    Trend(usize),
}

impl Default for Candidate {
    fn default() -> Self {
        Self::Columns(Singles::new())
    }
}
