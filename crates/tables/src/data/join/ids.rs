//! Matching the rows of two files by their id columns.

use std::collections::HashMap;

use super::super::roles::Role;
use super::super::rows::cell_text;
use super::{NamedColumn, Unit};
use crate::error::{Error, Result, message, phrases};
use crate::words::text::{quoted, thousands};

impl Unit {
    pub(super) fn id(&self) -> Option<&NamedColumn> {
        let j = self.roles.iter().position(|role| role.role == Role::Id)?;
        self.table.columns.get(j)
    }
}

fn texts(unit: &Unit, column: &NamedColumn) -> Vec<String> {
    (0..unit.table.rows).map(|row| cell_text(&column.values, row)).collect()
}

/// Both have an id column, and the same ids.
pub(super) fn shared(a: &Unit, b: &Unit) -> bool {
    let (Some(left), Some(right)) = (a.id(), b.id()) else {
        return false;
    };
    if a.table.rows != b.table.rows {
        return false;
    }
    let (mut left, mut right) = (texts(a, left), texts(b, right));
    left.sort_unstable();
    right.sort_unstable();
    left == right
}

/// The row of `b` that has the id of each row of `a`; `None` where ids are missing on a side, or do not match.
pub(super) fn order(a: &Unit, b: &Unit) -> Option<Vec<u32>> {
    let (left, right) = (a.id()?, b.id()?);
    matched(&texts(a, left), &texts(b, right)).ok()
}

/// Puts the rows of `other` into the order of `unit`, if both have ids.
///
/// # Errors
/// `ids_do_not_match` when an id of one does not occur in the other, or occurs twice.
pub(super) fn align(unit: &Unit, other: &mut Unit) -> Result<()> {
    let (Some(left), Some(right)) = (unit.id(), other.id()) else {
        return Ok(());
    };
    let (left, right) = (texts(unit, left), texts(other, right));
    if left == right {
        return Ok(());
    }
    let order = matched(&left, &right)?;
    other.table.reorder_rows(&order);
    Ok(())
}

fn matched(left: &[String], right: &[String]) -> Result<Vec<u32>> {
    let mut place: HashMap<&str, u32> = HashMap::with_capacity(right.len());
    for (row, id) in right.iter().enumerate() {
        place.insert(id, row as u32);
    }
    let mut order = Vec::with_capacity(left.len());
    for (row, id) in left.iter().enumerate() {
        // Each id is used once: a second use finds nothing.
        let Some(at) = place.remove(id.as_str()) else {
            return Err(Error::new(
                "ids_do_not_match",
                format!(
                    "Data row {}: id {} has no unique match in the other file ({} rows each).",
                    thousands(row + 1),
                    quoted(id),
                    thousands(left.len())
                ),
                message![
                    "Assign the id columns the ",
                    phrases::ROLE_IGNORE,
                    " to join by row order, or correct the ids."
                ],
            ));
        };
        order.push(at);
    }
    Ok(order)
}
