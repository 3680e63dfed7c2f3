//! Which groups a row lies in, where it may lie in several.

use crate::table::MISSING;

/// The groups of every row, by the sets of groups that occur.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Belonging {
    /// of every row the place of its set among `members`
    pub(super) pattern: Vec<u32>,
    /// the groups of each set, ascending
    pub(super) members: Vec<Vec<u32>>,
    groups: usize,
}

impl Belonging {
    /// Of some rows of the data, from a mask over all rows for each group; groups may overlap. O(n k).
    pub fn of_masks(masks: &[Vec<bool>], rows: &[u32]) -> Self {
        let mut of = Self { pattern: vec![0; rows.len()], members: vec![Vec::new()], groups: masks.len() };
        for (group, mask) in (0_u32..).zip(masks) {
            // Each set parts into itself and itself with this group; only what occurs is kept.
            let mut parts = vec![[MISSING; 2]; of.members.len()];
            let mut members: Vec<Vec<u32>> = Vec::new();
            for (pattern, row) in of.pattern.iter_mut().zip(rows) {
                let inside = mask.get(*row as usize).copied().unwrap_or(false);
                let part = &mut parts[*pattern as usize][usize::from(inside)];
                if *part == MISSING {
                    *part = members.len() as u32;
                    let mut own = of.members[*pattern as usize].clone();
                    own.extend(inside.then_some(group));
                    members.push(own);
                }
                *pattern = *part;
            }
            of.members = members;
        }
        of
    }

    /// From the code of each row's one group, [`MISSING`] or above `groups` for none. O(n).
    pub fn of_codes(codes: &[u32], groups: usize) -> Self {
        let none = groups as u32;
        let pattern = codes.iter().map(|&code| code.min(none)).collect();
        let members = (0..none).map(|group| vec![group]).chain(std::iter::once(Vec::new())).collect();
        Self { pattern, members, groups }
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.pattern.len()
    }

    /// k.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Whether no row lies in two groups.
    pub(super) fn is_apart(&self) -> bool {
        self.members.iter().all(|own| own.len() < 2)
    }

    /// Σ of the groups' values, of each set.
    pub(super) fn sums(&self, values: &[f64]) -> Vec<f64> {
        let of = |group: &u32| values.get(*group as usize).copied().unwrap_or(0.0);
        self.members.iter().map(|own| own.iter().map(of).sum()).collect()
    }
}
