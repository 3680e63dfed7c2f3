//! Clusters: rows that belong together, such as the visits of one patient or the attempts at one question.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::predictions::{CALIBRATION, EVALUATION, Predictions};
use crate::num::cluster::RowClusters;
use crate::table::Warning;
use crate::table::column::Column;
use crate::table::values::{MISSING, NamedColumn, Values};
use crate::words::text::{quoted, thousands};

pub mod choice;

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
    /// Those of a column's values, numbered in the order in which they occur; a row without a value is a cluster of its own.
    /// `None` for an array of several columns. O(n).
    pub(super) fn of_column(column: &NamedColumn) -> Option<Self> {
        let mut count = 0;
        let of = match &column.values {
            Values::Text { codes, .. } => {
                numbered(codes.iter().map(|&code| (code != MISSING).then_some(code)), &mut count)
            }
            // numbers that rise are all different
            Values::Numbers(values) if values.is_sorted_by(|a, b| a < b) => {
                count = values.len() as u32;
                (0..count).collect()
            }
            // −0 is 0.
            Values::Numbers(values) => {
                numbered(values.iter().map(|&x| (!x.is_nan()).then_some((x + 0.0).to_bits())), &mut count)
            }
            Values::Matrix(_) => return None,
        };
        Some(Self { column: column.name.clone(), of: of.into(), count: count as usize })
    }

    /// Rows in each cluster. O(n).
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        for &of in self.of.iter() {
            if let Some(size) = sizes.get_mut(of as usize) {
                *size += 1;
            }
        }
        sizes
    }

    /// A warning where the file itself puts rows of one cluster on both sides of its division.
    ///
    /// * `sets`: set of each row; empty where the file does not divide them
    pub(super) fn on_both_sides(&self, sets: &[u8]) -> Option<Warning> {
        let mut sides = vec![0u8; self.count];
        for (&of, &set) in self.of.iter().zip(sets) {
            if let Some(side) = sides.get_mut(of as usize) {
                *side |= match set {
                    CALIBRATION => 1,
                    EVALUATION => 2,
                    _ => 0,
                };
            }
        }
        let both = sides.iter().filter(|side| **side == 3).count();
        (both > 0).then(|| Warning {
            code: "clusters_divided".into(),
            message: format!(
                "{} of {} values of {} have both calibration and evaluation rows, so fits have seen evaluation \
                 clusters.",
                thousands(both),
                thousands(self.count),
                quoted(&self.column)
            ),
            row: None,
            column: Some(self.column.clone()),
        })
    }

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

impl Predictions {
    /// Why a test that takes rows for independent has no p-value; `None` where rows are independent.
    pub fn dependent_rows(&self) -> Option<String> {
        let clusters = self.clusters.as_ref()?;
        Some(format!(
            "No p-value: rows are clustered by {}, and this test assumes independent rows",
            quoted(&clusters.column)
        ))
    }
}

/// Clusters of some rows by their numbers in the data set; no rows at all where rows are independent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClusterIds {
    /// cluster of each of the rows, below `count`
    pub of: Column<u32>,
    /// number of clusters of the whole data set
    pub count: usize,
}

impl ClusterIds {
    /// Of some rows of the data. O(rows).
    pub fn of_rows(data: &Predictions, rows: &[u32]) -> Self {
        data.clusters.as_ref().map_or_else(Self::default, |clusters| Self {
            of: rows.iter().map(|&row| clusters.of.get(row as usize).copied().unwrap_or(u32::MAX)).collect(),
            count: clusters.count,
        })
    }

    /// Of some of the rows, by their positions. O(positions).
    pub fn at(&self, positions: &[u32]) -> Self {
        Self { of: positions.iter().filter_map(|&i| self.of.get(i as usize).copied()).collect(), count: self.count }
    }

    /// The clusters of consecutive rows, numbered from 0 as they occur; `None` where rows are independent. O(rows), however
    /// many clusters the other rows have.
    pub fn present_in(&self, rows: Range<usize>) -> Option<PresentClusters> {
        let of = self.of.get(rows).filter(|of| !of.is_empty())?;
        let mut count = 0;
        let of = numbered(of.iter().map(|&c| ((c as usize) < self.count).then_some(c)), &mut count);
        Some(PresentClusters { of, count: count as usize })
    }

    /// The same with clusters numbered from 0 as they occur; `None` where rows are independent. O(rows + count).
    pub fn present(&self) -> Option<PresentClusters> {
        if self.of.is_empty() {
            return None;
        }
        let mut number = vec![u32::MAX; self.count];
        let mut next = 0;
        let mut of = Vec::with_capacity(self.of.len());
        for &c in self.of.iter() {
            let known = number.get_mut(c as usize);
            of.push(match known {
                Some(known) if *known != u32::MAX => *known,
                known => {
                    if let Some(known) = known {
                        *known = next;
                    }
                    next += 1;
                    next - 1
                }
            });
        }
        Some(PresentClusters { of, count: next as usize })
    }
}

/// Clusters that occur among some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct PresentClusters {
    /// cluster of each row, below `count`
    pub of: Vec<u32>,
    /// number of clusters
    pub count: usize,
}

impl PresentClusters {
    /// For computations.
    pub fn rows(&self) -> RowClusters<'_> {
        RowClusters { of: &self.of, count: self.count }
    }

    /// Whether there are so few that what stands on them is approximate.
    pub fn are_few(&self) -> bool {
        self.count < FEW_CLUSTERS
    }
}

/// Numbers from 0 in the order in which values occur; `None` has one of its own each time.
fn numbered<K: Hash + Eq>(values: impl Iterator<Item = Option<K>>, next: &mut u32) -> Vec<u32> {
    let mut known: HashMap<K, u32, FixedState> = HashMap::default();
    let mut new = || {
        *next += 1;
        *next - 1
    };
    values
        .map(|value| match value {
            Some(value) => *known.entry(value).or_insert_with(&mut new),
            None => new(),
        })
        .collect()
}
