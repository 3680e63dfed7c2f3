//! Which groups rows belong to, in one grouping or several.

use crate::error::{Error, Result};
use crate::table::MISSING;

/// Which groups each row belongs to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memberships {
    /// groupings: each puts a row into one group at most
    pub width: usize,
    /// the group of each row in each grouping, row by row; [`MISSING`] for none; numbered through all groupings
    pub groups: Vec<u32>,
    /// number of groups
    pub count: usize,
}

impl Memberships {
    /// The same of some rows.
    pub fn select(&self, rows: &[u32]) -> Self {
        let of = |row: &u32| {
            let from = *row as usize * self.width;
            self.groups.get(from..from + self.width).unwrap_or(&[])
        };
        Self { groups: rows.iter().flat_map(of).copied().collect(), ..self.clone() }
    }

    /// Rows of every group, ascending.
    pub fn rows(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.count];
        for (i, row) in self.groups.chunks_exact(self.width.max(1)).enumerate() {
            for &group in row.iter().filter(|group| **group != MISSING) {
                if let Some(rows) = rows.get_mut(group as usize) {
                    rows.push(i as u32);
                }
            }
        }
        rows
    }

    /// Refuses memberships of another number of rows than `n`.
    ///
    /// # Errors
    /// `length_mismatch`.
    pub fn check(&self, n: usize) -> Result<()> {
        if self.groups.len() == n * self.width && self.width > 0 {
            return Ok(());
        }
        Err(Error::new(
            "length_mismatch",
            format!("{} memberships for {n} rows in {} groupings", self.groups.len(), self.width),
            "Assign every row one group, or none, per grouping.",
        ))
    }
}
