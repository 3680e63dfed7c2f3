//! Clusters: rows that belong together, such as the visits of one patient or the attempts at one question.

use serde::{Deserialize, Serialize};

use crate::table::column::Column;

/// Fewer clusters than this are few: tests and intervals that stand on them are approximate.
pub const FEW_CLUSTERS: usize = 40;

/// Which cluster each row belongs to. Outcomes of rows of one cluster may be correlated; those of different clusters are
/// independent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clusters {
    /// name of the column
    pub column: String,
    /// cluster of each row, 0 … `count` − 1; a row without a value is a cluster of its own
    pub of: Column<u32>,
    /// number of clusters
    pub count: usize,
}

impl Clusters {
    /// Whether there are so few that what stands on them is approximate.
    pub fn are_few(&self) -> bool {
        self.count < FEW_CLUSTERS
    }

    /// The clusters of some rows of the data, numbered anew from 0 in the order in which they occur, and their number. O(n).
    pub fn among(&self, rows: &[u32]) -> (Vec<u32>, usize) {
        let mut number = vec![u32::MAX; self.count];
        let mut next = 0;
        let mut code = |row: &u32| -> u32 {
            let Some(number) = self.of.get(*row as usize).and_then(|&of| number.get_mut(of as usize)) else {
                next += 1;
                return next - 1;
            };
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            *number
        };
        let of = rows.iter().map(&mut code).collect();
        (of, next as usize)
    }
}
