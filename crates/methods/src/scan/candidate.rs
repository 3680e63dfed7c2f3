//! What can be named.

use serde::{Deserialize, Serialize};

use crate::table::Column;

/// A slice: columns with the place of a single slice of each.
pub type Singles = Vec<(usize, usize)>;

/// Something whose outcomes may differ from what its scores say: M, a number a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Candidate {
    /// rows that meet conditions on columns
    Columns(Singles),
    /// some rows that are similar, ascending
    Place(Column<u32>),
    /// the time of a column of dates, at this place among the times: a drift
    Trend(usize),
}

impl Default for Candidate {
    fn default() -> Self {
        Self::Columns(Singles::new())
    }
}
